//! What `#[perf_test]` refuses, that what it writes compiles where its users are strict, and that the
//! snippets of the user guide are perf tests.

#[path = "../ui/registration.rs"]
mod registration;

use perftest_tests::{ALIGNED, PROFILE, clean_command};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::{env, fs, io};

/// The pages of the guide in their order.
const GUIDE: [&str; 8] = [
    include_str!("../../docs/guide/1-first-test.md"),
    include_str!("../../docs/guide/2-writing-tests.md"),
    include_str!("../../docs/guide/3-reading-a-verdict.md"),
    include_str!("../../docs/guide/4-ci.md"),
    include_str!("../../docs/guide/5-comparing-revisions.md"),
    include_str!("../../docs/guide/6-noisy-machines.md"),
    include_str!("../../docs/guide/7-history-and-alerts.md"),
    include_str!("../../docs/guide/8-profiles-and-reports.md"),
];

/// The expansion stands under `cfg(test)`, and these compile without it: a misuse is refused
/// wherever it stands. With `REFUSALS=write` the messages are written beside the cases instead.
#[test]
fn a_misuse_is_refused_at_its_cause() {
    let package = Package::of("refused_by_attribute", "perftest", "", &[]).unwrap();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/refused");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let cases: Vec<PathBuf> = files.filter(|file| file.extension().unwrap() == "rs").collect();
    assert!(cases.len() > 20, "only {} cases", cases.len());
    // One of them is called `crate`, which is no name of a program.
    let program = |case: &Path| format!("refused_{}", case.file_stem().unwrap().display());
    for case in &cases {
        let lines = format!("[[bin]]\nname = {:?}\npath = {case:?}\n", program(case));
        package.add(&lines).unwrap();
    }
    let refusals = package.refusals().unwrap();
    for case in cases {
        let refusal = refusals.get(&program(&case)).map_or("", String::as_str);
        let expected = case.with_extension("stderr");
        if env::var_os("REFUSALS").is_some_and(|it| it == "write") {
            fs::write(&expected, refusal).unwrap();
        }
        assert_eq!(refusal, fs::read_to_string(&expected).unwrap(), "{}", case.display());
    }
}

#[test]
fn without_cfg_test_nothing_of_a_perf_test_is_compiled() {
    let package = Package::of("vanishes", "perftest", "", &[]).unwrap();
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/vanishes_without_cfg_test.rs");
    package.add(&target("bin", &case)).unwrap();
    assert_compiles(&package.build("run", &[]).unwrap());
}

#[test]
fn the_expansion_compiles_where_warnings_are_errors() {
    let package = Package::new("expanded", "perftest", "ui/expanded").unwrap();
    assert_compiles(&package.cargo("check", &["--tests"]).unwrap());
}

#[test]
fn the_expansion_compiles_in_the_first_edition() {
    let package = Package::new("edition_2015", "perftest", "ui/edition_2015").unwrap();
    let text = fs::read_to_string(&package.manifest).unwrap();
    fs::write(&package.manifest, text.replace("\"2024\"", "\"2015\"")).unwrap();
    assert_compiles(&package.cargo("check", &["--tests"]).unwrap());
}

#[test]
fn the_expansion_is_silent_under_pedantic_clippy() {
    let package = Package::new("pedantic", "perftest", "ui/expanded").unwrap();
    let flags = ["--tests", "--", "-Dwarnings", "-Dclippy::pedantic"];
    assert_compiles(&package.cargo("clippy", &flags).unwrap());
}

#[test]
fn the_expansion_follows_a_renamed_crate() {
    let package = Package::new("renamed", "my_perftest", "ui/renamed").unwrap();
    assert_compiles(&package.cargo("check", &["--tests"]).unwrap());
}

/// Run as tests, each a target of its own.
#[test]
fn every_snippet_of_the_guide_compiles_and_runs() {
    let text = run_snippets("guide", &GUIDE.concat()).unwrap();
    assert!(text.contains("5 passed"), "the snippet of several cases has five tests:\n{text}");
}

