//! Bodies that are futures.

use super::tests::Batches;
use super::*;
use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Runs an async body; returns its end and how often it was blocked on.
fn run<'b>(
    bencher: &'b mut Bencher<'_>,
    body: impl AsyncFnOnce(&mut Bencher<'_>) + 'b,
) -> (Result<(), Failure>, u32) {
    let blocked = Cell::new(0);
    let meeting = Rendezvous::of(bencher);
    let body = meeting.body(async {
        body(bencher).await;
        Ok(())
    });
    let ended = body.run(|stretch| {
        blocked.set(blocked.get() + 1);
        block_on(stretch);
    });
    (ended, blocked.get())
}

fn block_on(future: impl Future<Output = ()>) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    while future.as_mut().poll(&mut context).is_pending() {}
}

#[test]
fn an_async_body_is_blocked_on_once_a_batch() {
    let (mut batches, calls) = (Batches, Cell::new(0));
    let mut bencher = Bencher::new(&mut batches);
    let (ended, blocked) = run(&mut bencher, async |bencher| {
        let routine = async || {
            tokio::task::yield_now().await;
            calls.set(calls.get() + 1);
        };
        bencher.iter_async(routine).await;
    });
    // Up to the first batch, the batches of three and of two, and to the end.
    assert_eq!((ended, blocked, calls.get()), (Ok(()), 4, 5));
    assert_eq!(bencher.finish(), Ok(Vec::new()));
}

#[test]
fn an_async_body_may_measure_what_does_not_wait() {
    let (mut batches, mut calls) = (Batches, 0);
    let mut bencher = Bencher::new(&mut batches);
    let (ended, blocked) = run(&mut bencher, async |bencher| bencher.iter(|| calls += 1));
    assert_eq!((ended, blocked, bencher.finish(), calls), (Ok(()), 1, Ok(Vec::new()), 5));
}

#[test]
fn inputs_and_errors_of_async_bodies_are_those_of_any_body() {
    let (mut batches, seen) = (Batches, RefCell::new(Vec::new()));
    let mut bencher = Bencher::new(&mut batches);
    let (ended, _) = run(&mut bencher, async |bencher| {
        let body = async |input| {
            seen.borrow_mut().push(input);
            if input == 1 { Err("one is too many") } else { Ok(()) }
        };
        let check = |output: &Result<(), &str>| output.err().map(ToOwned::to_owned);
        bencher.with_inputs(|i| i).iter_async_checked(body, check).await;
    });
    let failure = Err(Failure::Returned("one is too many".to_owned()));
    assert_eq!((ended, bencher.finish()), (Ok(()), failure));
    assert_eq!(seen.into_inner(), [0, 1, 2]);
}

#[test]
fn a_routine_that_ends_in_an_error_fails_the_test() {
    for input in [None, Some(1)] {
        let mut batches = Batches;
        let mut bencher = Bencher::new(&mut batches);
        let (ended, _) = run(&mut bencher, async |bencher| match input {
            None => bencher.try_iter_async(async || "1x".parse::<u8>()).await,
            Some(_) => {
                let setup = bencher.with_inputs(|i| format!("{i}x"));
                setup.try_iter_async(async |text| text.parse::<u8>()).await;
            }
        });
        let failure = Failure::Returned("ParseIntError { kind: InvalidDigit }".to_owned());
        assert_eq!((ended, bencher.finish()), (Ok(()), Err(failure)));
    }
}

#[test]
fn an_async_body_that_does_not_wait_for_its_measurement_is_a_failure() {
    let mut batches = Batches;
    let mut bencher = Bencher::new(&mut batches);
    let (ended, _) = run(&mut bencher, async |bencher| {
        let mut measuring = Box::pin(bencher.iter_async(async || 1));
        std::future::poll_fn(|context| {
            let _ = measuring.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
    });
    assert_eq!((ended, bencher.finish()), (Ok(()), Err(Failure::Abandoned)));
    let mut bencher = Bencher::new(&mut batches);
    let meeting = Rendezvous::of(&mut bencher);
    let body = meeting.body(async {
        bencher.iter_async(async || 1).await;
        Ok(())
    });
    assert_eq!(body.run(drop), Err(Failure::Abandoned));
}

#[test]
fn where_nothing_can_wait_nothing_is_measured() {
    let mut batches = Batches;
    let mut bencher = Bencher::new(&mut batches);
    let mut measuring = Box::pin(bencher.iter_async(async || 1));
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(measuring.as_mut().poll(&mut context), Poll::Ready(()));
    drop(measuring);
    assert_eq!(bencher.finish(), Err(Failure::NotAsync));
}

/// A waker that remembers its call.
#[derive(Default)]
struct Alarm(AtomicBool);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls a future first, and then only when it was woken, as a `join` of many futures does.
async fn polled_when_woken(future: impl Future) {
    let (mut future, alarm) = (pin!(future), Arc::<Alarm>::default());
    let waker = Waker::from(Arc::clone(&alarm));
    alarm.0.store(true, Ordering::Relaxed);
    let mut polls = 0;
    let poll = |_: &mut Context<'_>| {
        polls += 1;
        assert!(polls < 1_000, "nobody wakes the future");
        if !alarm.0.swap(false, Ordering::Relaxed) {
            return Poll::Pending;
        }
        future.as_mut().poll(&mut Context::from_waker(&waker)).map(drop)
    };
    std::future::poll_fn(poll).await;
}

#[test]
fn the_next_batch_wakes_the_body() {
    let mut batches = Batches;
    let mut bencher = Bencher::new(&mut batches);
    let (ended, blocked) = run(&mut bencher, async |bencher| {
        polled_when_woken(bencher.iter_async(async || 1)).await;
    });
    assert_eq!((ended, blocked, bencher.finish()), (Ok(()), 4, Ok(Vec::new())));
}
