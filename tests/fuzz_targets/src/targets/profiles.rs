//! Files of profilers.

use perftest_analysis::profile::{
    Profile, ProfileError, ProfileFormat, ProfileReader, write_folded_with_remarks,
};

const FORMATS: [ProfileFormat; 3] =
    [ProfileFormat::Folded, ProfileFormat::PerfScript, ProfileFormat::Gdb];

/// A profile in any format is written as folded stacks, which are read as the same profile.
pub(super) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        let _ = ProfileFormat::of_line(line);
    }
    for profile in FORMATS.into_iter().filter_map(|format| read(format, &text).ok()) {
        let written = folded(&profile);
        let again = read(ProfileFormat::Folded, &written)
            .unwrap_or_else(|error| panic!("{error}: {written}"));
        assert_eq!(again.total(), profile.total(), "{written}");
        assert_eq!(folded(&again), written);
    }
}

fn read(format: ProfileFormat, text: &str) -> Result<Profile, ProfileError> {
    let mut reader = ProfileReader::new(format);
    text.split('\n').try_for_each(|line| reader.read_line(line))?;
    reader.finish()
}

fn folded(profile: &Profile) -> String {
    let mut text = Vec::new();
    write_folded_with_remarks(profile, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}
