//! Reads a stream on a new thread, so that its writer never waits.

use crate::time_out::was_stopped;
use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Reads a stream and sends texts.
type StreamReader = dyn FnOnce(&TextSender) + Send;

/// Texts of a reader. A channel of the standard library is 20 kB of code, and users wait for the
/// compiler.
#[derive(Debug, Default)]
struct TextQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    texts: VecDeque<String>,
    /// The reader has ended.
    is_closed: bool,
}

impl TextQueue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reader's end of the queue.
pub(crate) struct TextSender {
    queue: Arc<TextQueue>,
}

impl TextSender {
    /// Sends a text. Returns whether anybody can still receive it.
    pub(crate) fn send(&self, text: String) -> bool {
        self.queue.lock().texts.push_back(text);
        self.queue.changed.notify_one();
        Arc::strong_count(&self.queue) > 1
    }
}

impl Drop for TextSender {
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.changed.notify_one();
    }
}

/// The end of the queue of those who wait for the reader.
#[derive(Debug)]
pub(crate) struct TextReceiver {
    queue: Arc<TextQueue>,
}

impl TextReceiver {
    /// Waits for the next text, up to `longest`, and again where this process [was stopped](was_stopped) for longer than
    /// the rest of the wait.
    ///
    /// # Errors
    /// When none comes in time, or the reader has ended.
    pub(crate) fn wait(&self, longest: Duration) -> Result<String, RecvTimeoutError> {
        let is_pending = |state: &mut QueueState| state.texts.is_empty() && !state.is_closed;
        let mut state = self.queue.lock();
        loop {
            let began = Instant::now();
            let waited = self.queue.changed.wait_timeout_while(state, longest, is_pending);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            match state.texts.pop_front() {
                Some(text) => return Ok(text),
                None if state.is_closed => return Err(RecvTimeoutError::Disconnected),
                None if was_stopped(began, longest) => {}
                None => return Err(RecvTimeoutError::Timeout),
            }
        }
    }
}

/// Starts the thread.
pub(crate) fn start_reader(read: Box<StreamReader>) -> TextReceiver {
    let queue = Arc::new(TextQueue::default());
    let sender = TextSender { queue: Arc::clone(&queue) };
    std::thread::spawn(move || read(&sender));
    TextReceiver { queue }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn texts_arrive_in_order_and_then_the_end() {
        let texts = start_reader(Box::new(|sender| {
            for text in ["a", "b"] {
                assert!(sender.send(text.to_owned()));
            }
        }));
        assert_eq!(texts.wait(LONG).as_deref(), Ok("a"));
        assert_eq!(texts.wait(LONG).as_deref(), Ok("b"));
        assert_eq!(texts.wait(LONG), Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn the_wait_for_a_silent_reader_ends_and_a_later_text_still_arrives() {
        let (go_on, goes_on) = channel();
        let texts = start_reader(Box::new(move |sender| {
            let _ = goes_on.recv();
            sender.send("late".to_owned());
        }));
        assert_eq!(texts.wait(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
        go_on.send(()).unwrap();
        assert_eq!(texts.wait(LONG).as_deref(), Ok("late"));
    }

    /// As with Ctrl-Z: nothing of this process runs while the queue is locked.
    #[test]
    fn a_wait_begins_again_where_the_process_was_stopped_for_longer_than_its_rest() {
        let longest = Duration::from_secs(1);
        let (go_on, goes_on) = channel();
        let texts = start_reader(Box::new(move |sender| {
            let _ = goes_on.recv();
            sender.send("late".to_owned());
        }));
        let queue = Arc::clone(&texts.queue);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // The other thread waits by then.
                std::thread::sleep(longest / 10);
                let stopped = queue.lock();
                std::thread::sleep(3 * longest);
                drop(stopped);
                // The waiting thread finds no text at first.
                std::thread::sleep(longest / 10);
                go_on.send(()).unwrap();
            });
            assert_eq!(texts.wait(longest).as_deref(), Ok("late"));
        });
    }

    #[test]
    fn a_reader_learns_that_nobody_waits_any_more() {
        let (answer, answers) = channel();
        let (go_on, goes_on) = channel::<()>();
        drop(start_reader(Box::new(move |sender| {
            let _ = goes_on.recv();
            answer.send(sender.send("a".to_owned())).unwrap();
        })));
        drop(go_on);
        assert_eq!(answers.recv(), Ok(false));
    }
}
