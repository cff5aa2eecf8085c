//! The map, the layering, the licences and the test command are what they say they are.

#![allow(clippy::unwrap_used)] // A test fails with the text of the error.

use perftest_process::git_command;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is inside the workspace")
        .into()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All `.rs` files of the workspace's own crates, and of the peers.
fn source_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let places =
        MEMBERS.iter().chain(&["peers/formats", "peers/overhead", "peers/port", "peers/tango"]);
    let mut open: Vec<PathBuf> = places.map(|place| root().join(place)).collect();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

const MEMBERS: [&str; 14] = [
    "perftest-core",
    "perftest-analysis",
    "perftest-machine",
    "perftest-store",
    "perftest-process",
    "perftest-macros",
    "perftest",
    "cargo-perftest",
    "examples",
    "tests",
    "tests/conformance",
    "tests/fuzz_targets",
    "tests/performance",
    "tests/simulate",
];

/// What each crate may use of the others.
const LAYERS: [(&str, &[&str]); 8] = [
    ("perftest-core", &[]),
    ("perftest-analysis", &["perftest-core"]),
    ("perftest-machine", &["perftest-core"]),
    ("perftest-store", &["perftest-core"]),
    ("perftest-process", &["perftest-core", "perftest-store"]),
    ("perftest-macros", &[]),
    (
        "perftest",
        &[
            "perftest-core",
            "perftest-machine",
            "perftest-store",
            "perftest-process",
            "perftest-macros",
        ],
    ),
    (
        "cargo-perftest",
        &[
            "perftest-core",
            "perftest-analysis",
            "perftest-machine",
            "perftest-store",
            "perftest-process",
        ],
    ),
];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_lock_file_is_up_to_date() {
    for directory in [".", "peers", "fuzz", "ci/campaigns/threads"] {
        let output = Command::new(env!("CARGO"))
            .args(["update", "--workspace", "--locked"])
            .current_dir(root().join(directory))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{directory}: {text}");
    }
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().unwrap()
}

/// Names of what `package` needs when it is used, not when it is tested.
fn dependencies<'a>(metadata: &'a Value, package: &str) -> BTreeSet<&'a str> {
    let package = packages(metadata).iter().find(|it| it["name"] == package).unwrap();
    let needed = package["dependencies"].as_array().unwrap().iter();
    needed.filter(|it| it["kind"].is_null()).map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn every_file_the_map_names_exists() {
    let map = read("ARCHITECTURE.md");
    let map = prose(&map).collect::<Vec<_>>().join("\n");
    let quoted = map.split('`').skip(1).step_by(2);
    let paths: Vec<&str> =
        quoted.filter(|text| text.contains('/') || text.ends_with(".rs")).collect();
    assert!(paths.len() > 30, "the map names only {} files", paths.len());
    let missing: Vec<&&str> = paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "named in ARCHITECTURE.md but missing: {missing:?}");
}

/// The pages that people read, and those they link to.
fn pages() -> Vec<PathBuf> {
    let roots = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "docs/performance.md",
        "docs/reliability.md",
    ];
    let docs = ["docs/guide", "docs/reference", "docs/evidence"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    });
    let all = roots.iter().map(|name| root().join(name)).chain(docs);
    all.filter(|path| path.extension().is_some_and(|it| it == "md")).collect()
}

/// The lines of a page outside of its fenced blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let stays = |it: &char| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_');
    heading
        .to_lowercase()
        .chars()
        .filter(stays)
        .map(|it| if it == ' ' { '-' } else { it })
        .collect()
}

fn has_anchor(page: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(page).unwrap();
    let headings = prose(&text).filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#').trim()).any(|it| anchor(it) == wanted)
}

#[test]
fn every_link_of_a_page_resolves_with_its_anchor() {
    let mut links = 0;
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for line in prose(&text) {
            for rest in line.split("](").skip(1) {
                let link = rest.split(')').next().unwrap_or_default();
                if link.starts_with("http") {
                    continue;
                }
                links += 1;
                let (file, wanted) = link.split_once('#').unwrap_or((link, ""));
                let target = match file {
                    "" => page.clone(),
                    file => page.parent().unwrap().join(file),
                };
                if !target.exists() || (!wanted.is_empty() && !has_anchor(&target, wanted)) {
                    broken.push(format!("{}: {link}", page.display()));
                }
            }
        }
    }
    assert!(links > 100, "only {links} links were found");
    assert!(broken.is_empty(), "links to nowhere: {broken:#?}");
}

