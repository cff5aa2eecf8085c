//! Reads a stream on a thread of its own as it comes, so that its writer never waits for a reader.

use std::sync::mpsc::{Receiver, Sender, channel};

/// Starts the thread, which sends what it has read as text. All streams share one kind of channel and of
/// thread: each kind is twenty kilobytes of code, and users wait for the compiler.
pub(crate) fn start_reader(read: Box<dyn FnOnce(&Sender<String>) + Send>) -> Receiver<String> {
    let (sender, texts) = channel();
    std::thread::spawn(move || read(&sender));
    texts
}
