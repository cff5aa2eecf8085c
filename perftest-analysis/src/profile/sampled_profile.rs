//! A profile: a tree of stacks and where its weight is.

use super::{IterationClasses, IterationTime, ProfileNotes, StackTree, Weights};

/// Where the weight of one profile is.
#[derive(Debug, Clone)]
pub struct Profile {
    pub(super) tree: StackTree,
    pub(super) weights: Weights,
    pub(super) samples: u64,
    pub(super) iteration: Option<IterationTime>,
    pub(super) classes: Option<IterationClasses>,
    pub(super) notes: ProfileNotes,
}

impl Profile {
    /// The stacks.
    pub fn tree(&self) -> &StackTree {
        &self.tree
    }

    /// The weight of each frame.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The weight of all stacks together.
    pub fn total(&self) -> u64 {
        self.weights.total[0]
    }

    /// How many samples the weight stands for.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// How long an iteration takes, where the profile is of a test.
    pub fn iteration(&self) -> Option<IterationTime> {
        self.iteration
    }

    /// The weights of fast and of slow iterations, where the profile has them apart.
    pub fn classes(&self) -> Option<&IterationClasses> {
        self.classes.as_ref()
    }

    /// The same profile, with samples of this weight each.
    #[must_use]
    pub fn with_sample_weight(mut self, weight: u64) -> Self {
        self.samples = (self.total() / weight.max(1)).max(1);
        self
    }

    /// Only the stacks whose outermost frame begins like this, such as those of one thread; `None` where there
    /// are none.
    pub fn slice(&self, prefix: &str) -> Option<Self> {
        let mut is_inside = false;
        let inside = self.tree.frames.iter().enumerate().map(|(frame, at)| {
            if at.depth <= 1 {
                is_inside = at.depth == 1 && self.tree.name(frame).starts_with(prefix);
            }
            is_inside
        });
        let inside: Vec<bool> = inside.collect();
        let own = self.weights.own.iter().zip(&inside);
        let own = own.map(|(own, is_inside)| if *is_inside { *own } else { 0 }).collect();
        let classes = self.classes.as_ref().map(|it| it.retained(|frame| inside[frame]));
        let weights = Weights::new(&self.tree.frames, own);
        let share = weights.total[0] as f64 / self.total() as f64;
        let samples = ((self.samples as f64 * share).round() as u64).max(1);
        (weights.total[0] > 0).then(|| Self { weights, samples, classes, ..self.clone() })
    }

    /// What limits the use of this profile.
    pub fn notes(&self) -> &ProfileNotes {
        &self.notes
    }
}
