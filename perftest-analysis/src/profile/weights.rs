//! Weights of the frames of a tree.

use super::StackFrame;

/// The weight of each frame, in samples or in whatever the file counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// Of the frame itself: it was on top of the stack.
    pub own: Vec<u64>,
    /// Of the frame and all that it called.
    pub total: Vec<u64>,
}

impl Weights {
    /// Adds up the callees: each is behind its caller.
    pub(super) fn new(frames: &[StackFrame], own: Vec<u64>) -> Self {
        let mut total = own.clone();
        for (frame, StackFrame { parent, .. }) in frames.iter().enumerate().skip(1).rev() {
            total[*parent as usize] += total[frame];
        }
        Self { own, total }
    }
}
