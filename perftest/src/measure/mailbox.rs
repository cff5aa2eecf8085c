//! Hands one value at a time to another thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A place for one value. A channel of the standard library is 20 kB of code for each kind of value,
/// and users wait for the compiler.
#[derive(Debug)]
pub(super) struct Mailbox<T> {
    content: Mutex<Content<T>>,
    changed: Condvar,
}

#[derive(Debug)]
enum Content<T> {
    Nothing,
    Value(T),
    /// Nobody puts or takes anything any more.
    Closed,
}

impl<T> Mailbox<T> {
    pub(super) fn new() -> Self {
        Self { content: Mutex::new(Content::Nothing), changed: Condvar::new() }
    }

    /// Puts a value. Returns `false` if the box is closed.
    pub(super) fn put(&self, value: T) -> bool {
        let mut content = self.lock();
        let is_open = !matches!(*content, Content::Closed);
        if is_open {
            *content = Content::Value(value);
            self.changed.notify_one();
        }
        is_open
    }

    /// Closes the box, and drops a value that nobody took.
    pub(super) fn close(&self) {
        *self.lock() = Content::Closed;
        self.changed.notify_one();
    }

    /// Waits for a value and takes it. `None` when the box is closed.
    pub(super) fn take(&self) -> Option<T> {
        let is_empty = |content: &mut Content<T>| matches!(content, Content::Nothing);
        let waited = self.changed.wait_while(self.lock(), is_empty);
        let mut content = waited.unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *content, Content::Nothing) {
            Content::Value(value) => Some(value),
            Content::Nothing => None,
            Content::Closed => {
                *content = Content::Closed;
                None
            }
        }
    }

    /// Waits until the box is closed, at most so long. Returns whether it is closed.
    #[cfg(any(
        test,
        all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))
    ))]
    pub(super) fn is_closed_within(&self, longest: std::time::Duration) -> bool {
        let is_open = |content: &mut Content<T>| !matches!(content, Content::Closed);
        let waited = self.changed.wait_timeout_while(self.lock(), longest, is_open);
        let (content, _) = waited.unwrap_or_else(PoisonError::into_inner);
        matches!(*content, Content::Closed)
    }

    fn lock(&self) -> MutexGuard<'_, Content<T>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn values_arrive_one_after_the_other_until_the_box_is_closed() {
        let (orders, answers) = (Mailbox::new(), Mailbox::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                while let Some(order) = orders.take() {
                    assert!(answers.put(2 * order));
                }
                answers.close();
            });
            for order in 1..=3 {
                assert!(orders.put(order));
                assert_eq!(answers.take(), Some(2 * order));
            }
            orders.close();
            assert_eq!(answers.take(), None);
        });
        assert!(!orders.put(4));
    }

    #[test]
    fn a_value_that_nobody_took_is_gone_with_the_box() {
        let mailbox = Mailbox::new();
        assert!(mailbox.put(1));
        assert!(!mailbox.is_closed_within(Duration::ZERO));
        mailbox.close();
        assert!(mailbox.is_closed_within(Duration::from_secs(60)));
        assert_eq!(mailbox.take(), None);
    }
}
