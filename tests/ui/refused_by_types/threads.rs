//! The routine cannot be shared by several threads.
use perftest::{ThreadBencher, perf_test};
use std::cell::Cell;
use std::rc::Rc;

#[perf_test(threads = [1, 4])]
fn on_several(b: &mut ThreadBencher) {
    let calls = Cell::new(0);
    b.iter(|| calls.set(calls.get() + 1));
}

#[perf_test(threads = [1, 4])]
fn changed_by_all(b: &mut ThreadBencher) {
    let mut calls = 0;
    b.iter(|| calls += 1);
}

#[perf_test(threads = [2], args = [Rc::new(1)])]
fn lent_to_all(n: &Rc<i32>) -> i32 {
    **n
}

use ThreadBencher as Renamed;

#[perf_test]
fn the_wrong_bencher(b: &mut Renamed) {
    b.iter(|| 1);
}
