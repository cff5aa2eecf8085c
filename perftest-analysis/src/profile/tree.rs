//! The shape of profiles, and weights of its frames.

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

/// Brings frames into order. Each caller is before its callees, and the first frame is the root. Returns the
/// new place of each frame, too.
pub(super) fn in_order(names: Vec<Arc<str>>, frames: Vec<StackFrame>) -> (StackTree, Vec<u32>) {
    let ranks = ranks(&names);
    let rank = |frame: u32| ranks[frames[frame as usize].name as usize];
    let mut by_caller: Vec<u32> = (1..frames.len() as u32).collect();
    by_caller.sort_unstable_by_key(|frame| (frames[*frame as usize].parent, rank(*frame)));
    let mut first = vec![0; frames.len() + 1];
    for frame in &by_caller {
        first[frames[*frame as usize].parent as usize + 1] += 1_usize;
    }
    for caller in 1..first.len() {
        first[caller] += first[caller - 1];
    }
    let mut places = vec![0; frames.len()];
    let mut ordered = Vec::with_capacity(frames.len());
    let mut open = vec![0_u32];
    while let Some(frame) = open.pop() {
        let caller = frame as usize;
        places[caller] = ordered.len() as u32;
        let parent = places[frames[caller].parent as usize];
        ordered.push(StackFrame { parent, ..frames[caller] });
        open.extend(by_caller[first[caller]..first[caller + 1]].iter().rev());
    }
    (StackTree { names, frames: ordered }, places)
}

/// The place of each name in the alphabet.
fn ranks(names: &[Arc<str>]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
    sorted.sort_unstable_by_key(|name| &names[*name as usize]);
    let mut ranks = vec![0; names.len()];
    for (rank, name) in sorted.into_iter().enumerate() {
        ranks[name as usize] = rank as u32;
    }
    ranks
}
