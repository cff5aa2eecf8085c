//! A profile and the file that it is from.

use super::LineReader;
use crate::args::profile::ProfileReading;
use crate::exit::{CommandError, Result};
use perftest_analysis::profile::{Profile, ProfileError, ProfileFormat, ProfileReader};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;

const PIPE: &str = "-";
/// Lines that may be before the first one that shows the format: gdb prints one for each thread.
const MOST_BEFORE: usize = 100_000;

/// A profile with its name.
#[derive(Debug)]
pub(crate) struct ProfileFile {
    pub(crate) name: String,
    pub(crate) profile: Profile,
}

impl ProfileFile {
    /// What limits the use of the profile, each with the name of the file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let notes = self.profile.notes().sentences().into_iter();
        notes.map(|note| format!("{}: {note}", self.name)).collect()
    }
}

/// Reads a profile.
pub(crate) fn read(path: &Path, reading: &ProfileReading) -> Result<ProfileFile> {
    let is_pipe = path == Path::new(PIPE);
    let name = if is_pipe { "standard input".to_owned() } else { path.display().to_string() };
    let wrong = |why: String| CommandError::Usage(format!("{name}: {why}"));
    let format = reading.from.map(ProfileFormat::from);
    let profile = if is_pipe {
        profile(io::stdin().lock(), format)
    } else {
        let file = File::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                "there is no such file. `cargo perftest profile record TEST` records a \
                                    profile of a test"
                    .to_owned()
            }
            _ => unreadable(error),
        });
        file.and_then(|file| profile(BufReader::with_capacity(1 << 16, file), format))
    };
    let profile = profile.map_err(wrong)?;
    let profile = match reading.sample_weight {
        Some(weight) => profile.with_sample_weight(weight),
        None => profile,
    };
    let profile = match &reading.slice {
        Some(prefix) => profile
            .slice(prefix)
            .ok_or_else(|| wrong(format!("no outermost frame begins with `{prefix}`")))?,
        None => profile,
    };
    Ok(ProfileFile { name, profile })
}

fn unreadable(error: io::Error) -> String {
    format!("the file cannot be read: {error}")
}

fn profile(input: impl BufRead, format: Option<ProfileFormat>) -> Result<Profile, String> {
    let wrong = |error: ProfileError| error.to_string();
    let mut lines = LineReader::new(input);
    let (format, before) = match format {
        Some(format) => (format, Vec::new()),
        None => format_of(&mut lines)?,
    };
    let mut reader = ProfileReader::new(format);
    for line in before {
        reader.read_line(&line).map_err(wrong)?;
    }
    while let Some(line) = lines.next().map_err(unreadable)? {
        reader.read_line(&line).map_err(wrong)?;
    }
    if !lines.has_ended {
        reader.last_line_has_no_end();
    }
    reader.finish().map_err(wrong)
}

/// The format, and the lines that were read to find it.
fn format_of<R: BufRead>(
    lines: &mut LineReader<R>,
) -> Result<(ProfileFormat, Vec<String>), String> {
    let mut before = Vec::new();
    while before.len() < MOST_BEFORE {
        let Some(line) = lines.next().map_err(unreadable)? else { break };
        let format = ProfileFormat::of_line(&line);
        before.push(line);
        if let Some(format) = format {
            return Ok((format, before));
        }
    }
    let is_empty = before.iter().all(|line| line.trim().is_empty());
    Err(if is_empty { ProfileError::Empty } else { ProfileError::UnknownFormat }.to_string())
}
