//! Stacks become a tree.

use super::{
    ClassWeight, GrowingTree, IterationClass, IterationClasses, IterationTime, Profile,
    ProfileNotes, ROOT, Weights, frame_name, is_cut,
};
use std::collections::BTreeMap;

/// Frames of a tree. At 40 bytes each with their tables, the most that a profile may take of the memory.
const MOST_FRAMES: usize = 2_000_000;
/// Bytes of all names of a profile.
const MOST_NAME_BYTES: usize = 256 << 20;
/// Above it not every whole number is an `f64`, in which JSON and the page count.
const LARGEST_SUM: u64 = 1 << 53;

/// A profile before its last stack.
#[derive(Debug)]
pub struct ProfileBuilder {
    tree: GrowingTree,
    own: Vec<u64>,
    sum: u64,
    samples: u64,
    iteration: Option<IterationTime>,
    classes: Vec<IterationClass>,
    /// Weights by frame and class.
    by_class: BTreeMap<(u32, u32), u64>,
    /// The frame and the weight of the newest stack.
    newest: (u32, u64),
    most_frames: usize,
    /// What is found on the way.
    pub(super) notes: ProfileNotes,
}

impl Default for ProfileBuilder {
    fn default() -> Self {
        Self::with_most_frames(MOST_FRAMES)
    }
}

impl ProfileBuilder {
    fn with_most_frames(most_frames: usize) -> Self {
        Self {
            tree: GrowingTree::new(),
            own: vec![0],
            sum: 0,
            samples: 0,
            iteration: None,
            classes: Vec::new(),
            by_class: BTreeMap::new(),
            newest: (ROOT, 0),
            most_frames,
            notes: ProfileNotes::default(),
        }
    }

