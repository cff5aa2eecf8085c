//! The variables of `[env]` in cargo's configuration, which cargo sets for tests and not for the tool.

use crate::bench::{Bench, line_of};
use crate::{PERF, STEADY, slower};
use perftest_tests::{ALIGNED, TempStore, patiently, until_it_ends_with};

/// Gives `other` a case and work by variables, whose values stand in the configuration.
fn need_variables(bench: &Bench) {
    configure(bench, "ROUNDS = \"500\"\nCORPUS = { value = \"words\", relative = true }");
    bench.replace(
        PERF,
        "#[perf_test]\nfn other() -> u64 {\n    tiny::work(500)",
        "fn rounds() -> [u64; 1] {\n    [std::env::var(\"ROUNDS\").unwrap().parse().unwrap()]\n}\n\n\
         #[perf_test(args = rounds())]\nfn other(rounds: u64) -> u64 {\n    \
         tiny::work(rounds + u64::from(std::env::var(\"CORPUS\").unwrap().ends_with(\"words\")))",
    );
}

fn configure(bench: &Bench, variables: &str) {
    bench.write(".cargo/config.toml", &format!("{ALIGNED}[env]\n{variables}\n"));
}

#[test]
fn a_body_gets_the_variables_of_cargos_configuration() {
    let bench = Bench::new();
    need_variables(&bench);
    bench.commit();
    let same = bench.compare(&["HEAD", "--", "other"]).run().ended_with(0);
    assert!(line_of(&same, "tiny::perf::other::500").contains("same code"), "{same}");
    let measured = ["HEAD", "--measure-same-code", "--history", "--pairs", "5", "--", "other"];
    let store = TempStore::new();
    let compare = || {
        store.clear();
        until_it_ends_with(0, || bench.compare(&measured).store(&store).run())
    };
    let has_recorded = ["tiny::perf::other::500: 5 runs of the base are its history now"];
    patiently(compare, |compared| compared.has(&has_recorded)).prints(&has_recorded);
}

#[test]
fn executables_get_the_variables_of_the_current_directory() {
    let bench = Bench::new();
    need_variables(&bench);
    let executable = bench.executable("base");
    let twice = ["--executables", &executable, &executable, "--measure-same-code", "--pairs", "5"];
    let measured = until_it_ends_with(0, || bench.compare(&twice).args(&["--", "other"]).run());
    line_of(&measured, "tiny::perf::other::500");
}

#[test]
fn another_value_of_a_variable_is_not_the_same_code() {
    let bench = Bench::new();
    let work = "tiny::work(1500 * std::env::var(\"ROUNDS\").unwrap().parse::<u64>().unwrap())";
    bench.replace(PERF, "tiny::work(1500)", work);
    configure(&bench, "ROUNDS = \"1\"");
    bench.commit();
    configure(&bench, "ROUNDS = \"10\"");
    slower(&bench, &["HEAD", "--", "perf"]);
}

#[test]
fn the_same_code_that_reads_another_file_is_measured() {
    let bench = Bench::new();
    let rounds = "1500 * std::fs::read_to_string(\"rounds.txt\").unwrap().parse::<u64>().unwrap()";
    bench.replace(PERF, "tiny::work(1500)", &format!("tiny::work({rounds})"));
    bench.write("rounds.txt", "1");
    bench.commit();
    bench.write(".github/workflows/ci.yml", "on: push\n");
    let same = bench.compare(&["HEAD", "--", "perf"]).run().ended_with(0);
    assert!(line_of(&same, "tiny::perf::steady").contains("same code"), "{same}");
    bench.write("rounds.txt", "100");
    slower(&bench, &["HEAD", "--", "perf"]).warns(&["note: rounds.txt differs between the sides"]);
}

#[test]
fn a_changed_file_is_data_for_the_tests_of_the_package_around_it_and_of_those_inside_that_one() {
    const COUNT: &str = "member::perf::count";
    let bench = Bench::new();
    bench.add_member("#[perf_test]\nfn count() -> u64 {\n    tiny::work(1500)\n}\n");
    let files = ["deny.toml", "member/words.txt", "testdata/words.txt"];
    files.iter().for_each(|file| bench.write(file, "one"));
    bench.commit();
    // The last run's report is no data.
    bench.write("perf.xml", "<testsuites/>");
    for (file, measured) in files.into_iter().zip([&[][..], &[COUNT], &[COUNT, STEADY]]) {
        bench.write(file, "two");
        let arguments = ["HEAD", "--workspace", "--pairs", "5", "--", STEADY, COUNT];
        let compared = bench.compare(&arguments).run();
        for test in [COUNT, STEADY] {
            let is_same_code = line_of(&compared, test).contains("same code");
            assert_eq!(is_same_code, !measured.contains(&test), "{file} {test} {compared}");
        }
        bench.git(&["checkout", "--quiet", file]);
    }
}

#[test]
fn another_shared_library_of_the_build_is_not_the_same_code() {
    let bench = Bench::new();
    bench.replace("Cargo.toml", "[workspace]", "[workspace]\nmembers = [\"shared\"]");
    bench.replace(
        "Cargo.toml",
        "[dev-dependencies]",
        "[dev-dependencies]\nshared = { path = \"shared\" }",
    );
    let package = "[package]\nname = \"shared\"\nversion = \"0.1.0\"\nedition = \"2024\"";
    bench.write("shared/Cargo.toml", &format!("{package}\n[lib]\ncrate-type = [\"dylib\"]\n"));
    bench.write("shared/src/lib.rs", "#[inline(never)]\npub fn rounds() -> u64 {\n    1500\n}\n");
    bench.replace(PERF, "tiny::work(1500)", "tiny::work(shared::rounds())");
    bench.commit();
    let same = bench.compare(&["HEAD", "--", "perf"]).run().ended_with(0);
    assert!(line_of(&same, "tiny::perf::steady").contains("same code"), "{same}");
    bench.replace("shared/src/lib.rs", "1500", "15000");
    slower(&bench, &["HEAD", "--", "perf"]);
}
