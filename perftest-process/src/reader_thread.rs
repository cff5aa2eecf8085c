//! Reads a stream on a new thread, so that its writer never waits.

use std::sync::mpsc::{Receiver, Sender, channel};

/// Reads a stream and sends texts.
type StreamReader = dyn FnOnce(&Sender<String>) + Send;

/// Starts the thread. All streams share one kind of channel and thread: each kind is 20 kB of code, and
/// users wait for the compiler.
pub(crate) fn start_reader(read: Box<StreamReader>) -> Receiver<String> {
    let (sender, texts) = channel();
    std::thread::spawn(move || read(&sender));
    texts
}