#[test]
fn the_readme_and_the_guide_stay_short() {
    assert!(read("README.md").lines().count() <= 120, "README.md");
    let guide: Vec<PathBuf> =
        pages().into_iter().filter(|page| page.starts_with(root().join("docs/guide"))).collect();
    assert_eq!(guide.len(), 8);
    for page in guide {
        let lines = fs::read_to_string(&page).unwrap().lines().count();
        assert!(lines <= 200, "{} has {lines} lines", page.display());
    }
}

#[test]
fn crates_use_each_other_only_as_the_map_draws_it() {
    let metadata = metadata();
    for (krate, allowed) in LAYERS {
        let used = dependencies(&metadata, krate);
        let ours: Vec<&str> =
            used.into_iter().filter(|name| LAYERS.iter().any(|(it, _)| it == name)).collect();
        let forbidden: Vec<&&str> = ours.iter().filter(|name| !allowed.contains(name)).collect();
        assert!(forbidden.is_empty(), "{krate} uses {forbidden:?}");
    }
}

#[test]
fn the_core_depends_on_nothing() {
    let metadata = metadata();
    assert_eq!(dependencies(&metadata, "perftest-core"), BTreeSet::new());
}

#[test]
fn the_analysis_depends_on_the_core_and_pragmastat_and_nothing_else() {
    let metadata = metadata();
    assert_eq!(
        dependencies(&metadata, "perftest-analysis"),
        BTreeSet::from(["perftest-core", "pragmastat"])
    );
}

/// A user of the harness compiles none of it, not even for the tests of a crate.
#[test]
fn the_tool_and_unpublished_tests_alone_use_the_analysis() {
    let metadata = metadata();
    let uses = |package: &&Value| {
        let needed = package["dependencies"].as_array().unwrap();
        needed.iter().any(|it| it["name"] == "perftest-analysis")
    };
    let users = packages(&metadata).iter().filter(uses);
    let users: BTreeSet<&str> = users.map(|it| it["name"].as_str().unwrap()).collect();
    let expected =
        ["cargo-perftest", "perftest-conformance", "perftest-fuzz-targets", "perftest-performance"];
    assert_eq!(users, BTreeSet::from(expected));
}

#[test]
fn the_analysis_is_as_pure_as_the_core() {
    let bans = |krate: &str| -> Vec<String> {
        let settings = read(&format!("{krate}/clippy.toml"));
        settings.split('"').skip(1).step_by(4).map(str::to_owned).collect()
    };
    assert!(bans("perftest-core").contains(&"std::fs::File".to_owned()));
    assert_eq!(bans("perftest-analysis"), bans("perftest-core"));
}

#[test]
fn the_store_depends_on_the_core_and_the_system_and_nothing_else() {
    let metadata = metadata();
    assert_eq!(
        dependencies(&metadata, "perftest-store"),
        BTreeSet::from(["libc", "perftest-core"])
    );
}

#[test]
fn what_asks_processes_depends_on_the_store_a_compressor_and_a_digest_and_nothing_else() {
    let metadata = metadata();
    assert_eq!(
        dependencies(&metadata, "perftest-process"),
        BTreeSet::from(["hmac-sha256", "lz4_flex", "perftest-core", "perftest-store"])
    );
}

/// What keeps histories starts no process and knows no variable of its surroundings.
#[test]
fn the_store_starts_no_process_and_reads_no_environment() {
    let home = root().join("perftest-store/src");
    for file in source_files().iter().filter(|file| file.starts_with(&home)) {
        let text = fs::read_to_string(file).unwrap();
        let (code, _) = text.split_once("\nmod tests").unwrap_or((&text, ""));
        let banned = ["process::Command", "env::var", "current_exe", "current_dir", "/proc/"];
        let found: Vec<&&str> = banned.iter().filter(|it| code.contains(**it)).collect();
        assert!(found.is_empty(), "{} has {found:?}", file.display());
    }
}

#[test]
fn every_dependency_has_a_licence_that_deny_toml_allows() {
    let deny = read("deny.toml");
    let list = deny.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let allowed: BTreeSet<&str> = list.split('"').skip(1).step_by(2).collect();
    let metadata = metadata();
    for package in packages(&metadata) {
        let licence = package["license"].as_str().unwrap_or("none given");
        // `A OR B` needs one, `A AND B` needs both; an old form writes `/` for OR.
        let spelled = licence.replace('/', " OR ").replace(['(', ')'], "");
        let is_allowed = spelled
            .split(" AND ")
            .all(|all_of| all_of.split(" OR ").any(|one_of| allowed.contains(one_of.trim())));
        assert!(is_allowed, "{}: {licence}", package["name"]);
    }
}

