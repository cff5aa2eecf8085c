//! What every [`Store`] promises: each check is for each implementation.

mod annotations;
mod answers;
mod lists;
mod runs;

use perftest_core::model::{BenchmarkId, Run};
use perftest_store::conformance::{example_run, scratch};
use perftest_store::{JsonlStore, MemoryStore, Project, Store};

/// A check of one property on an empty store.
type ContractCheck = fn(&dyn Store);

fn checks() -> impl Iterator<Item = &'static ContractCheck> {
    [runs::CHECKS, annotations::CHECKS, lists::CHECKS].into_iter().flatten()
}

#[test]
fn the_store_in_memory_conforms() {
    for check in checks() {
        check(&MemoryStore::new());
    }
}

#[test]
fn the_store_in_files_conforms() {
    let root = scratch("conformance");
    let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
    for (nth, check) in checks().enumerate() {
        check(&JsonlStore::open(&root.join(nth.to_string()), &project));
    }
}

/// The third example under a new name.
fn renamed() -> Run {
    renamed_run(3)
}

/// An example under a new name.
fn renamed_run(ordinal: u64) -> Run {
    let old = example_run(ordinal);
    let benchmark = BenchmarkId::from_recorded("codec::frame::renamed");
    Run { formerly: Some(old.benchmark), benchmark, flags: Vec::new(), ..old }
}
