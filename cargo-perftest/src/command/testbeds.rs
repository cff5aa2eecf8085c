//! `cargo perftest testbeds`: which machines there are, and which of them share a history.

use super::accept_entry::new_id;
use crate::args::{OutputFormat, TestbedsArgs as Args, TestbedsChange};
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result, refuse};
use crate::report::{
    Table, counted, local_minute, print_damage, print_progress, report_errors, write_json_lines,
    write_line,
};
use crate::testbed::Testbed;
use perftest_core::model::RunId;
use perftest_store::{
    Annotation, JsonlStore, RecordedTestbed, RecordedTestbeds, TestbedChange, TestbedDecision,
    Testbeds,
};
use serde_json::{Value, json};
use std::sync::Arc;

const NAME: &str =
    "a testbed is a label and a fingerprint with one `/` between them, such as ci/7f3a2b90c4d15e68";

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let recorded = JsonlStore::open(&context.place.root, &context.project).recorded_testbeds()?;
    let RecordedTestbeds { testbeds, damaged, unreadable } = recorded;
    print_damage(&damaged);
    let fleet = Fleet { testbeds, read: context.store.decisions()?.value.testbeds };
    match &args.change {
        None => fleet.list(args.answer.format(), context)?,
        Some(change) => {
            context.place.refuse_read_only()?;
            match change {
                TestbedsChange::Rename { old, new } => fleet.rename(old, new, context)?,
                TestbedsChange::Merge { testbed, other } => fleet.merge(testbed, other, context)?,
                TestbedsChange::Retire { testbed } => fleet.retire(testbed, context)?,
                TestbedsChange::Restore { testbed } => restore(testbed, context)?,
            }
        }
    }
    Ok(report_errors(unreadable)?)
}

/// The testbeds of a project.
struct Fleet {
    testbeds: Vec<RecordedTestbed>,
    /// How they are read.
    read: Arc<Testbeds>,
}

impl Fleet {
    fn list(&self, format: OutputFormat, context: &mut CommandContext<'_>) -> Result<()> {
        if self.testbeds.is_empty() && matches!(format, OutputFormat::Table) {
            return Ok(context.print_nothing_recorded()?);
        }
        let here = Testbed::of_this_machine().name();
        let with_processor = |it| (it, processor(it, context));
        let all: Vec<(&RecordedTestbed, Option<String>)> =
            self.testbeds.iter().map(with_processor).collect();
        if matches!(format, OutputFormat::Json) {
            let lines =
                all.iter().map(|(it, processor)| self.as_json(it, processor.as_deref(), &here));
            return Ok(write_json_lines(context.out, lines)?);
        }
        Table::of(&all)
            .column("testbed", |(it, _)| it.testbed.clone())
            .optional("processor", |(_, processor)| processor.clone())
            .column(" tests", |(it, _)| it.tests)
            .column(" runs", |(it, _)| it.runs)
            .column("first", |(it, _)| local_minute(it.first_ms))
            .column("newest", |(it, _)| local_minute(it.newest_ms))
            .column("note", |(it, _)| self.note(it, &here))
            .narrowed(&["processor"], &["first", "tests", "newest"])
            .write(context.out)?;
        Ok(())
    }

    /// What is special about a testbed.
    fn note(&self, testbed: &RecordedTestbed, here: &str) -> String {
        let is_here = (testbed.testbed == here).then(|| "this machine".to_owned());
        let name = self.read_as(testbed).map(|name| format!("read as {name}"));
        let retired = self.read.retired_ms(&testbed.testbed);
        let retired = retired.map(|until_ms| format!("retired up to {}", local_minute(until_ms)));
        let notes: Vec<String> = [is_here, name, retired].into_iter().flatten().collect();
        notes.join(", ")
    }

    /// The name of the history, if it is not that of the testbed.
    fn read_as(&self, testbed: &RecordedTestbed) -> Option<String> {
        Some(self.read.name_of(&testbed.testbed)).filter(|name| *name != testbed.testbed)
    }

    fn as_json(&self, testbed: &RecordedTestbed, processor: Option<&str>, here: &str) -> Value {
        let (label, fingerprint) = testbed.testbed.rsplit_once('/').unwrap_or_default();
        json!({
            "event": "testbed",
            "v": 1,
            "testbed": testbed.testbed,
            "label": label,
            "fingerprint": fingerprint,
            "processor": processor,
            "tests": testbed.tests,
            "runs": testbed.runs,
            "first_ms": testbed.first_ms,
            "newest_ms": testbed.newest_ms,
            "is_this_machine": testbed.testbed == here,
            "read_as": self.read_as(testbed),
            "retired_ms": self.read.retired_ms(&testbed.testbed),
        })
    }

