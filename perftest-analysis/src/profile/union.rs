//! Two profiles in one tree.

use super::{
    GrowingTree, IterationClasses, IterationTime, Profile, ROOT, SampledTime, StackTree,
    TimeChange, Weights,
};

/// One side of a union.
#[derive(Debug, Clone)]
pub struct UnionSide {
    /// The weight of each frame of the union; 0 where this profile does not have it.
    pub weights: Weights,
    /// How many samples the weight stands for.
    pub samples: u64,
    /// How long an iteration takes, where the profile is of a test.
    pub iteration: Option<IterationTime>,
    /// The weights of fast and of slow iterations, where the profile has them apart.
    pub classes: Option<IterationClasses>,
}

impl UnionSide {
    /// The weight of all stacks together.
    pub fn total(&self) -> u64 {
        self.weights.total[0]
    }

    /// The time per iteration of a weight; `None` where the profile does not have the time of an iteration.
    pub fn time(&self, weight: u64) -> Option<SampledTime> {
        Some(self.iteration?.of_weight(weight, self.total(), self.samples))
    }

    /// The share of a frame in the whole profile.
    pub fn share(&self, frame: usize) -> f64 {
        self.weights.total[frame] as f64 / self.total().max(1) as f64
    }
}

/// Every frame of the base profile, of the new one or of both.
#[derive(Debug, Clone)]
pub struct ProfileUnion {
    tree: StackTree,
    sides: [UnionSide; 2],
}

impl ProfileUnion {
    /// One profile as both sides.
    pub fn of_one(profile: Profile) -> Self {
        let Profile { tree, weights, samples, iteration, classes, .. } = profile;
        let side = UnionSide { weights, samples, iteration, classes };
        Self { tree, sides: [side.clone(), side] }
    }

    /// Lays both profiles over each other.
    pub fn of(base: &Profile, new: &Profile) -> Self {
        let mut all = GrowingTree::new();
        let both = [base, new].map(|profile| (profile, add(profile.tree(), &mut all)));
        let (tree, places) = all.in_order();
        let sides = both.map(|(profile, here)| {
            let place = |frame: usize| places[here[frame] as usize];
            let mut own = vec![0; places.len()];
            for (frame, weight) in profile.weights().own.iter().enumerate() {
                own[place(frame) as usize] = *weight;
            }
            let classes = profile.classes();
            UnionSide {
                weights: Weights::new(tree.frames(), own),
                samples: profile.samples(),
                iteration: profile.iteration(),
                classes: classes.map(|it| it.renumbered(|frame| place(frame as usize))),
            }
        });
        Self { tree, sides }
    }

    /// The stacks of both.
    pub fn tree(&self) -> &StackTree {
        &self.tree
    }

    /// The base profile, then the new one.
    pub fn sides(&self) -> &[UnionSide; 2] {
        &self.sides
    }

    /// How the time per iteration changed from a weight of the base to one of the new profile; `None` where one
    /// of them does not have the time of an iteration.
    pub fn time_change(&self, [base, new]: [u64; 2]) -> Option<TimeChange> {
        let [base_side, new_side] = &self.sides;
        Some(TimeChange::of(base_side.time(base)?, new_side.time(new)?))
    }

    /// The same frames with other weights. Samples are as many as stand for the weight that is left.
    pub(super) fn with_weights(&self, other: impl Fn(&Weights) -> Weights) -> Self {
        let sides = self.sides.each_ref().map(|side| {
            let weights = other(&side.weights);
            let left = weights.total[0] as f64 / side.total().max(1) as f64;
            let samples = (side.samples as f64 * left).round() as u64;
            UnionSide { weights, samples, ..side.clone() }
        });
        Self { tree: self.tree.clone(), sides }
    }

    /// The change of a frame's share in the whole profile, in points from -1 to 1.
    pub fn absolute_change(&self, frame: usize) -> f64 {
        let [base, new] = &self.sides;
        new.share(frame) - base.share(frame)
    }
}

/// Adds a tree to another one. Returns the numbers of its frames there.
fn add(tree: &StackTree, to: &mut GrowingTree) -> Vec<u32> {
    let names: Vec<u32> = tree.names().iter().map(|name| to.number(name)).collect();
    let mut there = vec![ROOT];
    for at in &tree.frames()[1..] {
        there.push(to.callee(there[at.parent as usize], names[at.name as usize]));
    }
    there
}