#[test]
fn every_snippet_of_the_page_on_the_attribute_compiles_and_runs() {
    let page = include_str!("../../docs/reference/attribute.md");
    let text = run_snippets("attribute", page).unwrap();
    assert!(text.contains("5 passed"), "the snippet of a list of values has five tests:\n{text}");
}

#[test]
fn every_snippet_of_the_page_on_settings_compiles_and_runs() {
    let text = run_snippets("settings", include_str!("../../docs/reference/settings.md")).unwrap();
    assert!(text.contains("without --bench"), "a bench target prints why it runs once:\n{text}");
}

#[test]
fn every_snippet_of_the_page_on_metrics_and_stages_compiles_and_runs() {
    let page = include_str!("../../docs/reference/metrics.md");
    let text = run_snippets("metrics", page).unwrap();
    assert!(text.contains("2 passed"), "the snippet of stages has two tests:\n{text}");
}

/// The message that lists them lists all.
#[test]
fn every_key_of_the_attribute_is_on_the_page_of_settings() {
    let messages =
        [include_str!("../ui/refused/keys.stderr"), include_str!("../ui/refused/expert.stderr")];
    let listed = messages.map(|text| {
        let list = text.lines().find_map(|line| line.split_once("the keys are "));
        list.expect("a list of keys").1
    });
    let page = include_str!("../../docs/reference/settings.md");
    let heads = page.lines().filter(|line| line.starts_with("| `"));
    let heads: Vec<&str> = heads.filter_map(|line| line.split(" | ").next()).collect();
    for key in listed.iter().flat_map(|keys| keys.split(", ")) {
        assert!(heads.iter().any(|it| it.contains(&format!("`{key}`"))), "no row has `{key}`");
    }
}

/// Compiled as tests: without `cfg(test)` there would be no body to compile.
#[test]
fn the_snippets_of_the_page_on_bodies_compile() {
    let snippets = snippets(include_str!("../../docs/reference/bodies.md"));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui/bodies.rs");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, snippets.join("\n")).unwrap();
    let tokio =
        "tokio = { version = \"1\", default-features = false, features = [\"rt\", \"sync\"] }";
    let package = Package::of("bodies", "perftest", tokio, &[file]).unwrap();
    assert_compiles(&package.cargo("check", &["--tests"]).unwrap());
}

