//! Recorded profiles beside the history, so that the profile of an older build is there when it is asked for.

use super::RecordedProfile;
use crate::compare::SideTest;
use crate::history_directory;
use crate::report::print_progress;
use crate::testbed::Testbed;
use perftest_analysis::profile::{
    Profile, ProfileFormat, ProfileReader, write_folded_with_remarks,
};
use perftest_core::model::{BenchmarkId, CodeState};
use perftest_process::adopt_project;
use perftest_process::protocol::SampledClock;
use perftest_store::{Digest, Project, StoreError, Testbeds, directory, open_stored};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Most bytes of all profiles of a project.
const MOST_BYTES: u64 = 64 << 20;
/// Most profiles of one test on one testbed, by one clock.
const MOST_OF_TEST: usize = 6;
/// Older profiles are removed.
const OLDEST: Duration = Duration::from_secs(180 * 24 * 60 * 60);
/// Most bytes of a profile, unpacked.
const LARGEST: usize = 256 << 20;
/// The unpacked size, before the packed bytes.
const SIZE_BYTES: usize = 8;
const ENDING: &str = "lz4";

/// The profiles of one project, packed. Those that were not used for longest are removed first.
#[derive(Debug)]
pub(crate) struct ProfileStore {
    directory: PathBuf,
    /// The testbed whose profiles these are, then others that share its history.
    testbeds: Vec<String>,
    most_bytes: u64,
}

impl ProfileStore {
    /// The profiles of this machine, and of those that share its history, in the history at `root`. Touches nothing
    /// yet.
    pub(crate) fn of_this_machine(root: &Path, project: &Project, read: &Testbeds) -> Self {
        let testbed = Testbed::of_this_machine().name();
        Self::of_testbed(root, project, &testbed, read)
    }

    /// The same of a machine of this testbed. `read` has the testbeds that share a history.
    pub(crate) fn of_testbed(
        root: &Path,
        project: &Project,
        testbed: &str,
        read: &Testbeds,
    ) -> Self {
        let directory = project.directory(root).join("profiles");
        // The speed is that of a series. A profile is of a machine.
        let testbed = testbed.split('@').next().unwrap_or_default();
        let mut testbeds = vec![testbed.to_owned()];
        testbeds.extend(read.members_of(testbed).into_iter().filter(|it| it != testbed));
        Self { directory, testbeds, most_bytes: MOST_BYTES }
    }

