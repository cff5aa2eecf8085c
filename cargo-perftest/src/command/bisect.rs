//! `cargo perftest bisect`: the commit that made a test slower.

use crate::args::{Bisect as Args, Format};
use crate::bisect::{Conclusion, Line, Probe, Search, suspected};
use crate::compare::{Builder, Measurer, Place, Repository};
use crate::desk::Desk;
use crate::exit::Failure;
use crate::place::{self, here};
use crate::report::Table;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let here = here()?;
    let repository = Repository::around(&here)?;
    let [good, bad] = match &args.good {
        Some(good) => [good.clone(), args.bad.clone().unwrap_or_else(|| "HEAD".into())],
        None => suspected(&args.test, &Desk::new(place::find(store)?, true, out)?)?,
    };
    let line = Line::between(&good, &bad, &repository)?;
    let place = Place::of(&repository)?;
    let builder = Builder {
        repository: &repository,
        options: &args.build,
        tests: std::slice::from_ref(&args.test),
        longest: args.pairs.timeout,
    };
    let measurer = Measurer::new(&args.pairs);
    let format = args.answer.format();
    let mut search = Search::begin(&line, builder, measurer, &place, &args.test)?;
    let benchmark = search.benchmark().clone();
    let mut probes: Vec<Probe> = Vec::new();
    let bisected = search.run(|probe| {
        if format == Format::Json {
            writeln!(out, "{}", probe.as_json(&line, &benchmark))?;
            out.flush()?;
        }
        probes.push(probe);
        Ok(())
    })?;
    let conclusion = Conclusion {
        bisected,
        line: &line,
        probes: &probes,
        benchmark: &benchmark,
        builds: search.builds(),
    };
    match format {
        Format::Json => writeln!(out, "{}", conclusion.as_json())?,
        Format::Table => draw(&conclusion, out)?,
    }
    Ok(conclusion.code())
}

/// The probes in the order of the history, and what they come to.
fn draw(conclusion: &Conclusion<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let line = conclusion.line;
    let [good, bad] = [0, line.steps()].map(|place| &line.commit(place).revision);
    writeln!(out, "{}\ngood: {good}\nbad: {bad}\n", conclusion.benchmark)?;
    let mut table = Table::new(&["commit", "subject", " to good", "answer", " pairs"]);
    let mut probes: Vec<&Probe> = conclusion.probes.iter().filter(|it| it.base == 0).collect();
    probes.sort_by_key(|probe| probe.head);
    probes.iter().for_each(|probe| table.push(probe.as_row(line)));
    table.write(out)?;
    for remark in probes.iter().filter_map(|probe| probe.remark(line)) {
        writeln!(out, "\n{remark}")?;
    }
    writeln!(out, "\n{}", conclusion.in_words())?;
    writeln!(out, "\ncommits: {}, builds: {}", line.steps(), conclusion.builds)?;
    Ok(())
}