    fn rename(&self, old: &str, new: &str, context: &mut CommandContext<'_>) -> Result<()> {
        self.find(old)?;
        if !is_name(new) {
            return refuse(format!("`{new}` is no testbed: {NAME}"));
        }
        let (from, to) = (self.read.name_of(old), self.read.name_of(new));
        if from == new {
            return refuse(format!("the history of {old} has this name already"));
        }
        if from != to && self.is_known(new) {
            return refuse(format!(
                "{new} has a history of its own; to let both share one: cargo perftest testbeds merge {new} {old}"
            ));
        }
        let done = format!("the history of {from} is read as that of {new}");
        decide(old, TestbedChange::ReadAs(new.to_owned()), &done, context)
    }

    fn merge(&self, testbed: &str, other: &str, context: &mut CommandContext<'_>) -> Result<()> {
        let both = [self.find(testbed)?, self.find(other)?];
        let name = self.read.name_of(testbed);
        if name == self.read.name_of(other) {
            return refuse(format!("{testbed} and {other} share one history already"));
        }
        let [one, two] = both.map(|it| processor(it, context));
        if one.is_none() || one != two {
            let named = |it: &Option<String>| it.clone().unwrap_or_else(|| "not known".to_owned());
            print_progress(&format_args!(
                "warning: the processor of {testbed} is {}, that of {other} is {}: their times may differ \
                 without any change of the code",
                named(&one),
                named(&two)
            ));
        }
        let done = format!("{testbed} and {other} share the history {name}");
        decide(other, TestbedChange::ReadAs(name), &done, context)
    }

    fn retire(&self, testbed: &str, context: &mut CommandContext<'_>) -> Result<()> {
        if !self.is_known(testbed) {
            self.find(testbed)?;
        }
        let members = self.read.members_of(testbed);
        let is_whole = members.first().is_some_and(|name| name == testbed);
        let is_retired = |it: &&RecordedTestbed| {
            it.testbed == testbed || is_whole && members.contains(&it.testbed)
        };
        let runs: usize = self.testbeds.iter().filter(is_retired).map(|it| it.runs).sum();
        let runs = counted(runs, "run");
        let done = format!("{runs} of {testbed} are left out; nothing is deleted");
        decide(testbed, TestbedChange::Retired, &done, context)
    }

    /// Returns whether a testbed has runs under its own name, or others have theirs under it.
    fn is_known(&self, name: &str) -> bool {
        self.testbeds.iter().any(|it| it.testbed == name || self.read.name_of(&it.testbed) == name)
    }