    /// Keeps the profile of a build with this code, in place of an older one. Returns its packed bytes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn keep(
        &self,
        benchmark: &BenchmarkId,
        code: &CodeState,
        recorded: &RecordedProfile,
    ) -> Result<u64, StoreError> {
        let mut text = Vec::new();
        let path = self.own_file(benchmark, recorded.clock, code);
        let writing = |error| StoreError::writing(&path, error);
        write_folded_with_remarks(&recorded.profile, &mut text).map_err(writing)?;
        let mut packed = (text.len() as u64).to_le_bytes().to_vec();
        packed.extend(lz4_flex::block::compress(&text));
        directory::replace(&path, &packed).map_err(writing)?;
        self.prune(&path);
        Ok(packed.len() as u64)
    }

    /// The profile of a build with this code; `None` if there is none that can be read.
    pub(crate) fn find(
        &self,
        benchmark: &BenchmarkId,
        clock: SampledClock,
        code: &CodeState,
    ) -> Option<Profile> {
        self.files_of(benchmark, clock, code).find_map(|path| profile_of(&read(&path).ok()?))
    }

    /// Lets this profile count as new: what is in use is removed last. A history that cannot be written stays as it is.
    pub(crate) fn renew(&self, benchmark: &BenchmarkId, clock: SampledClock, code: &CodeState) {
        for path in self.files_of(benchmark, clock, code) {
            let file = File::options().append(true).open(path);
            let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        }
    }

    /// When the newest profile of the test was kept, of any build; `None` if there is none.
    pub(crate) fn newest(
        &self,
        benchmark: &BenchmarkId,
        clock: SampledClock,
    ) -> Option<SystemTime> {
        let any = CodeState::default();
        let files = self.files_of(benchmark, clock, &any);
        let series: Vec<String> = files.map(|path| series_of(&path)).collect();
        let files = self.files().into_iter();
        let of_test = files.filter(|(.., path)| series.contains(&series_of(path)));
        of_test.map(|(written, ..)| written).max()
    }

    /// Whether the profile of a build with this code is kept.
    pub(crate) fn has(
        &self,
        benchmark: &BenchmarkId,
        clock: SampledClock,
        code: &CodeState,
    ) -> bool {
        self.files_of(benchmark, clock, code).any(|path| path.exists())
    }

    /// One file a testbed, test, clock and build: `TEST-CLOCK-BUILD.lz4`. The build is the executable, with the programs
    /// that the test starts.
    fn files_of(
        &self,
        benchmark: &BenchmarkId,
        clock: SampledClock,
        code: &CodeState,
    ) -> impl Iterator<Item = PathBuf> {
        let programs = code.programs.iter().flat_map(|it| ["\n", &it.file, " ", &it.executable]);
        let build: String = [code.executable.as_str()].into_iter().chain(programs).collect();
        let build = Digest::of(build.as_bytes()).hex16();
        self.testbeds.iter().map(move |testbed| {
            let test = Digest::of(format!("{testbed}\n{benchmark}").as_bytes()).hex16();
            self.directory.join(format!("{test}-{}-{build}.{ENDING}", clock.name()))
        })
    }

    /// The file in which a profile of this testbed itself is kept.
    fn own_file(&self, benchmark: &BenchmarkId, clock: SampledClock, code: &CodeState) -> PathBuf {
        self.files_of(benchmark, clock, code).next().unwrap_or_default()
    }

    /// Adds the profiles of all machines that another project keeps, with their times. Returns their number.
    ///
    /// # Errors
    /// When one cannot be read or written.
    pub(crate) fn adopt(&self, other: &Self) -> Result<usize, StoreError> {
        let mut adopted = 0;
        for (written, _, path) in other.files() {
            let target = self.directory.join(path.file_name().unwrap_or_default());
            if target.exists() {
                continue;
            }
            let packed = read(&path).map_err(|error| StoreError::reading(&path, error))?;
            let writing = |error| StoreError::writing(&target, error);
            directory::replace(&target, &packed).map_err(writing)?;
            let file = File::options().append(true).open(&target).map_err(writing)?;
            file.set_modified(written).map_err(writing)?;
            adopted += 1;
        }
        self.prune(Path::new(""));
        Ok(adopted)
    }

    /// Removes what is too old, or beyond the limits, but never `newest`. What cannot be removed is tried again
    /// the next time.
    fn prune(&self, newest: &Path) {
        let mut files = self.files();
        files.sort_by(|(a, ..), (b, ..)| b.cmp(a));
        let (mut kept, mut bytes) = (Vec::<String>::new(), 0);
        for (written, size, path) in files {
            let series = series_of(&path);
            let of_test = kept.iter().filter(|it| **it == series).count();
            let is_old = written.elapsed().is_ok_and(|age| age > OLDEST);
            let fits = of_test < MOST_OF_TEST && bytes + size <= self.most_bytes && !is_old;
            if fits || path == newest {
                kept.push(series);
                bytes += size;
            } else if let Err(error) = fs::remove_file(&path)
                && error.kind() != ErrorKind::NotFound
            {
                return;
            }
        }
    }

    /// All profiles: when each was written, its bytes and its file.
    fn files(&self) -> Vec<(SystemTime, u64, PathBuf)> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let files = entries.filter_map(|entry| {
            let about = entry.metadata().ok()?;
            let path = entry.path();
            let is_ours = path.extension().is_some_and(|it| it == ENDING);
            is_ours.then_some((about.modified().ok()?, about.len(), path))
        });
        files.collect()
    }
}

/// The name without the build: test and clock.
fn series_of(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or_else(String::new, |(series, _)| series.to_owned())
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    open_stored(path, File::options().read(true))?.read_to_end(&mut packed)?;
    Ok(packed)
}

fn profile_of(packed: &[u8]) -> Option<Profile> {
    let (size, packed) = packed.split_first_chunk::<SIZE_BYTES>()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok().filter(|size| *size <= LARGEST)?;
    let text = lz4_flex::block::decompress(packed, size).ok()?;
    let mut reader = ProfileReader::new(ProfileFormat::Folded);
    for line in String::from_utf8(text).ok()?.lines() {
        reader.read_line(line).ok()?;
    }
    reader.finish().ok()
}

impl RecordedProfile {
    /// Keeps a whole profile of `test` with the history, if there is one. A history that cannot be written is no
    /// reason to fail.
    pub(crate) fn keep(&self, test: &SideTest, store: Option<PathBuf>) {
        if let Ok(code) = test.code() {
            self.keep_of(test, &code, store);
        }
    }

