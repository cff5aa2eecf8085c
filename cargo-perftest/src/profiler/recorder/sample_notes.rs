//! What a reader of recorded samples should know.

use super::frame_trim::OUTSIDE;
use super::loaded_files::LoadedFile;
use super::overhead_of;
use super::recording::SampleRecording;
use perftest_analysis::profile::ProfileNotes;
use perftest_core::words::whole_percent;
use perftest_process::protocol::{SampledClock, SamplingReport};

/// A share of the time that is worth a note.
const NOTABLE: f64 = 0.02;
/// With fewer samples no share is exact to 10 points.
const FEW_SAMPLES: u64 = 100;
/// Of an overhead above this the reader should know.
const LARGEST_OVERHEAD: f64 = 0.01;
/// Below this share of the processor time something is missing.
const SEEN_CPU: f64 = 0.9;

/// Time in which something was missing.
#[derive(Debug, Default)]
pub(super) struct MissingTime {
    pub(super) all_ns: u64,
    pub(super) debug_info_ns: u64,
    pub(super) callers_ns: u64,
    pub(super) loop_ns: u64,
    /// Of iterations that were not asked for, besides all of the above.
    pub(super) faster_ns: u64,
}

/// Describes what limits the use of these samples. `executable` is the file of the test, `incomplete` the number of
/// records without an end.
pub(super) fn sample_notes(
    recording: &SampleRecording<'_>,
    missing: &MissingTime,
    executable: Option<&LoadedFile>,
    samples: u64,
    incomplete: u64,
) -> Vec<String> {
    let SampleRecording { plan, report, profile, .. } = recording;
    let share = |ns: u64| ns as f64 / (missing.all_ns as f64).max(1.0);
    let percent = |ns: u64| whole_percent(share(ns));
    let mut notes = Vec::new();
    if let Some(least) = recording.slower_than {
        let whole = (missing.all_ns + missing.faster_ns) as f64;
        notes.push(format!(
            "it is of iterations of {least:?} or more: {} of the time.",
            whole_percent(missing.all_ns as f64 / whole.max(1.0))
        ));
    }
    if !plan.threads.is_empty() {
        notes.push(format!("it is of threads whose names begin with `{}`.", plan.threads));
    }
    if let Some(stripped) = executable.filter(|file| !file.has_symbols) {
        notes.push(format!(
            "{}{} Remove `strip` from [profile.{profile}] in Cargo.toml.",
            stripped.name,
            ProfileNotes::STRIPPED
        ));
    } else if share(missing.debug_info_ns) > NOTABLE {
        notes.push(format!(
            "{}{} Write debug = \"limited\" below [profile.{profile}] in Cargo.toml.",
            percent(missing.debug_info_ns),
            ProfileNotes::WITHOUT_DEBUG_INFORMATION
        ));
    }
    if share(missing.callers_ns) > NOTABLE {
        notes.push(format!(
            "{} of the time is in stacks whose callers are not all found.",
            percent(missing.callers_ns)
        ));
    }
    if share(missing.loop_ns) > NOTABLE {
        notes.push(format!(
            "{} of the time is outside the measured loop, below {OUTSIDE}: in set-up, in drops, \
             or in the harness.",
            percent(missing.loop_ns)
        ));
    }
    if samples < FEW_SAMPLES {
        notes.push(format!(
            "there are only {samples} samples: no share is exact to 10 points. Give more --time."
        ));
    }
    notes.extend(notes_on_the_pass(report, incomplete));
    if let Some(overhead) = overhead_of(report).filter(|it| *it > LARGEST_OVERHEAD) {
        notes.push(format!(
            "the samples slowed the test by {:.1}%; --rate {} disturbs it less.",
            100.0 * overhead,
            (plan.rate_hz / 2).max(1)
        ));
    }
    let seen = (missing.all_ns + missing.faster_ns) as f64 / (report.cpu_ns as f64).max(1.0);
    if plan.clock == SampledClock::Cpu && plan.threads.is_empty() && seen < SEEN_CPU {
        notes.push(format!(
            "{:.0}% of the processor time is in no sample: it is of threads that ended before \
             their first sample, of child processes, or of the time since the last samples.",
            100.0 * (1.0 - seen)
        ));
    }
    notes
}

/// What the sampler itself could not do.
fn notes_on_the_pass(report: &SamplingReport, incomplete: u64) -> Vec<String> {
    let mut notes = Vec::new();
    let lost = report.lost + incomplete;
    if lost > 0 {
        notes.push(format!("{lost} samples had no room in the file and are lost. Give a shorter --time or a lower --rate."));
    }
    if report.refused_threads > 0 {
        notes.push(format!(
            "{} threads are not sampled: the system gave them no timer (`ulimit -i` shows the limit), or \
             there are more than 4,096.",
            report.refused_threads
        ));
    }
    if report.unsampled_threads > 0 {
        notes.push(format!(
            "{} threads are not sampled: they block signals.",
            report.unsampled_threads
        ));
    }
    notes
}
