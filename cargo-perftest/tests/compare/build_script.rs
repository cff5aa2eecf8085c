//! Packages with a build script.

use crate::bench::{Bench, line_of};
use crate::{PERF, STEADY};
use perftest_tests::{TempStore, patiently, until_it_ends_with};

/// Lets the library have a module that a build script writes among the sources, where git ignores it.
fn generate_sources(bench: &Bench) {
    bench.write(".gitignore", "Cargo.lock\ntarget\nsrc/generated\n");
    bench.write("numbers.txt", "7");
    bench.write(
        "build.rs",
        r#"fn main() {
    println!("cargo::rerun-if-changed=numbers.txt");
    let number = std::fs::read_to_string("numbers.txt").unwrap();
    std::fs::create_dir_all("src/generated").unwrap();
    std::fs::write("src/generated/mod.rs", format!("pub const NUMBER: u64 = {number};\n")).unwrap();
}
"#,
    );
    bench.replace("src/lib.rs", "/// Keeps its state", "pub mod generated;\n\n/// Keeps its state");
}

#[test]
fn sources_that_a_build_script_writes_are_written_for_each_comparison() {
    let bench = Bench::new();
    generate_sources(&bench);
    bench.commit();
    for _ in 0..2 {
        let same = bench.compare(&["HEAD", "--", "steady"]).run().ended_with(0);
        assert!(line_of(&same, STEADY).contains("same code"), "{same}");
    }
}

#[test]
fn a_body_gets_the_variables_of_its_package_and_of_its_build_script() {
    let bench = Bench::new();
    bench.write(
        "build.rs",
        r#"fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=WORD=written");
    let directory = std::env::var("OUT_DIR").unwrap();
    std::fs::write(std::path::Path::new(&directory).join("word"), "written").unwrap();
}
"#,
    );
    bench.write("src/main.rs", "fn main() {}\n");
    bench.replace(
        PERF,
        "    tiny::work(500)",
        r#"    let of = |name: &str| std::env::var(name).unwrap_or_default();
    assert_eq!(of("CARGO_PKG_NAME") + &of("CARGO_PKG_VERSION_MINOR"), "tiny1");
    assert!(std::path::Path::new(&of("CARGO_MANIFEST_PATH")).is_file());
    let built = std::path::Path::new(&of("OUT_DIR")).join("word");
    assert_eq!(std::fs::read_to_string(built).unwrap(), of("WORD"));
    assert_eq!(of("CARGO_BIN_EXE_tiny"), env!("CARGO_BIN_EXE_tiny"));
    tiny::work(500)"#,
    );
    bench.commit();
    let measured = ["HEAD", "--measure-same-code", "--history", "--pairs", "5", "--", "other"];
    let store = TempStore::new();
    let compare = || {
        store.clear();
        until_it_ends_with(0, || bench.compare(&measured).store(&store).run())
    };
    let has_recorded = ["tiny::perf::other: 5 runs of the base are its history now"];
    patiently(compare, |compared| compared.has(&has_recorded)).prints(&has_recorded);
}