    /// Keeps a whole profile of `test` in a build with this code.
    pub(crate) fn keep_of(&self, test: &SideTest, code: &CodeState, store: Option<PathBuf>) {
        if !self.is_whole {
            return;
        }
        let Ok(root) = history_directory::writable(store) else { return };
        let project = adopt_project(&root, &test.executable.directory);
        let profiles = ProfileStore::of_this_machine(&root, &project, &Testbeds::default());
        if let Err(error) = profiles.keep(&test.listed.benchmark, code, self) {
            print_progress(&format_args!(
                "warning: the profile is not kept with the history: {error}"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_analysis::profile::ProfileBuilder;
    use perftest_core::model::ProgramCode;
    use perftest_process::protocol::SamplingReport;
    use perftest_store::{TestbedChange, TestbedDecision};

    fn store(directory: &Path, most_bytes: u64) -> ProfileStore {
        let testbeds = vec!["local/1".to_owned()];
        ProfileStore { directory: directory.to_owned(), testbeds, most_bytes }
    }

    fn recorded(clock: SampledClock, weight: u64) -> RecordedProfile {
        let mut builder = ProfileBuilder::default();
        assert!(builder.add(["main", "encode"], weight, 3));
        builder.add_remarks(["half is missing.".to_owned()]);
        let report = SamplingReport::default();
        RecordedProfile {
            test: "t".into(),
            clock,
            profile: builder.finish(),
            report,
            is_whole: true,
        }
    }

    fn benchmark(name: &str) -> BenchmarkId {
        BenchmarkId::from_recorded(name.to_owned())
    }

    /// A build with this executable.
    fn build(executable: &str) -> CodeState {
        CodeState { executable: executable.to_owned(), ..CodeState::default() }
    }

    #[test]
    fn a_kept_profile_is_found_by_test_clock_and_executable() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory.path().join("profiles"), MOST_BYTES);
        let encode = benchmark("codec::encode");
        store.keep(&encode, &build("abc"), &recorded(SampledClock::Wall, 7_000)).unwrap();
        let found = store.find(&encode, SampledClock::Wall, &build("abc")).unwrap();
        assert_eq!((found.total(), found.samples()), (7_000, 3));
        assert_eq!(found.notes().sentences(), ["half is missing."]);
        assert!(store.find(&encode, SampledClock::Cpu, &build("abc")).is_none());
        assert!(store.find(&encode, SampledClock::Wall, &build("abd")).is_none());
        assert!(store.find(&benchmark("codec"), SampledClock::Wall, &build("abc")).is_none());
        assert!(store.has(&encode, SampledClock::Wall, &build("abc")));
        assert!(!store.has(&encode, SampledClock::Wall, &build("abd")));
        assert!(store.newest(&encode, SampledClock::Wall).is_some());
        assert_eq!(store.newest(&encode, SampledClock::Cpu), None);
        assert_eq!(store.newest(&benchmark("codec"), SampledClock::Wall), None);
    }

    #[test]
    fn one_executable_with_other_programs_has_another_profile() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path(), MOST_BYTES);
        let starts = benchmark("codec::start");
        let [old, new] = ["old", "new"].map(|program| {
            let program = ProgramCode { file: "tool".to_owned(), executable: program.to_owned() };
            CodeState { programs: vec![program], ..build("abc") }
        });
        store.keep(&starts, &old, &recorded(SampledClock::Wall, 7_000)).unwrap();
        let has = |code: &CodeState| store.has(&starts, SampledClock::Wall, code);
        assert_eq!([&old, &new, &build("abc")].map(has), [true, false, false]);
    }

    #[test]
    fn the_oldest_profiles_go_first_and_the_newest_stays_whatever_its_size() {
        let directory = tempfile::tempdir().unwrap();
        let keep = |store: &ProfileStore, executable: u64| {
            let build = build(&executable.to_string());
            let bytes = store.keep(&benchmark("t"), &build, &recorded(SampledClock::Wall, 5));
            // One a minute.
            let path = store.own_file(&benchmark("t"), SampledClock::Wall, &build);
            let then = SystemTime::now() - Duration::from_secs(60 * (100 - executable));
            File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
            bytes.unwrap()
        };
        let all = store(directory.path(), MOST_BYTES);
        let is_kept = |executable: u64| {
            let build = build(&executable.to_string());
            all.find(&benchmark("t"), SampledClock::Wall, &build).is_some()
        };
        let bytes = (1..=8).map(|executable| keep(&all, executable)).max().unwrap();
        assert_eq!([1, 2, 3, 8].map(is_kept), [false, false, true, true]);
        keep(&store(directory.path(), 2 * bytes), 9);
        assert_eq!([7, 8, 9].map(is_kept), [false, true, true]);
        keep(&store(directory.path(), 1), 10);
        assert_eq!([8, 9, 10].map(is_kept), [false, false, true]);
    }