/// These also show that the tests above can fail: the expansion is really compiled.
#[test]
fn what_only_the_types_show_is_refused_by_the_compiler() {
    let package = Package::new("refused", "perftest", "ui/refused_by_types").unwrap();
    let refusal = |case| {
        let output = package.cargo("check", &["--test", case]).unwrap();
        assert!(!output.status.success(), "{case} compiled");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let mut refusals = BTreeMap::new();
    for (case, cause) in [
        ("amount", "`bytes(..)` and `items(..)` take a whole number"),
        ("amount", "#[perf_test(throughput = bytes(1.5))]"),
        ("amount", "#[perf_test(throughput = items(\"1 MiB\"))]"),
        ("amount", "#[perf_test(args = [1, 2], throughput = bytes(|n| f64::from(*n)))]"),
        ("amount", "#[perf_test(metrics = [wall, cpu = TEN_TIMES_MORE])]"),
        ("args", "fn another_type(b: &mut Bencher, n: usize) {"),
        ("args", "fn copied(opaque: Opaque) {"),
        ("args", "#[perf_test(args = [Opaque])]"),
        ("args", "#[perf_test(args = 64)]"),
        ("bencher", "fn bencher(_: &mut String) {}"),
        ("budget", "#[perf_test(budget = 1 + 1)]"),
        ("curve", "#[perf_test(expert(curve = [(2, 4.0), (30, 1.04)]))]"),
        ("curve", "#[perf_test(tolerance = TOLERATED, expert(curve = [(9, 1.1)]))]"),
        ("errors", "fn returned() -> Result<u64, Opaque> {"),
        ("errors", "fn of_a_body_with_a_bencher(b: &mut Bencher) -> Result<(), Opaque> {"),
        ("errors", "`Opaque` doesn't implement `Debug`"),
        ("futures", "#[perf_test(versus = fetched)]"),
        ("futures", "#[perf_test(args = [1, 2], versus = fetched_by)]"),
        ("futures", "#[perf_test(versus = prepared)]"),
        ("futures", "fn makes_a_future() -> Ready<u64> {"),
        ("futures", "fn makes_an_async_block() -> impl Future<Output = u64> {"),
        ("futures", "returns a future that is never awaited"),
        ("no_time", "`budget` takes a time above zero"),
        ("no_time", "#[perf_test(budget = NOTHING)]"),
        ("no_time", "`limit` takes a time above zero"),
        ("no_time", "#[perf_test(limit = Duration::ZERO)]"),
        ("no_time", "#[perf_group(limit = Duration::MAX)]"),
        ("runtime", "#[perf_test(runtime = String::new())]"),
        ("threads", "cannot be shared between threads safely"),
        ("threads", "b.iter(|| calls += 1);"),
        ("threads", "#[perf_test(threads = [2], args = [Rc::new(1)])]"),
        ("threads", "fn the_wrong_bencher(b: &mut Renamed) {"),
        ("tolerance", "#[perf_test(tolerance = TEN_TIMES_MORE)]"),
        ("types", "#[perf_test(types = [u8, std::thread::Thread])]"),
        ("unawaited", "`AFutureNeedsIterAsync` declared on the method `iter`"),
        ("unawaited", "b.iter(|| async { 1 });"),
        ("unawaited", "b.iter(async || 2);"),
        ("unawaited", "b.iter(|| fetched());"),
        ("unawaited", "b.iter_stages(|_| async { 4 });"),
        ("unawaited", "b.with_setup(|| 5).iter(|n| async move { n });"),
        ("unawaited", "b.with_inputs(|i| i).iter_stages(|n, _| async move { n + 6 });"),
        ("unawaited", "b.with_setup(|| 7).iter_mut(|n| ready(*n));"),
        ("unawaited", "b.with_setup(|| 8).with_teardown(drop).iter_mut("),
        ("unawaited", "b.iter(|| async { 9 });"),
        ("unawaited", "b.with_setup(|| 10).iter(|n| async move { n });"),
        ("unawaited", "b.with_setup(|| 11).iter_mut(|n| ready(*n));"),
        ("unawaited", "`AFutureNeedsAwait` declared on the method `iter_async`"),
        ("unawaited", "b.iter_async(async || fetched()).await;"),
        ("unawaited", "b.with_setup(|| 13).iter_async(async |n| ready(n)).await;"),
        ("versus", "#[perf_test(versus = takes_text)]"),
        ("versus", "#[perf_test(args = [1, 2], versus = takes_text)]"),
        ("versus", "VersusNamesAPerfTest"),
    ] {
        let text = refusals.entry(case).or_insert_with(|| refusal(case));
        assert!(text.contains(cause), "{case} has no error at `{cause}`:\n{text}");
    }
}

/// Runs the snippets of a page as tests, and gives what they print.
fn run_snippets(name: &str, page: &str) -> io::Result<String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui/snippets").join(name);
    fs::create_dir_all(&directory)?;
    let files = (1..).zip(snippets(page)).map(|(number, snippet)| {
        let harness = if snippet.contains("main!()") { "_without_harness" } else { "" };
        let file = directory.join(format!("{name}_{number}{harness}.rs"));
        fs::write(&file, snippet).map(|()| file)
    });
    let files: io::Result<Vec<PathBuf>> = files.collect();
    let package = Package::of(&format!("snippets_{name}"), "perftest", "", &files?)?;
    package.leave_unoptimised()?;
    let output = package.build("test", &["--tests"])?;
    assert_compiles(&output);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The Rust snippets of a page.
fn snippets(page: &str) -> Vec<&str> {
    let snippets = page.split("```rust\n").skip(1);
    snippets.filter_map(|rest| rest.split("```").next()).collect()
}

fn assert_compiles(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A package outside the workspace, with every file of a directory as a test target.
struct Package {
    manifest: PathBuf,
}

impl Package {
    /// `dependency` is the name under which the package knows `perftest`. A file that ends in
    /// `without_harness` becomes a target with `harness = false`.
    fn new(name: &str, dependency: &str, cases: &str) -> io::Result<Self> {
        let cases = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(cases))?;
        let cases: io::Result<Vec<PathBuf>> = cases.map(|case| Ok(case?.path())).collect();
        Self::of(name, dependency, "", &cases?)
    }

    /// The same of these files, with a further line of dependencies.
    fn of(name: &str, dependency: &str, further: &str, files: &[PathBuf]) -> io::Result<Self> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
        let mut text = format!(
            "[workspace]\n[package]\nname = {name:?}\nedition = \"2024\"\n[dependencies]\n\
             {dependency} = {{ package = \"perftest\", path = {:?} }}\n{further}\n",
            workspace.join("perftest")
        );
        for file in files {
            text.push_str(&target("test", file));
        }
        text.push_str(PROFILE);
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui").join(name);
        fs::create_dir_all(directory.join("src"))?;
        fs::create_dir_all(directory.join(".cargo"))?;
        fs::write(directory.join(".cargo/config.toml"), ALIGNED)?;
        fs::write(directory.join("src/lib.rs"), "//! Only its tests matter.\n")?;
        // The versions that the workspace has are there without a network.
        fs::copy(workspace.join("Cargo.lock"), directory.join("Cargo.lock"))?;
        let manifest = directory.join("Cargo.toml");
        fs::write(&manifest, text)?;
        Ok(Self { manifest })
    }

    /// Adds lines to the manifest.
    fn add(&self, lines: &str) -> io::Result<()> {
        let text = fs::read_to_string(&self.manifest)?;
        fs::write(&self.manifest, text + lines)
    }

    /// Builds the package without optimisation, and its dependencies as ever.
    fn leave_unoptimised(&self) -> io::Result<()> {
        let name = self.directory().file_name().unwrap_or_default().to_string_lossy();
        let settings = "opt-level = 0\ndebug-assertions = true\n";
        self.add(&format!("[profile.release.package.{name}]\n{settings}"))
    }

    fn directory(&self) -> &Path {
        self.manifest.parent().expect("a manifest is in a directory")
    }

    /// The messages of the compiler about each program, with places seen from the package of these tests.
    fn refusals(&self) -> io::Result<BTreeMap<String, String>> {
        let output = self.cargo("check", &["--bins", "--keep-going", "--message-format=json"])?;
        let mut refusals: BTreeMap<String, String> = BTreeMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line: Value = serde_json::from_str(line)?;
            let text = line["message"]["rendered"].as_str().unwrap_or_default();
            let is_note = line["message"]["level"] == "failure-note";
            if text.is_empty() || is_note || text.starts_with("error: aborting due to") {
                continue;
            }
            let program = line["target"]["name"].as_str().unwrap_or_default();
            let refusal = refusals.entry(program.to_owned()).or_default();
            let gap = if refusal.is_empty() { "" } else { "\n" };
            *refusal += &format!("{gap}{}\n", text.trim_end());
        }
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/");
        refusals.values_mut().for_each(|text| *text = text.replace(here, ""));
        Ok(refusals)
    }

    /// Cargo where nothing is built: all is checked.
    fn cargo(&self, subcommand: &str, arguments: &[&str]) -> io::Result<Output> {
        self.cargo_in("ui/target", subcommand, arguments)
    }

    /// Cargo where the end-to-end tests build their tiny projects, so that the dependencies are
    /// compiled once.
    fn build(&self, subcommand: &str, arguments: &[&str]) -> io::Result<Output> {
        let arguments = [&["--release"], arguments].concat();
        self.cargo_in("tiny-projects/target", subcommand, &arguments)
    }

    fn cargo_in(&self, target: &str, subcommand: &str, arguments: &[&str]) -> io::Result<Output> {
        clean_command(env!("CARGO"))
            .arg(subcommand)
            .args(["--offline", "--quiet", "--color", "never", "--target-dir"])
            .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join(target))
            .args(arguments)
            .env("PERFTEST_STORE", "off")
            .current_dir(self.directory())
            .output()
    }
}

/// A target of this kind, named as its file.
fn target(kind: &str, path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let harness = !name.ends_with("without_harness");
    format!("[[{kind}]]\nname = {name:?}\npath = {path:?}\nharness = {harness}\n")
}
