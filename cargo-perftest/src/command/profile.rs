//! `cargo perftest profile`: records a profile of a test, shows the functions of one, and how two differ.

use crate::args::profile::{
    DiffFormat, ProfileArgs as Args, ProfileDiffArgs, ProfileQuestion, ProfileRecordArgs,
    ProfileShowArgs, ShowFormat,
};
use crate::exit::{CommandError, Result};
use crate::profile::{
    ProfileFile, UnionFile, read, write_difference, write_difference_as_json, write_firefox,
    write_functions, write_functions_as_json, write_speedscope, write_svg,
};
use crate::profiler::{RecordedProfile, Recorder, find_in_place};
use crate::report::{print_progress, write_json_line};
use crate::report_file::ReportFile;
use perftest_analysis::profile::write_folded_with_remarks;
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

pub(crate) fn run(args: &Args, store: Option<PathBuf>, out: &mut dyn Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    match &args.question {
        ProfileQuestion::Record(args) => record(args, store, &mut out)?,
        ProfileQuestion::Show(args) => show(args, &mut out)?,
        ProfileQuestion::Diff(args) => diff(args, &mut out)?,
    }
    Ok(out.flush()?)
}

fn record(args: &ProfileRecordArgs, store: Option<PathBuf>, out: &mut dyn Write) -> Result<()> {
    let recorder = Recorder::new(&args.sampling, &args.build.compile.profile)?;
    // An unwritable file is an error before any waiting.
    let unwritable = |error: std::io::Error| CommandError::Usage(format!("cannot write {error}"));
    let mut file = ReportFile::create(&args.out).map_err(unwritable)?;
    let test = find_in_place(&args.test, &args.build, args.sampling.timeout)?;
    let recorded = recorder.record(&test)?;
    recorded.keep(&test, store);
    write_folded_with_remarks(&recorded.profile, &mut file).map_err(unwritable)?;
    file.finish().map_err(unwritable)?;
    if args.json {
        write_json_line(out, &recorded_as_json(&recorded, args))?;
    }
    let overhead = overhead_in_words(&recorded);
    let profile = ProfileFile { name: args.out.display().to_string(), profile: recorded.profile };
    if args.json {
        write_functions_as_json(&profile, &args.rows, out)?;
    } else {
        write_functions(&profile, &args.rows, out)?;
    }
    print_progress(&format_args!("wrote {}; {overhead}", args.out.display()));
    Ok(())
}

fn overhead_in_words(recorded: &RecordedProfile) -> String {
    match recorded.overhead() {
        Some(overhead) => format!(
            "the samples changed the time of an iteration by {:+.1}% (ratio of medians of {} pairs)",
            100.0 * overhead,
            recorded.pairs()
        ),
        None => {
            "what the samples cost is unknown: an iteration is too long to take turns".to_owned()
        }
    }
}

fn recorded_as_json(recorded: &RecordedProfile, args: &ProfileRecordArgs) -> serde_json::Value {
    let report = &recorded.report;
    json!({
        "event": "profile_recorded",
        "v": 1,
        "benchmark": recorded.test,
        "file": args.out.display().to_string(),
        "clock": recorded.clock.name(),
        "samples": recorded.profile.samples(),
        "threads": report.threads,
        "iterations": report.iterations,
        "sampled_s": report.time.as_secs_f64(),
        "overhead": recorded.overhead(),
        "overhead_pairs": recorded.pairs(),
        "notes": recorded.profile.notes().sentences(),
    })
}

fn show(args: &ProfileShowArgs, out: &mut dyn Write) -> Result<()> {
    let file = read(&args.file, &args.reading)?;
    let format = if args.json { ShowFormat::Json } else { args.format };
    if !matches!(format, ShowFormat::Table | ShowFormat::Json) {
        print_notes(&file);
    }
    match format {
        ShowFormat::Table => write_functions(&file, &args.rows, out)?,
        ShowFormat::Json => write_functions_as_json(&file, &args.rows, out)?,
        ShowFormat::Folded => write_folded_with_remarks(&file.profile, out)?,
        ShowFormat::Speedscope => write_speedscope(&file, out)?,
        ShowFormat::Firefox => write_firefox(&file, out)?,
        ShowFormat::Svg => write_svg(&UnionFile::of_one(file), out)?,
    }
    Ok(())
}

fn diff(args: &ProfileDiffArgs, out: &mut dyn Write) -> Result<()> {
    let base = read(&args.base, &args.reading)?;
    let new = read(&args.new, &args.reading)?;
    let format = if args.json { DiffFormat::Json } else { args.format };
    if format == DiffFormat::Svg {
        print_notes(&base);
        print_notes(&new);
    }
    let union = UnionFile::of_two(base, new);
    match format {
        DiffFormat::Table => write_difference(&union, &args.rows, out)?,
        DiffFormat::Json => write_difference_as_json(&union, &args.rows, out)?,
        DiffFormat::Svg => write_svg(&union, out)?,
    }
    Ok(())
}

/// Where the output itself has no room for them.
fn print_notes(file: &ProfileFile) {
    for note in file.notes() {
        // The output is right without them.
        let _ = writeln!(anstream::stderr(), "note: {note}");
    }
}
