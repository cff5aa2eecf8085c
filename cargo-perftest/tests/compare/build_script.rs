//! Packages with a build script.

use crate::bench::{Bench, line_of};
use crate::STEADY;

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
