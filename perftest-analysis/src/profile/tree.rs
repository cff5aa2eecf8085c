//! The shape of profiles, and weights of its frames.

use std::collections::HashMap;
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

/// The root of every tree.
pub(super) const ROOT: u32 = 0;
const ROOT_NAME: &str = "all";

/// A tree that grows: names and frames have their numbers in the order in which they came.
#[derive(Debug)]
pub(super) struct GrowingTree {
    numbers: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    name_bytes: usize,
    frames: Vec<StackFrame>,
    callees: HashMap<(u32, u32), u32>,
}

impl GrowingTree {
    /// The root alone.
    pub(super) fn new() -> Self {
        let mut tree = Self {
            numbers: HashMap::new(),
            names: Vec::new(),
            name_bytes: 0,
            frames: Vec::new(),
            callees: HashMap::new(),
        };
        let name = tree.number(ROOT_NAME);
        tree.frames.push(StackFrame { parent: ROOT, name, depth: 0 });
        tree
    }

    /// Number of frames.
    pub(super) fn size(&self) -> usize {
        self.frames.len()
    }

    /// The length of all names together.
    pub(super) fn name_bytes(&self) -> usize {
        self.name_bytes
    }

    /// The number of a name, which may be new.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        // As many names as frames, which are bounded.
        let number = self.names.len() as u32;
        let name: Arc<str> = name.into();
        self.name_bytes += name.len();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The frame of this name below `caller`, where it is known.
    pub(super) fn find(&self, caller: u32, name: &str) -> Option<u32> {
        self.callees.get(&(caller, *self.numbers.get(name)?)).copied()
    }

    /// The frame with the name of this number below `caller`, which may be new.
    pub(super) fn callee(&mut self, caller: u32, name: u32) -> u32 {
        let next = self.frames.len() as u32;
        let callee = *self.callees.entry((caller, name)).or_insert(next);
        if callee == next {
            let depth = self.frames[caller as usize].depth + 1;
            self.frames.push(StackFrame { parent: caller, name, depth });
        }
        callee
    }

    /// The tree with its frames in order, and the new place of each frame.
    pub(super) fn in_order(self) -> (StackTree, Vec<u32>) {
        let Self { names, frames, .. } = self;
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
        let mut open = vec![ROOT];
        while let Some(frame) = open.pop() {
            let caller = frame as usize;
            places[caller] = ordered.len() as u32;
            let parent = places[frames[caller].parent as usize];
            ordered.push(StackFrame { parent, ..frames[caller] });
            open.extend(by_caller[first[caller]..first[caller + 1]].iter().rev());
        }
        (StackTree { names, frames: ordered }, places)
    }
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