    /// Adds a stack, its outermost caller first. Returns whether the sum of the weights is still exact; a stack
    /// that would make it inexact is not added.
    #[must_use]
    pub fn add<'a>(
        &mut self,
        stack: impl IntoIterator<Item = &'a str>,
        weight: u64,
        samples: u64,
    ) -> bool {
        let Some(sum) = self.sum.checked_add(weight).filter(|sum| *sum <= LARGEST_SUM) else {
            return false;
        };
        self.sum = sum;
        self.samples += samples;
        let mut frame = ROOT;
        for name in stack {
            match self.callee(frame, name) {
                Some(callee) => frame = callee,
                None => {
                    self.notes.stacks_cut += 1;
                    break;
                }
            }
        }
        self.own[frame as usize] += weight;
        self.newest = (frame, weight);
        true
    }

    /// The frame below `caller`; `None` where it would be one too many.
    fn callee(&mut self, caller: u32, written: &str) -> Option<u32> {
        self.notes.names_cut += u64::from(is_cut(written));
        let name = frame_name(written);
        let known = self.tree.find(caller, &name);
        if known.is_some() {
            return known;
        }
        if self.tree.size() >= self.most_frames || self.tree.name_bytes() >= MOST_NAME_BYTES {
            return None;
        }
        let name = self.tree.number(&name);
        self.own.push(0);
        Some(self.tree.callee(caller, name))
    }

    /// Adds sentences of the profiler to the notes.
    pub fn add_remarks(&mut self, remarks: impl IntoIterator<Item = String>) {
        self.notes.remarks.extend(remarks);
    }

    /// Notes how long an iteration takes.
    pub fn set_iteration(&mut self, iteration: Option<IterationTime>) {
        self.iteration = iteration;
    }

    /// Notes how many iterations there were of each duration, the fastest first.
    pub fn set_classes(&mut self, classes: Vec<IterationClass>) {
        self.classes = classes;
    }

    /// Spreads the newest stack over classes of iterations, given as the place of the class and a weight. Returns
    /// whether these are classes of the profile, and their weights no more than that of the stack; others are not
    /// added.
    #[must_use]
    pub fn add_by_class(&mut self, weights: &[(u32, u64)]) -> bool {
        let (frame, weight) = self.newest;
        let sum = weights.iter().try_fold(0, |sum: u64, (_, weight)| sum.checked_add(*weight));
        let are_known = weights.iter().all(|(class, _)| (*class as usize) < self.classes.len());
        if !are_known || sum.is_none_or(|sum| sum > weight) {
            return false;
        }
        for (class, weight) in weights.iter().filter(|(_, weight)| *weight > 0) {
            *self.by_class.entry((frame, *class)).or_default() += weight;
        }
        // A second time would count it twice.
        self.newest.1 = 0;
        true
    }

    /// The weight of the newest stack that is in no class yet.
    pub(super) fn newest_weight(&self) -> u64 {
        self.newest.1
    }

    /// Whether the profile has classes of iterations.
    pub(super) fn has_classes(&self) -> bool {
        !self.classes.is_empty()
    }

    /// Lets all stacks together stand for this number of samples.
    pub(super) fn set_samples(&mut self, samples: u64) {
        self.samples = samples;
    }

    /// Whether no stack has a weight.
    pub(super) fn is_empty(&self) -> bool {
        self.sum == 0
    }

    /// The profile of all stacks.
    pub fn finish(self) -> Profile {
        let (tree, places) = self.tree.in_order();
        let mut own = vec![0; self.own.len()];
        for (frame, weight) in self.own.into_iter().enumerate() {
            own[places[frame] as usize] = weight;
        }
        let weights = Weights::new(tree.frames(), own);
        let weight_of = |((frame, class), weight)| ClassWeight { frame, class, weight };
        let by_class = self.by_class.into_iter().map(weight_of).collect();
        let classes = IterationClasses { classes: self.classes, weights: by_class };
        let classes = (!classes.classes.is_empty())
            .then(|| classes.renumbered(|frame| places[frame as usize]));
        let Self { samples, iteration, notes, .. } = self;
        Profile { tree, weights, samples, iteration, classes, notes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(builder: &mut ProfileBuilder, stack: &str, weight: u64) -> bool {
        builder.add(stack.split(';'), weight, weight)
    }

    #[test]
    fn callers_have_the_weight_of_all_they_call() {
        let mut builder = ProfileBuilder::default();
        for (stack, weight) in [("b;c", 3), ("a", 1), ("b", 4), ("b;a;b", 5), ("b;c", 10)] {
            assert!(add(&mut builder, stack, weight));
        }
        let profile = builder.finish();
        let names: Vec<&str> =
            (0..profile.tree().frames().len()).map(|it| profile.tree().name(it)).collect();
        assert_eq!(names, ["all", "a", "b", "a", "b", "c"]);
        assert_eq!(profile.weights().own, [0, 1, 4, 0, 5, 13]);
        assert_eq!(profile.weights().total, [23, 1, 22, 5, 5, 13]);
        assert_eq!((profile.total(), profile.samples()), (23, 23));
        assert_eq!([0, 1, 2, 3].map(|frame| profile.tree().end(frame)), [6, 2, 6, 5]);
    }

    #[test]
    fn a_stack_beyond_the_bound_counts_for_its_last_frame_that_fits() {
        let mut builder = ProfileBuilder::with_most_frames(3);
        for stack in ["a;b", "a;c", "a;b;d", "a;b", "x"] {
            assert!(add(&mut builder, stack, 1));
        }
        let profile = builder.finish();
        assert_eq!(profile.weights().own, [1, 1, 3]);
        assert_eq!((profile.total(), profile.notes().stacks_cut), (5, 3));
    }

    #[test]
    fn a_sum_that_is_not_exact_is_refused() {
        let mut builder = ProfileBuilder::default();
        assert!(!add(&mut builder, "a", u64::MAX));
        assert!(add(&mut builder, "a", LARGEST_SUM));
        assert!(!add(&mut builder, "b", 1));
        assert_eq!(builder.finish().total(), LARGEST_SUM);
    }

    #[test]
    fn recursion_of_any_depth_is_a_tree() {
        let mut builder = ProfileBuilder::default();
        assert!(builder.add(std::iter::repeat_n("f", 10_000), 7, 7));
        let profile = builder.finish();
        assert_eq!(profile.tree().frames().len(), 10_001);
        assert_eq!(profile.tree().frames()[10_000].depth, 10_000);
        assert!(profile.weights().total.iter().all(|total| *total == 7));
    }
}