    /// Finds a testbed with runs; of a name that several share, one of them.
    fn find(&self, name: &str) -> Result<&RecordedTestbed> {
        let exact = self.testbeds.iter().find(|it| it.testbed == name);
        let found = exact
            .or_else(|| self.testbeds.iter().find(|it| self.read.name_of(&it.testbed) == name));
        found.ok_or_else(|| {
            let known: Vec<&str> = self.testbeds.iter().map(|it| it.testbed.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            CommandError::Usage(format!("no run is of the testbed `{name}`; there are: {known}"))
        })
    }
}

/// Takes back the newest decision about a testbed, or about one that joined its history.
fn restore(testbed: &str, context: &mut CommandContext<'_>) -> Result<()> {
    let is_about = |it: &&TestbedDecision| {
        it.testbed == testbed
            || matches!(&it.change, TestbedChange::ReadAs(name) if name == testbed)
    };
    let testbeds = context.store.decisions()?.value.testbeds;
    let Some(newest) = testbeds.decisions().iter().rev().find(is_about) else {
        return refuse(format!(
            "nothing is decided about `{testbed}`; `cargo perftest testbeds` lists all"
        ));
    };
    // First: who kills the command between brings no retired run back.
    keep_retired(newest, &testbeds, context)?;
    let at_ms = context.now_ms();
    context.store.annotate(Annotation::Revocation { of: &newest.id, at_ms })?;
    let over = format_args!("{} is no longer {}", newest.testbed, in_words(newest));
    write_line(context.out, &over)?;
    let testbeds = context.store.decisions()?.value.testbeds;
    if let Some(before) = testbeds.decisions().iter().rev().find(is_about) {
        let stays = format_args!("{} is still {}", before.testbed, in_words(before));
        write_line(context.out, &stays)?;
        print_way_back(testbed, context)?;
    }
    Ok(())
}

/// Retires by their own names the testbeds that leave a history which was retired as a whole: their runs would else be
/// read again. An earlier decision may have brought several into that history.
fn keep_retired(
    leaving: &TestbedDecision,
    testbeds: &Testbeds,
    context: &CommandContext<'_>,
) -> Result<()> {
    if !matches!(leaving.change, TestbedChange::ReadAs(_)) {
        return Ok(());
    }
    let others = testbeds.decisions().iter().filter(|it| it.id != leaving.id);
    let mut left: Vec<TestbedDecision> = others.cloned().collect();
    for member in testbeds.members_of(&leaving.testbed) {
        let (read, until_ms) = (Testbeds::of(&left), testbeds.retired_ms(&member));
        let comes_back = read.retired_ms(&member) < until_ms;
        let Some(given_ms) = until_ms.filter(|_| comes_back) else { continue };
        let (id, testbed) = (id_behind(&read, context.now_ms()), read.name_of(&member));
        let decision = TestbedDecision { id, testbed, change: TestbedChange::Retired, given_ms };
        context.store.annotate(Annotation::Testbed(&decision))?;
        left.push(decision);
    }
    Ok(())
}

/// What a testbed is by a decision.
fn in_words(decision: &TestbedDecision) -> String {
    match &decision.change {
        TestbedChange::ReadAs(name) => format!("read as {name}"),
        TestbedChange::Retired => format!("retired up to {}", local_minute(decision.given_ms)),
    }
}

/// Records a decision, and prints what it has `done`.
fn decide(
    testbed: &str,
    change: TestbedChange,
    done: &str,
    context: &mut CommandContext<'_>,
) -> Result<()> {
    let given_ms = context.now_ms();
    let id = id_behind(&context.store.decisions()?.value.testbeds, given_ms);
    let decision = TestbedDecision { id, testbed: testbed.to_owned(), change, given_ms };
    context.store.annotate(Annotation::Testbed(&decision))?;
    write_line(context.out, &done)?;
    Ok(print_way_back(testbed, context)?)
}

/// Returns an id behind those of all decisions, one of which may be of a machine whose clock is ahead. Of two ids of the
/// last time that an id can have, the one of the later line counts.
fn id_behind(testbeds: &Testbeds, now_ms: u64) -> String {
    const LAST_MS: u64 = (1 << 48) - 1;
    let newest_ms = testbeds.decisions().last().and_then(|it| time_in_ms(&it.id));
    new_id(newest_ms.map_or(now_ms, |newest_ms| now_ms.max(newest_ms + 1).min(LAST_MS)))
}

/// Returns the time in a ULID, in milliseconds since 1970; `None` where the id is none.
fn time_in_ms(id: &str) -> Option<u64> {
    const DIGITS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let digits = RunId::time_in(id).chars().map(|digit| DIGITS.find(digit));
    digits.into_iter().try_fold(0, |time_ms, digit| Some(32 * time_ms + digit? as u64))
}

fn print_way_back(testbed: &str, context: &mut CommandContext<'_>) -> std::io::Result<()> {
    writeln!(context.out, "take it back with: cargo perftest testbeds restore {testbed}")
}

/// Returns the processor of a testbed, as the context of its newest run has it.
fn processor(testbed: &RecordedTestbed, context: &CommandContext<'_>) -> Option<String> {
    if testbed.context.is_empty() {
        return None;
    }
    // A context that another tool wrote is no hash of ours.
    let text = context.store.context(&testbed.context).ok().flatten()?;
    let json: Value = serde_json::from_str(&text).ok()?;
    let mut fields = json["machine"].as_str()?.split('|');
    let cpu = fields.find_map(|field| field.strip_prefix("cpu="))?;
    Some(cpu.to_owned()).filter(|cpu| !cpu.is_empty() && *cpu != "-")
}

/// Returns whether a machine could have this testbed.
fn is_name(name: &str) -> bool {
    let is_plain = |it: &str| {
        let is_allowed = |character: char| {
            character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
        };
        !it.is_empty() && it.chars().all(is_allowed)
    };
    name.split_once('/').is_some_and(|(label, rest)| is_plain(label) && is_plain(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_behind_all_others_also_behind_one_of_the_last_time() {
        for newest_ms in [1, 2_000, (1 << 48) - 1] {
            let id = RunId::new(newest_ms, 0).as_str().to_owned();
            let (testbed, change) = ("ci/7f3a2b".to_owned(), TestbedChange::Retired);
            let newest = TestbedDecision { id, testbed, change, given_ms: 1 };
            let id = id_behind(&Testbeds::of(std::slice::from_ref(&newest)), 1_000);
            assert!(RunId::time_in(&id) >= RunId::time_in(&newest.id), "{id} {}", newest.id);
        }
    }
}
