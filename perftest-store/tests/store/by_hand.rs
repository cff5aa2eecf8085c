//! A store that was written by the page on the format alone.

use crate::bench::Bench;
use perftest_core::model::{BenchmarkId, Run};
use perftest_store::conformance::example_run;
use perftest_store::{JsonlStore, Listing, Project, Query, Store};
use std::fs;

/// As `docs/reference/store-format.md` has it, without a look at the code beside it.
fn file_name(readable: &str, full: &str) -> String {
    let digest = full.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let hash = format!("{:08x}", (digest >> 32) ^ (digest & 0xffff_ffff));
    let stays = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '.';
    let mut name = String::new();
    for character in readable.chars() {
        match stays(character) {
            true => name.push(character),
            false if name.ends_with('-') => {}
            false => name.push('-'),
        }
    }
    let cut: String = name.chars().take(80).collect();
    match cut.trim_matches(['-', '.']) {
        "" => hash,
        rest => format!("{rest}.{hash}"),
    }
}

#[test]
fn a_store_that_is_written_by_the_page_alone_is_read() {
    let page = include_str!("../../../docs/reference/store-format.md");
    let bench = Bench::new("by-hand");
    let identity = "example.org/someone/codec";
    let project = Project { name: "codec".into(), slug: file_name("codec", identity) };
    let (testbed, benchmark) = ("local/7f3a2b", "codec::frame::encode");
    let path = format!(
        "v1/{}/runs/{}/{}.jsonl",
        project.slug,
        file_name(testbed, testbed),
        file_name(benchmark, benchmark)
    );
    assert!(page.contains(&path), "{path}");
    let line = page.lines().find(|line| line.starts_with("{\"kind\":\"run\",\"v\":1,")).unwrap();
    let file = bench.root.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("{line}\n")).unwrap();
    let store = JsonlStore::open(&bench.root, &project);
    let listed = store.list(None).and_then(Listing::whole).unwrap();
    assert!(listed.damaged.is_empty(), "{:?}", listed.damaged);
    let [series] = listed.value.try_into().unwrap();
    assert_eq!((series.benchmark.as_str(), series.testbed.as_str()), (benchmark, testbed));
    let runs = store.load(&Query { ..series.query(10) }).unwrap().value.runs;
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].center(), Some(57.0));
    // And where the store itself looks for it.
    store.append(&runs[0]).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
}

#[test]
fn odd_names_are_those_of_the_page() {
    let page = include_str!("../../../docs/reference/store-format.md");
    for name in ["größe", ".."] {
        let row = format!("| `{name}` | `{}` |", file_name(name, name));
        assert!(page.contains(&row), "{row}");
    }
    let bench = Bench::new("by-hand-odd");
    for name in ["größe", "..", &"x-".repeat(70), "-a.b-"] {
        let run = Run { benchmark: BenchmarkId::from_recorded(name), ..example_run(0) };
        bench.store().append(&run).unwrap();
        let testbed = file_name(&run.testbed, &run.testbed);
        let file = format!("v1/codec.0/runs/{testbed}/{}.jsonl", file_name(name, name));
        assert!(bench.root.join(file).is_file(), "{name}");
    }
}
