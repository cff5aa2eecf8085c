//! The shape of profiles.

use std::sync::Arc;

/// A function at one place of the tree: reached through one chain of callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackFrame {
    /// The number of the caller; of the root, its own.
    pub parent: u32,
    /// The number of the name.
    pub name: u32,
    /// Number of callers: 0 for the root, which stands for the whole profile.
    pub depth: u32,
}

/// The shape of profiles: every chain of callers once. The frames are in depth-first order, callees by name.
#[derive(Debug, Clone)]
pub struct StackTree {
    pub(super) names: Vec<Arc<str>>,
    pub(super) frames: Vec<StackFrame>,
}

impl StackTree {
    /// The frames; the first one is the root.
    pub fn frames(&self) -> &[StackFrame] {
        &self.frames
    }

    /// All names, by their numbers.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The name of a frame.
    pub fn name(&self, frame: usize) -> &str {
        &self.names[self.frames[frame].name as usize]
    }

    /// The number of the first frame behind `frame` that it did not call, directly or through others.
    pub fn end(&self, frame: usize) -> usize {
        let depth = self.frames[frame].depth;
        let behind = self.frames[frame + 1..].iter().position(|it| it.depth <= depth);
        behind.map_or(self.frames.len(), |distance| frame + 1 + distance)
    }
}