    #[test]
    fn a_profile_is_found_under_the_name_by_which_its_testbed_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let project = Project::of_identity("codec");
        let store = |testbed: &str, read: &Testbeds| {
            ProfileStore::of_testbed(directory.path(), &project, testbed, read)
        };
        let encode = benchmark("codec::encode");
        let old = store("ci/bbbb", &Testbeds::default());
        old.keep(&encode, &build("abc"), &recorded(SampledClock::Wall, 7_000)).unwrap();
        let is_kept = |testbed: &str, read: &Testbeds| {
            let store = store(testbed, read);
            let is_kept = store.has(&encode, SampledClock::Wall, &build("abc"));
            assert_eq!(store.find(&encode, SampledClock::Wall, &build("abc")).is_some(), is_kept);
            assert_eq!(store.newest(&encode, SampledClock::Wall).is_some(), is_kept);
            is_kept
        };
        assert!(!is_kept("ci/aaaa", &Testbeds::default()));
        let decision = TestbedDecision {
            id: String::new(),
            testbed: "ci/bbbb".into(),
            change: TestbedChange::ReadAs("ci/aaaa".into()),
            given_ms: 1,
        };
        let read = Testbeds::of(&[decision]);
        for testbed in ["ci/aaaa", "ci/bbbb", "ci/aaaa@3.1GHz-10.2us"] {
            assert!(is_kept(testbed, &read), "{testbed}");
        }
        assert!(!is_kept("ci/cccc", &read));
        // A machine keeps its own profiles under its own name.
        let merged = store("ci/aaaa", &read);
        merged.keep(&encode, &build("abd"), &recorded(SampledClock::Wall, 5)).unwrap();
        assert!(!store("ci/bbbb", &Testbeds::default()).has(
            &encode,
            SampledClock::Wall,
            &build("abd")
        ));
    }

    #[test]
    fn another_project_gets_the_profiles_of_all_machines_with_their_times_and_loses_none_of_its_own()
     {
        let root = tempfile::tempdir().unwrap();
        let [former, now] = ["former", "now"].map(Project::of_identity);
        let store = |project: &Project, testbed: &str| {
            ProfileStore::of_testbed(root.path(), project, testbed, &Testbeds::default())
        };
        let test = benchmark("t");
        let keep = |store: &ProfileStore, weight| {
            store.keep(&test, &build("abc"), &recorded(SampledClock::Wall, weight)).unwrap();
        };
        keep(&store(&former, "local/1"), 5);
        keep(&store(&former, "local/2"), 6);
        keep(&store(&now, "local/2"), 7);
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        let path = store(&former, "local/1").own_file(&test, SampledClock::Wall, &build("abc"));
        File::options().append(true).open(path).unwrap().set_modified(hour_ago).unwrap();
        let adopt = || store(&now, "local/3").adopt(&store(&former, "local/3")).unwrap();
        assert_eq!((adopt(), adopt()), (1, 0));
        let weight = |testbed| {
            store(&now, testbed).find(&test, SampledClock::Wall, &build("abc")).map(|it| it.total())
        };
        assert_eq!((weight("local/1"), weight("local/2")), (Some(5), Some(7)));
        let newest = store(&now, "local/1").newest(&test, SampledClock::Wall).unwrap();
        assert!(newest < SystemTime::now() - Duration::from_secs(1800));
        let none = Project::of_identity("none");
        assert_eq!(store(&now, "local/1").adopt(&store(&none, "local/1")).unwrap(), 0);
    }

    #[test]
    fn a_damaged_profile_is_none() {
        for packed in [&b""[..], &[0; 7], &[0; 8], &[255; 40], &[9, 0, 0, 0, 0, 0, 0, 0, 1, 2]] {
            assert!(profile_of(packed).is_none(), "{packed:?}");
        }
    }
}
