//! `cargo perftest bisect`: the commit that made a test slower.

use crate::args::{BisectArgs as Args, OutputFormat};
use crate::bisect::{BisectConclusion, BisectProbe, CommitLine, CommitSearch, suspected};
use crate::command_context::CommandContext;
use crate::compare::{Builder, CompareDirectory, Measurer, ratio_in_words};
use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use crate::history_directory::here;
use crate::report::{Table, print_progress, write_json_line};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(args: &Args, store: Option<PathBuf>, out: &mut dyn Write) -> Result<ExitCode> {
    let here = here()?;
    let repository = GitCheckout::around(&here)?;
    let [good, bad] = match &args.good {
        Some(good) => {
            note_unrecorded(&args.test, store, out);
            [good.clone(), args.bad.clone().unwrap_or_else(|| "HEAD".into())]
        }
        None => suspected(&args.test, &repository, &CommandContext::new(store, true, out)?)?,
    };
    let line = CommitLine::between(&good, &bad, &repository)?;
    let place = CompareDirectory::of(&repository)?;
    let builder = Builder {
        repository: &repository,
        place: &place,
        options: &args.build,
        longest: args.pairs.timeout,
    };
    let measurer = Measurer::new(&args.pairs);
    let format = args.answer.format();
    let mut search = CommitSearch::begin(&line, builder, measurer, &args.test)?;
    let benchmark = search.benchmark().clone();
    let mut probes: Vec<BisectProbe> = Vec::new();
    let bisected = search.run(|probe| {
        if format == OutputFormat::Json {
            write_json_line(out, &probe.as_json(&line, &benchmark))?;
            out.flush()?;
        }
        probes.push(probe);
        Ok(())
    })?;
    let conclusion = BisectConclusion {
        bisected,
        line: &line,
        probes: &probes,
        benchmark: &benchmark,
        builds: search.builds(),
        options: args.as_typed(),
    };
    match format {
        OutputFormat::Json => write_json_line(out, &conclusion.as_json())?,
        OutputFormat::Table => draw(&conclusion, out)?,
    }
    Ok(conclusion.code())
}

/// Notes before the first build, which may take minutes, that no recorded test has this name. A test that never ran
/// here may have it.
fn note_unrecorded(test: &str, store: Option<PathBuf>, out: &mut dyn Write) {
    let Ok(context) = CommandContext::new(store, true, out) else { return };
    let recorded = context.series_of(None).unwrap_or_default();
    if recorded.iter().any(|series| series.benchmark.as_str().contains(test)) {
        return;
    }
    if let Err(CommandError::Usage(why)) = context.series_of(Some(test)) {
        print_progress(&format_args!(
            "note: {why}\nThe bad commit is built: it may have such a test."
        ));
    }
}

/// The probes in the order of the history, and what they come to.
fn draw(conclusion: &BisectConclusion<'_>, out: &mut dyn Write) -> Result<()> {
    let line = conclusion.line;
    let [good, bad] = [0, line.steps()].map(|place| &line.commit(place).revision);
    writeln!(out, "{}\ngood: {good}\nbad: {bad}\n", conclusion.benchmark)?;
    // Of a commit that was compared again, the last answer is the one that counts.
    let probes: BTreeMap<usize, &BisectProbe> = conclusion
        .probes
        .iter()
        .filter(|it| it.base == 0)
        .map(|probe| (probe.head, probe))
        .collect();
    Table::of(probes.values())
        .column("commit", |it| line.commit(it.head).short())
        .column("subject", |it| line.commit(it.head).subject.clone())
        .optional(" to good", |it| Some(ratio_in_words(it.compared()?.ratio)))
        .column("answer", |it| it.in_words())
        .optional(" pairs", |it| Some(it.compared()?.pairs))
        .narrowed(&["subject"], &["pairs"])
        .write(out)?;
    for remark in probes.values().filter_map(|probe| probe.remark(line)) {
        writeln!(out, "\n{remark}")?;
    }
    writeln!(out, "\n{}", conclusion.in_words())?;
    writeln!(out, "\ncommits: {}, builds: {}", line.steps(), conclusion.builds)?;
    Ok(())
}
