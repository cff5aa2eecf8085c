//! `cargo perftest doctor --watch`: which processes disturb, while tests run.

use crate::args::OutputFormat;
use crate::doctor::BusyProcess;
use crate::exit::Result;
use crate::process_watch::ProcessWatch;
use crate::report::{Table, write_json_line};
use jiff::Zoned;
use serde_json::{Value, json};
use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::thread;
use std::time::Duration;

/// Time between two looks. Each costs some milliseconds of one processor, while tests measure.
const LOOK: Duration = Duration::from_secs(2);
/// Processes on a screen.
const LISTED: usize = 10;

/// Shows which processes are busy, until it is interrupted or its output is closed. A terminal that can be
/// redrawn shows all of them; anything else gets a line a change.
pub(super) fn run(format: OutputFormat) -> Result<()> {
    let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let is_screen = io::stdout().is_terminal() && !is_dumb && format == OutputFormat::Table;
    let watch = ProcessWatch::start();
    let ended = if is_screen { on_screen(watch) } else { in_lines(watch, format) };
    match ended {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        ended => Ok(ended?),
    }
}

fn on_screen(mut watch: ProcessWatch) -> io::Result<()> {
    let terminal = console::Term::stdout();
    let mut drawn = 0;
    loop {
        thread::sleep(LOOK);
        let text = screen(&watch.take(), &now());
        terminal.clear_last_lines(drawn)?;
        terminal.write_str(&text)?;
        drawn = text.lines().count();
    }
}

fn screen(busy: &[BusyProcess], now: &str) -> String {
    if busy.is_empty() {
        return format!("{now}  no other process is busy (Ctrl-C ends this)\n");
    }
    let cores: f64 = busy.iter().map(|it| it.cores).sum();
    let text = format!("{now}  others use {cores:.1} CPUs (Ctrl-C ends this)\n");
    let table = Table::of(busy.iter().take(LISTED))
        .column(" of a core", |it| it.cores_in_words())
        .column(" memory", |it| it.memory_in_words())
        .column(" pid", |it| it.pid)
        .column("command", |it| it.name.clone())
        .narrowed(&["command"], &["pid", "memory"]);
    text + &table.text()
}

fn in_lines(mut watch: ProcessWatch, format: OutputFormat) -> io::Result<()> {
    let mut out = io::stdout();
    let mut known: Option<Vec<BusyProcess>> = None;
    loop {
        thread::sleep(LOOK);
        let busy = watch.take();
        for change in LoadChange::between(known.as_deref(), &busy) {
            match format {
                OutputFormat::Json => write_json_line(&mut out, &change.as_json())?,
                _ => writeln!(out, "{}  {}", now(), change.in_words())?,
            }
        }
        out.flush()?;
        known = Some(busy);
    }
}

/// `12:03:04`, where this runs.
fn now() -> String {
    Zoned::now().strftime("%H:%M:%S").to_string()
}

/// What is new since the last look.
#[derive(Debug, Clone, PartialEq)]
enum LoadChange<'a> {
    Began(&'a BusyProcess),
    Ended(&'a BusyProcess),
    /// The first look saw no busy process.
    NoneBusy,
}

impl<'a> LoadChange<'a> {
    fn between(known: Option<&'a [BusyProcess]>, busy: &'a [BusyProcess]) -> Vec<Self> {
        let before = known.unwrap_or_default();
        let is_in = |all: &[BusyProcess], it: &BusyProcess| all.iter().any(|one| one.pid == it.pid);
        let ended = before.iter().filter(|it| !is_in(busy, it)).map(Self::Ended);
        let began = busy.iter().filter(|it| !is_in(before, it)).map(Self::Began);
        let none = (known.is_none() && busy.is_empty()).then_some(Self::NoneBusy);
        ended.chain(began).chain(none).collect()
    }

    fn in_words(&self) -> String {
        match self {
            Self::Began(it) => format!("busy: {}", it.in_words()),
            Self::Ended(it) => format!("no longer busy: {}", it.identity()),
            Self::NoneBusy => "no other process is busy".to_owned(),
        }
    }

    fn as_json(&self) -> Value {
        let (change, process) = match self {
            Self::Began(it) => ("began", Some(*it)),
            Self::Ended(it) => ("ended", Some(*it)),
            Self::NoneBusy => ("none", None),
        };
        let mut value =
            process.map_or_else(|| json!({ "event": "process", "v": 1 }), process_as_json);
        value["change"] = change.into();
        value
    }
}

/// A busy process for programs.
pub(super) fn process_as_json(process: &BusyProcess) -> Value {
    json!({
        "event": "process",
        "v": 1,
        "pid": process.pid,
        "name": process.name,
        "cores": process.cores,
        "memory_bytes": process.memory_bytes,
        "memory_share": process.memory_share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_printed() {
        let [rustc, python] =
            [("rustc", 1), ("python", 2)].map(|(name, pid)| BusyProcess::named(name, pid, 0.9));
        let (one, both) = ([rustc.clone()], [rustc.clone(), python.clone()]);
        assert_eq!(LoadChange::between(None, &[]), [LoadChange::NoneBusy]);
        assert_eq!(LoadChange::between(None, &one), [LoadChange::Began(&rustc)]);
        assert_eq!(LoadChange::between(Some(&one), &one), []);
        assert_eq!(LoadChange::between(Some(&one), &both), [LoadChange::Began(&python)]);
        assert_eq!(LoadChange::between(Some(&both), &one), [LoadChange::Ended(&python)]);
        assert_eq!(LoadChange::between(Some(&[]), &[]), []);
    }

    #[test]
    fn a_screen_has_the_busiest_and_no_more_than_fit() {
        let all: Vec<BusyProcess> =
            (0..40).map(|pid| BusyProcess::named("cc1\u{1b}[2J", pid, 0.5)).collect();
        let text = screen(&all, "12:03:04");
        assert!(text.starts_with("12:03:04  others use 20.0 CPUs"), "{text}");
        assert_eq!(text.lines().count(), 2 + LISTED, "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert_eq!(screen(&[], "12:03:04").lines().count(), 1);
    }
}
