//! `cargo perftest flamegraph`: a page that shows one profile, or the difference of two.

use crate::args::profile::FlamegraphArgs as Args;
use crate::cargo::metadata;
use crate::compare::SideTest;
use crate::exit::{CommandError, Result, refuse};
use crate::history_directory::here;
use crate::opener::show;
use crate::profile::{ProfileFile, UnionFile, read, write_page};
use crate::profiler::{
    KeptBase, RecordedProfile, Recorder, SampledBuild, find_in_place, find_in_revisions, is_run_id,
};
use crate::report::{print_progress, write_line};
use crate::report_file::ReportFile;
use perftest_analysis::profile::Profile;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What `--diff` calls the newest good build that the history keeps.
const LAST_GOOD: &str = "last-good";

pub(crate) fn run(args: &Args, store: Option<PathBuf>, out: &mut dyn Write) -> Result<()> {
    let unwritable = |error: io::Error| CommandError::Usage(format!("cannot write {error}"));
    // An unwritable page is an error before any waiting.
    let path = page_path(args.out.as_deref(), &args.new)?;
    let mut page = ReportFile::create(&path).map_err(unwritable)?;
    let union = union(args, store)?;
    write_page(&union, &mut page).and_then(|()| page.finish()).map_err(unwritable)?;
    writeln!(out, "wrote {}", path.display())?;
    if let Some(cause) = union.cause() {
        write_line(out, &cause)?;
    }
    if args.open {
        show(&path, "page");
    }
    Ok(())
}

fn union(args: &Args, store: Option<PathBuf>) -> Result<UnionFile> {
    let base = args.base.as_deref().map(|base| read(base, &args.reading)).transpose()?;
    let test = if is_file(&args.new) { None } else { args.new.to_str() };
    refuse_idle_options(args, test.is_some())?;
    let (base, new) = match (test, &args.diff) {
        (None, None) => (base, read(&args.new, &args.reading)?),
        (None, Some(_)) => {
            return refuse(format!(
                "{} is a file, and --diff samples a test: name the test, or give both files, one with \
                 --base",
                args.new.display()
            ));
        }
        (Some(test), None) => {
            let recorder = Recorder::new(&args.sampling, &args.build.compile.profile)?;
            let test = find_in_place(test, &args.build, args.sampling.timeout)?;
            let recorded = recorder.record(&test)?;
            recorded.keep(&test, store);
            (base, file_of(recorded, args, "")?)
        }
        (Some(test), Some(diff)) if diff == LAST_GOOD || is_run_id(diff) => {
            let recorder = Recorder::new(&args.sampling, &args.build.compile.profile)?;
            let head = find_in_place(test, &args.build, args.sampling.timeout)?;
            let clock = args.sampling.plan().clock;
            let base = if diff == LAST_GOOD {
                KeptBase::last_good(&head, clock, store.clone())?
            } else {
                KeptBase::of_run(diff, &head, clock, store.clone())?
            };
            let (base, head) = match base {
                KeptBase::Build(base) => match (recorder.record(&base.test), &base.profile) {
                    (Ok(recorded), _) => {
                        recorded.keep_of(&base.test, &base.code, store.clone());
                        let file = file_of(recorded, args, &format!(", {}", base.name))?;
                        (file, SampledBuild::beside(&head))
                    }
                    // Only samples have the durations of iterations.
                    (Err(why), Some((profile, name))) if args.sampling.slower_than.is_none() => {
                        print_progress(&format_args!(
                            "warning: {why}\nA kept profile is shown instead"
                        ));
                        (kept_file(profile, name, &head, args)?, head)
                    }
                    (Err(why), _) => return Err(why),
                },
                KeptBase::Profile(profile, name) => {
                    (kept_file(&profile, &name, &head, args)?, head)
                }
            };
            let recorded = recorder.record(&head)?;
            recorded.keep(&head, store);
            (Some(base), file_of(recorded, args, ", the working tree")?)
        }
        (Some(test), Some(revision)) => {
            let recorder = Recorder::new(&args.sampling, &args.build.compile.profile)?;
            let timeout = args.sampling.timeout;
            let pair = find_in_revisions(revision, test, &args.build, timeout)?;
            let base = file_of(recorder.record(&pair.base)?, args, &format!(", {revision}"))?;
            (Some(base), file_of(recorder.record(&pair.head)?, args, ", the working tree")?)
        }
    };
    Ok(match base {
        Some(base) => UnionFile::of_two(base, new),
        None => UnionFile::of_one(new),
    })
}

/// Whether this is a file, or looks like one that is missing. The name of a test may be that of a directory, and behind
/// its `::` that of a file: a case has the name of its value.
fn is_file(path: &Path) -> bool {
    const ENDINGS: [&str; 5] = ["folded", "perf", "gdb", "txt", "data"];
    let ending = path.extension().and_then(OsStr::to_str);
    let has_module = path.to_string_lossy().contains("::");
    path == Path::new("-")
        || path.exists() && !path.is_dir()
        || path.is_absolute()
        || ending.is_some_and(|ending| ENDINGS.contains(&ending)) && !has_module
}

