//! Lines of a file become a profile.

use super::{
    FoldedLines, GdbLines, PerfLines, Profile, ProfileBuilder, ProfileError, ProfileFormat,
};

/// Takes a file line by line, so that only the profile itself is in memory.
///
/// ```
/// use perftest_analysis::profile::{ProfileFormat, ProfileReader};
/// let mut reader = ProfileReader::new(ProfileFormat::Folded);
/// for line in ["main;parse 3", "main;write 1"] {
///     reader.read_line(line)?;
/// }
/// assert_eq!(reader.finish()?.total(), 4);
/// # Ok::<(), perftest_analysis::profile::ProfileError>(())
/// ```
pub struct ProfileReader {
    format: ProfileFormat,
    lines: Box<dyn StackLines>,
    profile: ProfileBuilder,
    line: u64,
    read: u64,
    why: &'static str,
}

impl ProfileReader {
    /// A reader before the first line.
    pub fn new(format: ProfileFormat) -> Self {
        let lines: Box<dyn StackLines> = match format {
            ProfileFormat::Folded => Box::<FoldedLines>::default(),
            ProfileFormat::PerfScript => Box::<PerfLines>::default(),
            ProfileFormat::Gdb => Box::<GdbLines>::default(),
        };
        Self { format, lines, profile: ProfileBuilder::default(), line: 0, read: 0, why: "" }
    }

    /// Takes the next line, without its end.
    ///
    /// # Errors
    /// When the weights add up to more than can be counted. A line that cannot be read is counted.
    pub fn read_line(&mut self, line: &str) -> Result<(), ProfileError> {
        self.line += 1;
        let result = self.lines.read_line(line, &mut self.profile);
        self.count(result)
    }

    /// Notes that the last line has no end.
    pub fn last_line_has_no_end(&mut self) {
        self.profile.notes.ends_early = true;
    }

    /// The profile of all lines.
    ///
    /// # Errors
    /// When there is no stack, or more lines are unreadable than readable.
    pub fn finish(mut self) -> Result<Profile, ProfileError> {
        let result = self.lines.finish(&mut self.profile);
        self.count(result)?;
        let notes = &self.profile.notes;
        match notes.first_unreadable {
            Some(line) if notes.unreadable_lines > self.read => {
                Err(ProfileError::Unreadable { format: self.format, line, why: self.why })
            }
            _ if self.line == 0 => Err(ProfileError::Empty),
            _ if self.profile.is_empty() => Err(ProfileError::NoStacks(self.format)),
            _ => Ok(self.profile.finish()),
        }
    }

    fn count(&mut self, result: LineResult) -> Result<(), ProfileError> {
        match result {
            LineResult::Read => self.read += 1,
            LineResult::Ignored => {}
            LineResult::Unreadable(why) => {
                let notes = &mut self.profile.notes;
                notes.unreadable_lines += 1;
                if notes.first_unreadable.is_none() {
                    notes.first_unreadable = Some(self.line);
                    self.why = why;
                }
            }
            LineResult::TooHeavy => return Err(ProfileError::TooHeavy { line: self.line }),
        }
        Ok(())
    }
}

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineResult {
    /// Part of the profile.
    Read,
    /// None of the profile's business.
    Ignored,
    /// No line of this format; what is wrong with it fits after "line 12".
    Unreadable(&'static str),
    /// The weights are more than can be counted.
    TooHeavy,
}

/// A reader of one format.
pub(super) trait StackLines {
    /// Takes the next line, without its end.
    fn read_line(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult;

    /// Takes the end of the file.
    fn finish(&mut self, profile: &mut ProfileBuilder) -> LineResult;
}
