//! Work on many items at once, with the results in the order of the items.

use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Results that a worker may have ready: enough to bridge one slow item, and few enough to need little
/// memory.
const READY: usize = 8;

/// Does `work` for each item, on all processors. Passes each result with the index of its item to `take`, in
/// the order of the items, and ends at the first error of `take`.
pub(crate) fn for_each_in_order<T: Sync, R: Send, E>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(usize, R) -> Result<(), E>,
) -> Result<(), E> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let workers = processors.min(items.len());
    let work = &work;
    thread::scope(|scope| {
        let start = |first: usize| {
            let (sender, receiver) = sync_channel(READY);
            scope.spawn(move || {
                let mut items = items.iter().skip(first).step_by(workers);
                items.try_for_each(|item| sender.send(work(item)))
            });
            receiver
        };
        let results: Vec<Receiver<R>> = (0..workers).map(start).collect();
        for index in 0..items.len() {
            // Only a worker that panicked sends too little. The scope passes the panic on.
            let Ok(result) = results[index % workers].recv() else { break };
            take(index, result)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_items_whichever_is_ready_first() {
        for count in [0, 1, 2, 100] {
            let items: Vec<u64> = (0..count).collect();
            let slow_first = |item: &u64| {
                thread::sleep(Duration::from_millis(if *item == 0 { 20 } else { 0 }));
                2 * item
            };
            let mut results = Vec::new();
            let taken: Result<(), ()> = for_each_in_order(&items, slow_first, |index, result| {
                results.push((index as u64, result));
                Ok(())
            });
            assert_eq!(taken, Ok(()));
            let expected: Vec<(u64, u64)> = items.iter().map(|item| (*item, 2 * item)).collect();
            assert_eq!(results, expected);
        }
    }

    #[test]
    fn after_an_error_little_more_is_done() {
        let done = AtomicUsize::new(0);
        let items = [0; 10_000];
        let count = |_: &i32| done.fetch_add(1, Ordering::Relaxed);
        let taken =
            for_each_in_order(
                &items,
                count,
                |index, _| {
                    if index == 3 { Err("enough") } else { Ok(()) }
                },
            );
        assert_eq!(taken, Err("enough"));
        assert!(done.into_inner() < items.len());
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_of_the_work_is_passed_on() {
        let panics = |item: &i32| assert_ne!(*item, 3);
        let _: Result<(), ()> = for_each_in_order(&[0, 1, 2, 3, 4], panics, |_, ()| Ok(()));
    }
}