#[test]
fn what_is_published_has_its_licences_and_a_page() {
    let metadata = metadata();
    let is_published =
        |package: &&Value| package["source"].is_null() && package["publish"].is_null();
    let published: Vec<&Value> = packages(&metadata).iter().filter(is_published).collect();
    assert_eq!(published.len(), LAYERS.len());
    for package in published {
        let home = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let page = package["readme"].as_str().unwrap_or("README.md");
        for file in ["LICENSE-APACHE", "LICENSE-MIT", page] {
            assert!(home.join(file).is_file(), "{} has no {file}", package["name"]);
        }
    }
}

#[test]
fn what_we_are_compared_with_is_no_dependency_of_ours() {
    let metadata = metadata();
    assert!(packages(&metadata).iter().all(|it| it["name"] != "tango-bench"));
    assert!(read("peers/Cargo.lock").contains("name = \"tango-bench\""));
}

/// A table of docs/evidence/peers.md has what is ours in its second column, one of perf tests in its last.
#[test]
fn every_feature_beside_the_peers_has_a_test_or_is_marked_as_missing() {
    let page = read("docs/evidence/peers.md");
    let (features, written) = page.split_once("## Eighteen perf tests").unwrap();
    let features = features.split("## One set").next().unwrap();
    let proofs: Vec<&str> = cells(features, |row| row[1])
        .chain(cells(written, |row| row[row.len() - 1]))
        .filter(|cell| !matches!(*cell, "perftest" | "compiled by") && !cell.ends_with("---"))
        .collect();
    assert!(proofs.len() > 80, "docs/evidence/peers.md has only {} rows", proofs.len());
    let unproven: Vec<&str> =
        proofs.into_iter().filter(|proof| *proof != "no" && !is_a_test(proof)).collect();
    assert!(unproven.is_empty(), "neither `no` nor a test that is there: {unproven:?}");
}

/// One cell of each row of the tables of a text.
fn cells<'a>(text: &'a str, which: fn(&[&'a str]) -> &'a str) -> impl Iterator<Item = &'a str> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.map(move |row| which(&row.split(" | ").map(str::trim).collect::<Vec<_>>()))
}

/// `` `file::name` `` names a function below `#[test]` of that file.
fn is_a_test(proof: &str) -> bool {
    let named = proof.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    let Some((file, name)) = named.and_then(|named| named.rsplit_once("::")) else { return false };
    let Ok(text) = fs::read_to_string(root().join(file)) else { return false };
    let Some((before, _)) = text.split_once(&format!("fn {name}() ")) else { return false };
    let above = before.rsplit("\n\n").next().unwrap_or_default();
    above.contains("#[test]")
}

#[test]
fn unsafe_code_stays_in_the_files_of_the_map() {
    let homes = [
        "perftest/src/clock",
        "perftest/src/measure",
        "perftest-machine/src/cpuid.rs",
        "perftest-machine/src/probe/instructions.rs",
        "perftest-machine/src/linux/perf_event.rs",
        "perftest-machine/src/macos/notify.rs",
        "perftest-machine/src/macos/rusage.rs",
        "perftest-machine/src/macos/sysctl.rs",
        "perftest-machine/src/windows/pdh.rs",
        "perftest-machine/src/windows/power_calls.rs",
    ]
    .map(|home| root().join(home));
    let opened = format!("allow({})", "unsafe_code");
    for file in source_files() {
        let text = fs::read_to_string(&file).unwrap();
        let at_home = homes.iter().any(|home| file.starts_with(home));
        assert!(at_home || !text.contains(&opened), "{} allows unsafe code", file.display());
    }
}

/// The lints of one system do not see the code of the others.
#[test]
fn unsafe_code_of_every_system_has_its_argument() {
    /// Lines of one statement or attribute between the argument and its block.
    const MOST_BETWEEN: usize = 3;
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    // This file only names blocks, and what the attribute refuses is never compiled.
    let is_compiled =
        |file: &&PathBuf| !file.ends_with("tidy.rs") && !file.starts_with(root().join("tests/ui"));
    let mut blocks = 0;
    for file in source_files().iter().filter(is_compiled) {
        let text = fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| !is_comment(line)) {
            if !["unsafe {", "unsafe impl", "unsafe(link_section"]
                .iter()
                .any(|it| line.contains(it))
            {
                continue;
            }
            blocks += 1;
            let above = lines[..number].iter().rev();
            let between = above.clone().take_while(|line| !is_comment(line)).count();
            let mut argument = above.skip(between).take_while(|line| is_comment(line));
            assert!(
                between <= MOST_BETWEEN && argument.any(|line| line.contains("SAFETY:")),
                "{}:{} has no argument",
                file.display(),
                number + 1
            );
        }
    }
    assert!(blocks > 50, "only {blocks} blocks were found");
}

