//! The order of frames: depth first, callees by name.

use super::{StackFrame, StackTree};
use std::sync::Arc;

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
