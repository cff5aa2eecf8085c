//! Checks for every implementation of [`Store`].
//!
//! They need the feature `conformance`, which a new backend enables in its `[dev-dependencies]`.
//! Its test is one call of [`all`] with a function that opens an empty store:
//!
//! ```
//! use perftest_store::{MemoryStore, conformance};
//! conformance::all(|| Box::new(MemoryStore::new()));
//! ```
//!
//! Each check panics, like any test, with a message about the failed property.

mod annotations;
mod answers;
mod lists;
mod runs;

use crate::Store;

pub use crate::example_run::example_run;
pub use crate::format::resealed;
pub use crate::local::{ScratchDirectory, scratch};
pub use annotations::{
    a_context_is_kept_once, a_corrected_run_outdates_its_judgements_and_those_of_later_runs,
    a_retired_testbed_is_read_nowhere_until_it_is_taken_back,
    acceptances_stand_until_they_are_revoked, example_judgement,
    judgements_are_kept_in_their_order, models_are_kept_in_their_order,
    testbeds_that_share_a_history_are_read_as_one,
};
pub use lists::{
    a_former_name_is_listed_until_the_new_one_has_run,
    a_former_name_that_runs_again_is_listed_again, an_empty_store_is_no_error,
    the_metrics_of_a_run_are_found_whatever_ran_after_it,
    the_metrics_of_a_test_are_found_whichever_run_has_them, the_series_of_a_store_are_listed,
    the_testbeds_of_a_test_are_listed,
};
pub use runs::{
    a_run_appended_twice_is_there_once, a_run_reads_back_as_it_was,
    a_value_that_is_no_number_is_refused_and_changes_nothing,
    baseline_runs_are_found_behind_other_ones, names_of_any_script_are_kept,
    only_what_matches_is_loaded, order_is_the_order_of_appending_even_when_the_clock_steps_back,
    runs_from_many_threads_are_all_there, runs_of_a_former_name_are_those_of_the_new_one,
    runs_of_both_names_are_in_the_order_of_time,
    runs_under_an_acceptance_are_distinguished_from_the_others,
    the_first_baseline_runs_are_found_before_newer_ones, the_limit_keeps_the_newest,
};

/// A check of one property on an empty store.
type ConformanceCheck = fn(&dyn Store);

/// Runs every check, each on a new empty store.
///
/// # Panics
/// When a property does not hold.
pub fn all(open: impl Fn() -> Box<dyn Store>) {
    let checks: [ConformanceCheck; 27] = [
        an_empty_store_is_no_error,
        a_run_reads_back_as_it_was,
        order_is_the_order_of_appending_even_when_the_clock_steps_back,
        the_limit_keeps_the_newest,
        a_run_appended_twice_is_there_once,
        baseline_runs_are_found_behind_other_ones,
        the_first_baseline_runs_are_found_before_newer_ones,
        runs_under_an_acceptance_are_distinguished_from_the_others,
        only_what_matches_is_loaded,
        names_of_any_script_are_kept,
        runs_from_many_threads_are_all_there,
        a_value_that_is_no_number_is_refused_and_changes_nothing,
        acceptances_stand_until_they_are_revoked,
        judgements_are_kept_in_their_order,
        a_corrected_run_outdates_its_judgements_and_those_of_later_runs,
        models_are_kept_in_their_order,
        a_context_is_kept_once,
        the_series_of_a_store_are_listed,
        the_metrics_of_a_run_are_found_whatever_ran_after_it,
        the_metrics_of_a_test_are_found_whichever_run_has_them,
        the_testbeds_of_a_test_are_listed,
        runs_of_a_former_name_are_those_of_the_new_one,
        runs_of_both_names_are_in_the_order_of_time,
        a_former_name_is_listed_until_the_new_one_has_run,
        a_former_name_that_runs_again_is_listed_again,
        testbeds_that_share_a_history_are_read_as_one,
        a_retired_testbed_is_read_nowhere_until_it_is_taken_back,
    ];
    for check in checks {
        check(open().as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonlStore, MemoryStore, Project};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn the_store_in_memory_conforms() {
        all(|| Box::new(MemoryStore::new()));
    }

    #[test]
    fn the_store_in_files_conforms() {
        let root = crate::local::scratch("conformance");
        let opened = AtomicU32::new(0);
        let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
        all(|| {
            let nth = opened.fetch_add(1, Ordering::Relaxed).to_string();
            Box::new(JsonlStore::open(&root.join(nth), &project))
        });
    }
}
