//! What limits the use of a profile.

/// What was found while a profile was read. A reader of the profile should see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileNotes {
    /// Sentences of the profiler itself.
    pub remarks: Vec<String>,
    /// Lines that could not be read.
    pub unreadable_lines: u64,
    /// The first of them, from 1.
    pub first_unreadable: Option<u64>,
    /// The file ends in the middle of a line or of a stack.
    pub ends_early: bool,
    /// Every line of folded stacks ends in two numbers, as a difference of two profiles does.
    pub has_two_weights: bool,
    /// Stacks that are cut because the profile has too many different ones.
    pub stacks_cut: u64,
    /// Names that are cut because they are too long.
    pub names_cut: u64,
    /// Samples of other events than the first one of the file, which are left out.
    pub other_events: u64,
    /// Stacks that the profiler itself could not follow to their beginning.
    pub incomplete_stacks: u64,
}

impl ProfileNotes {
    /// The remark on this share of the time, in words, without debug information ends so.
    pub const WITHOUT_DEBUG_INFORMATION: &str = " of the time is in stacks without debug information: inlined functions count for their callers.";
    /// The remark on a stripped executable has this behind its name.
    pub const STRIPPED: &str = " is stripped: its functions have no names.";

    /// The share of the time in which inlined functions have no frames, as far as a remark has it.
    pub fn share_without_inlined(&self) -> f64 {
        let share = |remark: &String| {
            if remark.contains(Self::STRIPPED) {
                return Some(1.0);
            }
            let (percent, _) = remark.split_once(Self::WITHOUT_DEBUG_INFORMATION)?;
            Some(percent.strip_suffix('%')?.parse::<f64>().ok()? / 100.0)
        };
        self.remarks.iter().find_map(share).unwrap_or(0.0)
    }

    /// One sentence a note.
    pub fn sentences(&self) -> Vec<String> {
        let first = self.first_unreadable.unwrap_or(0);
        let notes = [
            (
                self.unreadable_lines,
                format!(
                    "lines that cannot be read: {}, the first is line {first}",
                    self.unreadable_lines
                ),
            ),
            (
                u64::from(self.ends_early),
                "the file ends in the middle of a line or stack: its end may be missing".into(),
            ),
            (
                u64::from(self.has_two_weights),
                "every line ends in two numbers, and only the last one counts: give the two profiles, not \
                 their difference"
                    .into(),
            ),
            (
                self.stacks_cut,
                format!(
                    "stacks cut because there are too many different ones: {}",
                    self.stacks_cut
                ),
            ),
            (
                self.names_cut,
                format!("frames whose names are cut after 2000 characters: {}", self.names_cut),
            ),
            (
                self.other_events,
                format!(
                    "samples left out because they are not of the file's first event: {}",
                    self.other_events
                ),
            ),
            (
                self.incomplete_stacks,
                format!(
                    "stacks that the profiler could not follow to their beginning: {}",
                    self.incomplete_stacks
                ),
            ),
        ];
        let counted =
            notes.into_iter().filter(|(count, _)| *count > 0).map(|(_, sentence)| sentence);
        // A file that was written with its notes may have them again.
        let new = counted.filter(|sentence| !self.remarks.contains(sentence));
        self.remarks.iter().cloned().chain(new).collect()
    }
}