/// Rust supports glibc 2.17: a newer function than that would be an undefined symbol in every test executable.
#[test]
fn nothing_asks_for_a_function_that_the_oldest_c_library_lacks() {
    let newer = ["gettid", "getrandom", "memfd_create", "copy_file_range", "statx"];
    let homes =
        ["perftest/src", "perftest-machine/src", "perftest-process/src", "perftest-store/src"];
    let is_of_harness =
        |file: &&PathBuf| homes.iter().any(|home| file.starts_with(root().join(home)));
    for file in source_files().iter().filter(is_of_harness) {
        let text = fs::read_to_string(file).unwrap();
        let found: Vec<_> =
            newer.iter().filter(|name| text.contains(&format!("libc::{name}("))).collect();
        assert!(found.is_empty(), "{} calls {found:?}", file.display());
    }
}

/// In a hook, git of a test would commit where the hook runs, and settings of a developer change what programs print.
#[test]
fn tests_start_git_and_the_tool_in_a_clean_environment() {
    // The product itself, and a merge of files that are in no repository.
    let homes =
        ["perftest-process/src/project/git.rs", "perftest-store/tests/store/acceptances.rs"];
    let homes = homes.map(|home| root().join(home));
    for file in source_files().iter().filter(|file| !homes.contains(file)) {
        let text = fs::read_to_string(file).unwrap();
        for program in ["\"git\"", "env!(\"CARGO_BIN_EXE_cargo-perftest\")"] {
            let is_started = text.contains(&format!("Command::new({program}"));
            assert!(!is_started, "{}: start {program} by clean_command", file.display());
        }
    }
}

#[test]
fn no_source_file_is_longer_than_600_lines() {
    for file in source_files() {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 600, "{} has {lines} lines: look for a seam", file.display());
    }
}

/// Alternatives of which a build has one: they are one noun.
const ALTERNATIVES: [&str; 5] = ["Answers", "Counter", "Recorder", "SamplingPass", "Sensors"];

#[test]
fn a_type_of_the_shipped_crates_has_a_name_of_its_own() {
    let shipped: Vec<PathBuf> =
        LAYERS.iter().map(|(name, _)| root().join(name).join("src")).collect();
    let mut places = BTreeMap::<String, Vec<PathBuf>>::new();
    for file in source_files() {
        if shipped.iter().any(|directory| file.starts_with(directory)) {
            let text = fs::read_to_string(&file).unwrap();
            for name in text.lines().filter_map(declared_type) {
                places.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
    }
    assert!(places.len() > 700, "only {} types were found", places.len());
    places.retain(|name, files| files.len() > 1 && !ALTERNATIVES.contains(&name.as_str()));
    assert!(places.is_empty(), "types of one name: {places:#?}");
}

/// The name of the type that a line at the left margin declares.
fn declared_type(line: &str) -> Option<&str> {
    let behind_pub = line.strip_prefix("pub").map(|rest| {
        rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest)
    });
    let (kind, rest) = behind_pub.unwrap_or(line).trim_start().split_once(' ')?;
    let is_type =
        !line.starts_with(' ') && ["struct", "enum", "trait", "type", "union"].contains(&kind);
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    is_type.then_some(&rest[..end])
}

#[test]
fn ci_runs_exactly_the_test_command_of_the_readme() {
    let readme = read("README.md");
    let section = readme.split("## Test it").nth(1).unwrap();
    let command = section.lines().find_map(|line| line.strip_prefix("$ ")).unwrap();
    let ci = read(".ci/run");
    let last = ci.lines().rfind(|line| !line.trim().is_empty()).unwrap();
    assert_eq!(last, command);
}

fn answer_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_script_can_be_read_by_its_interpreter() {
    let run = |program: &str, arguments: &[&str]| {
        answer_of(Command::new(program).args(arguments).current_dir(root()))
    };
    let scripts = answer_of(git_command(&root()).args(["ls-files", "*.sh", "*.py", ".ci/run"]));
    let (python, shell): (Vec<&str>, Vec<&str>) =
        scripts.lines().partition(|script| script.ends_with(".py"));
    let parse = "import ast, sys; [ast.parse(open(file).read(), file) for file in sys.argv[1:]]";
    run("python3", &[&["-c", parse], python.as_slice()].concat());
    for script in &shell {
        run("bash", &["-n", script]);
    }
    assert!(python.len() > 20 && shell.len() > 40, "{scripts}");
}
