//! What a sampled process works on: batch, stage and tag. Plain words, so that a signal handler may read them.
//!
//! Outside of a sampled process nothing is written here.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

static IS_SAMPLED: AtomicBool = AtomicBool::new(false);
/// Number of the first iteration of the running batch.
static ITERATION: AtomicU64 = AtomicU64::new(0);
static BATCH_BEGAN_NS: AtomicU64 = AtomicU64::new(0);
static STAGE: AtomicU64 = AtomicU64::new(0);
static STAGE_NAMES: Names = Names::new();
static TAG_NAMES: Names = Names::new();

thread_local! {
    /// Number and value of the tag of this thread. Constant and without a destructor, so a signal handler may
    /// read them.
    static TAG: [AtomicU64; 2] = const { [AtomicU64::new(0), AtomicU64::new(0)] };
}

/// The words of one sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SampledState {
    pub(super) iteration: u64,
    pub(super) batch_began_ns: u64,
    pub(super) stage: u64,
    pub(super) tag: u64,
    pub(super) tag_value: u64,
}

impl SampledState {
    /// The state of the calling thread. Allocates and locks nothing.
    pub(super) fn now() -> Self {
        let [tag, tag_value] = TAG
            .try_with(|tag| [0, 1].map(|word: usize| tag[word].load(Ordering::Relaxed)))
            .unwrap_or_default();
        Self {
            iteration: ITERATION.load(Ordering::Relaxed),
            batch_began_ns: BATCH_BEGAN_NS.load(Ordering::Relaxed),
            stage: STAGE.load(Ordering::Relaxed),
            tag,
            tag_value,
        }
    }
}

/// Begins to write the state: this process is sampled.
pub(crate) fn begin_state() {
    IS_SAMPLED.store(true, Ordering::Relaxed);
}

/// Notes that a batch begins with this iteration.
pub(super) fn note_batch(iteration: u64, now_ns: u64) {
    ITERATION.store(iteration, Ordering::Relaxed);
    BATCH_BEGAN_NS.store(now_ns, Ordering::Relaxed);
}

/// The names of the stages and of the tags so far, in the order of their numbers.
pub(super) fn names() -> [Vec<&'static str>; 2] {
    [&STAGE_NAMES, &TAG_NAMES]
        .map(|names| names.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

fn is_sampled() -> bool {
    IS_SAMPLED.load(Ordering::Relaxed)
}

/// The stage that runs while this exists.
#[derive(Debug)]
pub(crate) struct StageMark {
    /// The number of the stage around it; `None` outside of a sampled process.
    around: Option<u64>,
}

impl StageMark {
    /// Marks the stage of this name.
    pub(crate) fn enter(name: &'static str) -> Self {
        let around = is_sampled().then(|| STAGE.swap(STAGE_NAMES.number(name), Ordering::Relaxed));
        Self { around }
    }
}

impl Drop for StageMark {
    fn drop(&mut self) {
        if let Some(around) = self.around {
            STAGE.store(around, Ordering::Relaxed);
        }
    }
}

/// What this thread works on while the mark exists.
#[derive(Debug)]
pub(crate) struct TagMark {
    /// The tag around it; `None` outside of a sampled process.
    around: Option<[u64; 2]>,
}

impl TagMark {
    /// Marks the tag of this name and value.
    pub(crate) fn enter(name: &'static str, value: u64) -> Self {
        if !is_sampled() {
            return Self { around: None };
        }
        Self { around: Some(swap_tag([TAG_NAMES.number(name), value])) }
    }
}

impl Drop for TagMark {
    fn drop(&mut self) {
        if let Some(around) = self.around {
            swap_tag(around);
        }
    }
}

/// Sets the tag of this thread and returns the one before. The number is 0 meanwhile, so that no sample has the
/// name of one tag and the value of another.
fn swap_tag([number, value]: [u64; 2]) -> [u64; 2] {
    TAG.with(|tag| {
        let before_number = tag[0].swap(0, Ordering::Relaxed);
        let before_value = tag[1].swap(value, Ordering::Relaxed);
        tag[0].store(number, Ordering::Relaxed);
        [before_number, before_value]
    })
}

/// Names by number.
#[derive(Debug)]
struct Names(Mutex<Vec<&'static str>>);

impl Names {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The number of a name, from 1.
    fn number(&self, name: &'static str) -> u64 {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        place as u64 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_and_a_stage_last_as_long_as_their_marks() {
        let outside = TagMark::enter("request", 1);
        assert_eq!((outside.around, SampledState::now().tag), (None, 0), "not sampled");
        begin_state();
        let name_of_tag = |state: SampledState| {
            (state.tag > 0).then(|| (names()[1][state.tag as usize - 1], state.tag_value))
        };
        let outer = TagMark::enter("request", 7);
        assert_eq!(name_of_tag(SampledState::now()), Some(("request", 7)));
        let inner = TagMark::enter("row", 8);
        assert_eq!(name_of_tag(SampledState::now()), Some(("row", 8)));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| SampledState::now().tag);
            assert_eq!(other.join().unwrap(), 0, "another thread works on something else");
        });
        drop(inner);
        assert_eq!(name_of_tag(SampledState::now()), Some(("request", 7)));
        drop(outer);
        assert_eq!(SampledState::now().tag, 0);
        // Stages belong to the process, in which other tests have some, too.
        let stage = StageMark::enter("lex");
        assert!(stage.around.is_some() && names()[0].contains(&"lex"));
    }
}
