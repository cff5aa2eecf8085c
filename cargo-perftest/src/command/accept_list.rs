//! `cargo perftest accept --list` and `--check`: what is accepted, and what of it is stale.

use crate::acceptances::Entry;
use crate::args::Format;
use crate::desk::{Desk, told_of_damage};
use crate::exit::{Ending, Failure};
use crate::report::{Table, end_of, local_minute};
use crate::unread::Unread;
use perftest_core::model::{Anchor, BenchmarkId, Run};
use perftest_store::{Query, Series, Which};
use serde_json::{Value, json};

/// Newest runs under an entry that are asked whether they needed it.
const LOOK_BACK: usize = 200;

/// What has become of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It let a slower run pass, or a better one of a ratchet.
    Used,
    /// No run was taken under it yet.
    Waiting,
    /// Runs were taken under it, and none needed it.
    Unused,
    /// It names no test that is recorded here.
    NoSuchTest,
    /// Its end has come.
    Over,
    /// A file cannot be read in which it may be needed.
    Unknown,
}

impl Standing {
    fn name(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Waiting => "waiting",
            Self::Unused => "unused",
            Self::NoSuchTest => "no such test",
            Self::Over => "over",
            Self::Unknown => "not known",
        }
    }

    /// Whether the entry does nothing but leave a gap for a later degradation.
    fn is_stale(self) -> bool {
        matches!(self, Self::Unused | Self::NoSuchTest | Self::Over)
    }
}

pub(super) fn list(format: Format, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let (entries, unread) = entries(desk)?;
    if entries.is_empty() && format == Format::Table {
        writeln!(desk.out, "nothing is accepted in {}", desk.project.name)?;
    } else {
        write(&entries, format, desk)?;
    }
    unread.into_result()
}

pub(super) fn check(format: Format, desk: &mut Desk<'_>) -> Result<Ending, Failure> {
    let (mut stale, unread) = entries(desk)?;
    stale.retain(|(_, standing)| standing.is_stale());
    match (stale.is_empty(), format) {
        (true, Format::Table) => writeln!(desk.out, "no acceptance is stale")?,
        (true, Format::Json) => {}
        (false, _) => write(&stale, format, desk)?,
    }
    if stale.is_empty() {
        return unread.into_result().map(|()| Ending::Done);
    }
    unread.tell();
    if format == Format::Table {
        writeln!(desk.out, "stale; delete each: cargo perftest accept --revoke ID")?;
    }
    Ok(Ending::No)
}

/// An acceptance and what has become of it.
type Standings = Vec<(Entry, Standing)>;

fn entries(desk: &Desk<'_>) -> Result<(Standings, Unread), Failure> {
    let accepted = desk.acceptances()?;
    let (all, mut unread) = desk.series_of(None)?;
    let mut entries = Vec::new();
    for entry in accepted {
        let standing = standing(&entry, &all, desk, &mut unread)?;
        entries.push((entry, standing));
    }
    Ok((entries, unread))
}

fn standing(
    entry: &Entry,
    all: &[Series],
    desk: &Desk<'_>,
    unread: &mut Unread,
) -> Result<Standing, Failure> {
    if entry.acceptance.is_over(desk.now_ms()) {
        return Ok(Standing::Over);
    }
    let (mut standing, mut is_unread) = (Standing::Waiting, false);
    let mut series = all.iter().filter(|series| entry.is_about(series)).peekable();
    if series.peek().is_none() && !all.is_empty() {
        standing = Standing::NoSuchTest;
    }
    for series in series {
        let read = unread.or_added(runs_under(entry, series, desk))?;
        is_unread |= read.is_none();
        let runs = read.unwrap_or_default();
        if runs.iter().any(Run::was_let_pass) {
            return Ok(Standing::Used);
        }
        if !runs.is_empty() {
            standing = Standing::Unused;
        }
    }
    let may_be_needed = !unread.is_empty() && (is_unread || may_be_unread(entry, desk)?);
    Ok(if may_be_needed { Standing::Unknown } else { standing })
}

/// Whether a history that cannot be read may be of a test that an entry names.
fn may_be_unread(entry: &Entry, desk: &Desk<'_>) -> Result<bool, Failure> {
    let pattern = entry.acceptance.benchmark.as_str();
    let is_of_several = pattern.ends_with('*');
    let of_one = BenchmarkId::from_recorded(pattern);
    Ok(is_of_several || !desk.store.list(Some(&of_one))?.unreadable.is_empty())
}

/// The first and the newest runs under an entry: the first need it where a new level begins.
fn runs_under(entry: &Entry, series: &Series, desk: &Desk<'_>) -> Result<Vec<Run>, Failure> {
    let newest = Query { mark: Some(entry.acceptance.mark()), ..series.query(LOOK_BACK) };
    let first = Query { which: Which::FirstTeaching, limit: Anchor::RUNS, ..newest.clone() };
    let mut runs = told_of_damage(desk.store.load(&first)?).runs;
    runs.extend(told_of_damage(desk.store.load(&newest)?).runs);
    Ok(runs)
}

fn write(
    entries: &[(Entry, Standing)],
    format: Format,
    desk: &mut Desk<'_>,
) -> Result<(), Failure> {
    if format == Format::Json {
        for (entry, standing) in entries {
            writeln!(desk.out, "{}", as_json(entry, *standing))?;
        }
        return Ok(());
    }
    let mut table = Table::new(&[
        "id", "test", "testbed", " up to", "given", "until", "in", "standing", "reason",
    ]);
    for (entry, standing) in entries {
        table.push(as_row(entry, *standing));
    }
    Ok(table.write(desk.out)?)
}

fn as_row(entry: &Entry, standing: Standing) -> [String; 9] {
    let acceptance = &entry.acceptance;
    let testbed = &acceptance.testbed;
    [
        acceptance.id.clone(),
        acceptance.benchmark.to_string(),
        if acceptance.holds_on_every_testbed() { "all".into() } else { testbed.clone() },
        format!("{}x", acceptance.max_ratio),
        local_minute(acceptance.given_ms),
        acceptance.until_ms.map_or("-".into(), end_of),
        entry.origin.in_words().into(),
        standing.name().into(),
        acceptance.reason.clone(),
    ]
}

fn as_json(entry: &Entry, standing: Standing) -> Value {
    let acceptance = &entry.acceptance;
    json!({
        "event": "acceptance",
        "v": 1,
        "id": acceptance.id,
        "benchmark": acceptance.benchmark.as_str(),
        "testbed": Some(&acceptance.testbed).filter(|_| !acceptance.holds_on_every_testbed()),
        "max_ratio": acceptance.max_ratio,
        "reason": acceptance.reason,
        "given_ms": acceptance.given_ms,
        "until_ms": acceptance.until_ms,
        "origin": entry.origin.name(),
        "standing": standing.name(),
        "stale": standing.is_stale(),
    })
}
