//! `perftest.toml` and `PERFTEST_*` variables.

use crate::rules::RulesFile;
use crate::scratch::in_empty_directory;
use crate::settings::{duration, of_variables, percent, read_file};
use perftest_core::model::Tolerance;
use perftest_core::words::plain_quantity;
use std::collections::BTreeMap;
use std::fs;

/// Harness and tool read the same file: what is no TOML for the one is none for the other. Settings are printed as
/// they can be written.
pub(super) fn run(data: &[u8]) {
    in_empty_directory(|directory| {
        fs::write(directory.join(RulesFile::NAME), data).unwrap();
        let of_tests = read_file(directory);
        let of_the_tool = RulesFile::nearest(directory, directory);
        if let (Err(why), Ok(_)) = (&of_tests, &of_the_tool) {
            assert!(!why.contains("this is no TOML"), "the tool reads what tests refuse: {why}");
        }
    });
    let text = String::from_utf8_lossy(data);
    let variables: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once('=')).collect();
    let Ok(layer) = of_variables(&|name| variables.get(name).map(|it| (*it).to_owned())) else {
        return;
    };
    for time in [layer.budget, layer.timeout, layer.limit].into_iter().flatten() {
        let printed = plain_quantity(time.as_nanos() as f64, "ns");
        let read = duration(&printed).unwrap_or_else(|| panic!("{printed} is no time"));
        let ratio = read.as_secs_f64() / time.as_secs_f64();
        assert!((ratio - 1.0).abs() < 1e-9, "{time:?} is printed as {printed}");
    }
    if let Some(share) = layer.tolerance.filter(|share| *share > 1e-4) {
        let printed = percent(share);
        let read: Tolerance = printed.parse().unwrap_or_else(|_| panic!("{printed} is none"));
        assert!((read.share() - share).abs() < 1e-7, "{share} is printed as {printed}");
    }
}
