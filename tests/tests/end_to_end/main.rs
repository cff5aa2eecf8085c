use perftest_tests::TinyProjects;
use std::path::Path;
use std::sync::LazyLock;

static PROJECTS: LazyLock<TinyProjects> = LazyLock::new(|| {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/end_to_end/projects");
    TinyProjects::new(&sources, Path::new(env!("CARGO_TARGET_TMPDIR")))
});

#[test]
fn they_build() {
    let o = PROJECTS.binary("measured", "perf").run();
    println!("{o}");
    for (p, t) in [
        ("linked", "empty"),
        ("linked", "named"),
        ("linked", "duplicates"),
        ("linked", "linked"),
        ("listed", "perf"),
    ] {
        println!("{p} {t}\n{}", PROJECTS.binary(p, t).args(&["--list"]).run());
    }
}
