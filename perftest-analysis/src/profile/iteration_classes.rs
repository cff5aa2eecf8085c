//! The weight of a profile by how long iterations took, so that slow iterations have a profile of their own.

/// Iterations of about the same duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationClass {
    /// The shortest duration of the class.
    pub from_ns: u64,
    /// Iterations while samples were taken, with or without one.
    pub iterations: u64,
}

/// The weight of a frame itself in the iterations of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassWeight {
    /// The number of the frame.
    pub frame: u32,
    /// The place of the class.
    pub class: u32,
    /// A part of the frame's own weight.
    pub weight: u64,
}

/// How the own weights of a profile are spread over fast and slow iterations. What is in no class is of no known
/// iteration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IterationClasses {
    /// The fastest first.
    pub classes: Vec<IterationClass>,
    /// By frame, then by class.
    pub weights: Vec<ClassWeight>,
}

impl IterationClasses {
    /// The same weights with other numbers of the frames.
    pub(super) fn renumbered(&self, number: impl Fn(u32) -> u32) -> Self {
        let mut weights: Vec<ClassWeight> =
            self.weights.iter().map(|it| ClassWeight { frame: number(it.frame), ..*it }).collect();
        weights.sort_unstable();
        Self { classes: self.classes.clone(), weights }
    }

    /// Only the weights of these frames.
    pub(super) fn retained(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let mut weights = self.weights.clone();
        weights.retain(|it| is_kept(it.frame as usize));
        Self { classes: self.classes.clone(), weights }
    }

    /// The weights of one frame.
    pub(super) fn of_frame(&self, frame: usize) -> &[ClassWeight] {
        let begin = self.weights.partition_point(|it| (it.frame as usize) < frame);
        let behind = &self.weights[begin..];
        &behind[..behind.partition_point(|it| it.frame as usize == frame)]
    }
}
