//! Functions summed over all branches of a tree.

use super::{ProfileUnion, SampledShare, ShareChange, StackTree, TimeChange, Weights};
use perftest_core::stats::normal_quantile;
use std::sync::Arc;

/// The weight of one function, wherever it was called from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FunctionWeights {
    /// It was on top of the stack.
    pub own: u64,
    /// It was on the stack; recursion counts once.
    pub total: u64,
}

/// Sums up the frames of each name.
pub fn function_weights(tree: &StackTree, weights: &Weights) -> Vec<FunctionWeights> {
    let mut all = vec![FunctionWeights::default(); tree.names().len()];
    // How often each name is among the callers, and who they are.
    let mut active = vec![0_u32; tree.names().len()];
    let mut callers: Vec<u32> = Vec::new();
    for (frame, at) in tree.frames().iter().enumerate().skip(1) {
        for caller in callers.drain(at.depth as usize - 1..) {
            active[caller as usize] -= 1;
        }
        let function = &mut all[at.name as usize];
        function.own += weights.own[frame];
        if active[at.name as usize] == 0 {
            function.total += weights.total[frame];
        }
        active[at.name as usize] += 1;
        callers.push(at.name);
    }
    all
}

/// One function in two profiles.
#[derive(Debug, Clone)]
pub struct FunctionChange {
    /// Its name.
    pub name: Arc<str>,
    /// Its weight in the base profile and in the new one.
    pub weights: [FunctionWeights; 2],
    /// Of the function itself.
    pub own: ShareChange,
    /// Of the function and all that it called.
    pub total: ShareChange,
    /// Time of the function itself per iteration, where both profiles have the time of an iteration.
    pub own_time: Option<TimeChange>,
}

impl FunctionChange {
    /// All functions of both profiles. What grew most is first.
    pub fn all(union: &ProfileUnion) -> Vec<Self> {
        let sides = union.sides();
        let [base, new] =
            sides.each_ref().map(|side| function_weights(union.tree(), &side.weights));
        let share = |side: usize, weight: u64| {
            SampledShare::new(weight, sides[side].total(), sides[side].samples)
        };
        let functions = union.tree().names().iter().zip(base.into_iter().zip(new));
        let mut all: Vec<Self> = functions
            .filter(|(_, (base, new))| base.total > 0 || new.total > 0)
            .map(|(name, (base, new))| Self {
                name: Arc::clone(name),
                weights: [base, new],
                own: ShareChange::of(share(0, base.own), share(1, new.own)),
                total: ShareChange::of(share(0, base.total), share(1, new.total)),
                own_time: union.time_change([base.own, new.own]),
            })
            .collect();
        all.sort_by(|one, other| {
            let by_change = other.own.change.estimate.total_cmp(&one.own.change.estimate);
            by_change.then_with(|| one.name.cmp(&other.name))
        });
        all
    }
}

/// The |z| from which a change is no accident, with all functions that have weight of their own tested at once:
/// with a probability of 95% no unchanged function is beyond it (Bonferroni).
pub fn culprit_threshold(union: &ProfileUnion) -> f64 {
    let mut tested = vec![false; union.tree().names().len()];
    for side in union.sides() {
        for (at, own) in union.tree().frames().iter().zip(&side.weights.own) {
            tested[at.name as usize] |= *own > 0;
        }
    }
    let count = tested.into_iter().filter(|it| *it).count();
    normal_quantile(1.0 - 0.025 / count.max(1) as f64)
}