/// Refuses options that would have no effect, on the page of a test or on that of files.
fn refuse_idle_options(args: &Args, samples_test: bool) -> Result<()> {
    let (sampling, reading) = (&args.sampling, &args.reading);
    let samples_part = sampling.slower_than.is_some() || !sampling.plan().threads.is_empty();
    if !samples_test && samples_part {
        return refuse(format!(
            "{} is a file: --threads and --slower-than are for a test that is sampled. Of a file, \
             --slice selects stacks",
            args.new.display()
        ));
    }
    let reads_file = !samples_test || args.base.is_some();
    if !reads_file && (reading.from.is_some() || reading.sample_weight.is_some()) {
        return refuse(
            "--from and --sample-weight are for files, and no file is read here: leave them out",
        );
    }
    Ok(())
}

/// The kept profile of an earlier build of `head`. Kept ones are of all threads and iterations.
fn kept_file(profile: &Profile, which: &str, head: &SideTest, args: &Args) -> Result<ProfileFile> {
    let plan = args.sampling.plan();
    let test = format!("{}, {} time", head.listed.benchmark, plan.clock.name());
    let name = format!("{test}, the kept profile of {which}");
    if args.sampling.slower_than.is_some() {
        return refuse(format!(
            "{name} is of all iterations, and its executable cannot be sampled: leave out --slower-than, or \
             name a revision: --diff main"
        ));
    }
    let of_threads = profile.slice(&plan.threads).ok_or_else(|| {
        CommandError::Usage(format!(
            "{name} has no thread whose name begins with `{}`",
            plan.threads
        ))
    })?;
    sliced(of_threads, name, args)
}

/// The profile under its name on the page.
fn file_of(recorded: RecordedProfile, args: &Args, which: &str) -> Result<ProfileFile> {
    let name = format!("{}{which}, {} time", recorded.test, recorded.clock.name());
    sliced(recorded.profile, name, args)
}

fn sliced(profile: Profile, name: String, args: &Args) -> Result<ProfileFile> {
    let profile = match &args.reading.slice {
        Some(prefix) => profile.slice(prefix).ok_or_else(|| {
            CommandError::Usage(format!("{name}: no outermost frame begins with `{prefix}`"))
        })?,
        None => profile,
    };
    Ok(ProfileFile { name, profile })
}

/// Longest name of a test in the name of a page, in letters.
const LONGEST_NAME: usize = 100;

/// Returns the page that was asked for, or `perftest/flamegraph-TEST.html` in cargo's target directory.
/// Without a project the page is in the working directory. `subject` is a test or a file.
///
/// # Errors
/// When the directory cannot be made.
pub(super) fn page_path(out: Option<&Path>, subject: &Path) -> Result<PathBuf> {
    if let Some(out) = out {
        return Ok(out.to_owned());
    }
    let here = here()?;
    let name = page_name(subject);
    let metadata = metadata(&here).ok();
    let target = metadata.as_ref().and_then(|it| it["target_directory"].as_str());
    let Some(target) = target else {
        return Ok(name.into());
    };
    let directory = Path::new(target).join("perftest");
    fs::create_dir_all(&directory).map_err(|error| {
        CommandError::Usage(format!("cannot write in {}: {error}", directory.display()))
    })?;
    let page = directory.join(name);
    Ok(page.strip_prefix(&here).map_or_else(|_| page.clone(), Path::to_owned))
}

fn page_name(subject: &Path) -> String {
    let subject = if subject.exists() { subject.file_stem() } else { Some(subject.as_os_str()) };
    let subject = subject.unwrap_or(OsStr::new("")).to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let parts = subject.split(|letter: char| !is_plain(letter)).filter(|part| !part.is_empty());
    let name: String = parts.collect::<Vec<_>>().join("-").chars().take(LONGEST_NAME).collect();
    if name.is_empty() { "flamegraph.html".to_owned() } else { format!("flamegraph-{name}.html") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_test_is_no_file_and_a_missing_file_is_no_test() {
        for file in ["-", "/no/such", "no-such.folded", "Cargo.toml"] {
            assert!(is_file(Path::new(file)), "{file}");
        }
        for test in
            ["encode", "perf::encode", "perf::encode::1.5", "perf::pack::enwik8.txt", "codec/pack"]
        {
            assert!(!is_file(Path::new(test)), "{test}");
        }
    }

    #[test]
    fn the_name_of_a_page_has_the_test_and_no_directory() {
        let of = |subject: &str| page_name(Path::new(subject));
        assert_eq!(of("codec::frame::encode/pack"), "flamegraph-codec-frame-encode-pack.html");
        assert_eq!(of("../../etc/<x>"), "flamegraph-..-..-etc-x.html");
        assert_eq!(of("-"), "flamegraph.html");
        assert!(of(&"x".repeat(9_000)).len() < 200);
    }

    #[test]
    fn a_page_that_was_asked_for_is_written_there() {
        let out = Path::new("a/b.html");
        assert_eq!(page_path(Some(out), Path::new("t")).unwrap(), out);
    }
}
