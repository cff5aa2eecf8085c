//! `cargo perftest machine`: what makes measurements of this machine comparable, in clear text.

use crate::args::{MachineArgs as Args, OutputFormat};
use crate::doctor::{SpeedSeries, ValueSpread};
use crate::exit::Result;
use crate::look;
use crate::report::{Table, write_json_line};
use crate::testbed::Testbed;
use perftest_core::model::{PowerSettings, Reading};
use perftest_machine::{Epoch, MachineIdentity};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The text for a missing value in the fingerprint.
const NO_VALUE: &str = "-";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let identity = MachineIdentity::of_this_machine();
    let machine = Description {
        testbed: Testbed::of_machine(&identity),
        identity: identity_fields(&identity),
        epoch: epoch_fields(Epoch::of_this_machine()),
        speed: look::at_speed(),
    };
    match args.answer.format() {
        OutputFormat::Json => write_json_line(out, &as_json(&machine))?,
        OutputFormat::Table => write_words(&machine, out)?,
    }
    Ok(())
}

struct Description {
    testbed: Testbed,
    /// Part of the fingerprint.
    identity: Vec<(String, String)>,
    /// Stored beside the runs.
    epoch: Vec<(&'static str, Reading<String>)>,
    speed: SpeedSeries,
}

/// Returns the fields of the hashed text itself, so that none can be missing.
fn identity_fields(identity: &MachineIdentity) -> Vec<(String, String)> {
    let text = identity.fingerprint_text();
    let fields = text.split('|').skip(1).filter_map(|field| field.split_once('='));
    fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn epoch_fields(epoch: Epoch) -> Vec<(&'static str, Reading<String>)> {
    let PowerSettings { governor, preference, profile, boost, cap_khz, hardware_khz } = epoch.power;
    vec![
        ("kernel", epoch.kernel),
        ("microcode", epoch.microcode),
        ("clock_source", epoch.clock_source),
        ("address_randomisation", text(epoch.address_randomisation)),
        ("transparent_huge_pages", epoch.transparent_huge_pages),
        ("smt_is_active", text(epoch.smt_is_active)),
        ("isolated_cpus", epoch.isolated_cpus),
        ("nohz_full_cpus", epoch.nohz_full_cpus),
        ("power_limit_uw", text(epoch.power_limit_uw)),
        ("power_limit_window_us", text(epoch.power_limit_window_us)),
        ("governor", governor),
        ("preference", preference),
        ("profile", profile),
        ("boost", text(boost)),
        ("cap_khz", text(cap_khz)),
        ("hardware_khz", text(hardware_khz)),
    ]
}

fn text(reading: Reading<impl ToString>) -> Reading<String> {
    match reading {
        Reading::Value(value) => Reading::Value(value.to_string()),
        Reading::Absent(why) => Reading::Absent(why),
    }
}

fn write_words(machine: &Description, out: &mut dyn Write) -> Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}\n", machine.testbed.name())?;
    let probes = [
        ("clock", in_unit(&machine.speed.clock_ghz, "GHz", 2)),
        ("reference_kernel", in_unit(&machine.speed.reference_ns, "ns", 0)),
    ];
    let hashed = machine.identity.iter().map(|(name, value)| (&**name, "yes", value.clone()));
    let others = machine.epoch.iter().chain(&probes);
    Table::of(hashed.chain(others.map(|(name, it)| (*name, "no", in_words(it)))))
        .column("field", |(name, ..)| *name)
        .column("hashed", |(_, is_hashed, _)| *is_hashed)
        .column("value", |(.., value)| value.clone())
        .whole()
        .write(out)?;
    Ok(())
}

fn in_words(reading: &Reading<String>) -> String {
    match reading {
        Reading::Value(value) if value.is_empty() => "none".into(),
        Reading::Value(value) => value.clone(),
        Reading::Absent(why) => format!("{NO_VALUE} ({why})"),
    }
}

fn in_unit(reading: &Reading<ValueSpread>, unit: &str, decimals: usize) -> Reading<String> {
    match reading {
        Reading::Value(ValueSpread { median, low, high }) => Reading::Value(format!(
            "{median:.decimals$} {unit} ({low:.decimals$} to {high:.decimals$})"
        )),
        Reading::Absent(why) => Reading::absent(why.clone()),
    }
}

fn as_json(machine: &Description) -> Value {
    let given = |value: &String| Some(value.clone()).filter(|value| value != NO_VALUE);
    let identity = machine.identity.iter().map(|(name, value)| (name.clone(), json!(given(value))));
    let epoch = machine.epoch.iter();
    let epoch = epoch.map(|(name, reading)| ((*name).to_owned(), json!(reading.value())));
    let median = |reading: &Reading<ValueSpread>| reading.get().map(|spread| spread.median);
    json!({
        "event": "machine",
        "v": 1,
        "testbed": machine.testbed.name(),
        "label": machine.testbed.label,
        "fingerprint": machine.testbed.fingerprint,
        "identity": identity.collect::<Map<_, _>>(),
        "epoch": epoch.collect::<Map<_, _>>(),
        "clock_ghz": median(&machine.speed.clock_ghz),
        "reference_ns": median(&machine.speed.reference_ns),
    })
}
