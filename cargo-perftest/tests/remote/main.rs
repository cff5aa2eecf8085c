//! Many machines with one history: the same checks for every kind of remote.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod at_once;
mod checks;
#[cfg(feature = "clickhouse")]
mod clickhouse_database;
mod collected;
#[cfg(any(feature = "clickhouse", feature = "postgres"))]
mod databases;
mod fleet;
mod git_branch;
mod pools;
#[cfg(feature = "postgres")]
mod postgres_database;
#[cfg(feature = "postgres-tls")]
mod postgres_tls;
mod queries;
mod trouble;

/// Makes a test of each check for each kind of remote.
macro_rules! for_each_remote {
    ($($module:ident: $($check:ident,)*;)*) => {
        for_one_remote!(a_directory, crate::fleet::Kind::Directory, $($($module::$check,)*)*);
        for_one_remote!(a_git_branch, crate::fleet::Kind::Git, $($($module::$check,)*)*);
        #[cfg(feature = "postgres")]
        for_one_remote!(a_postgres_database, crate::postgres_database::KIND, $($($module::$check,)*)*);
        #[cfg(feature = "clickhouse")]
        for_one_remote!(a_clickhouse_database, crate::clickhouse_database::KIND, $($($module::$check,)*)*);
    };
}

/// Makes a test of each check for each kind of database.
#[cfg(any(feature = "clickhouse", feature = "postgres"))]
macro_rules! for_each_database {
    ($($check:ident,)*) => {
        #[cfg(feature = "postgres")]
        for_one_remote!(only_a_postgres_database, crate::postgres_database::KIND, $(databases::$check,)*);
        #[cfg(feature = "clickhouse")]
        for_one_remote!(only_a_clickhouse_database, crate::clickhouse_database::KIND, $(databases::$check,)*);
    };
}

macro_rules! for_one_remote {
    ($name:ident, $kind:path, $($module:ident::$check:ident,)*) => {
        mod $name {
            $(
                #[test]
                fn $check() {
                    crate::$module::$check(&crate::fleet::Fleet::new(
                        $kind,
                        concat!(stringify!($name), "-", stringify!($check)),
                    ));
                }
            )*
        }
    };
}

for_each_remote! {
    checks:
        runs_of_one_machine_are_there_for_another,
        revocations_and_contexts_travel_and_acceptances_and_executables_do_not,
        what_was_sent_is_not_sent_again,
        what_was_received_is_not_sent_back,
        what_one_direction_did_not_exchange_is_left_to_the_other,
        a_run_is_there_once_however_often_it_is_sent,
        runs_that_arrive_in_any_order_are_received_in_the_order_of_time,
        a_clock_that_steps_back_loses_nothing,
        unknown_keys_and_kinds_travel,
        a_correction_that_returns_to_an_earlier_value_is_the_answer_everywhere,
        of_two_corrections_the_later_one_is_the_answer_everywhere,
        a_run_with_an_unknown_verdict_travels,
        names_of_any_script_travel,
        ten_thousand_runs_travel,
        only_the_named_tests_are_received,
        a_name_that_no_test_has_is_no_name_of_which_all_was_received,
        runs_for_display_enter_no_baseline_here_and_on_other_machines,
        the_newest_runs_and_the_first_ones_are_received_where_no_more_are_needed,
        a_history_that_was_accepted_long_ago_is_received_whole,
        a_history_whose_newest_runs_are_of_branches_is_received_whole,
        a_checkout_before_the_newest_runs_receives_a_history_whole,
        a_history_that_was_received_in_part_is_so_in_a_store_that_gets_it_by_a_merge,
        a_history_that_was_received_in_part_is_checked_once_the_rest_is_received,
        a_dry_run_changes_nothing,;
    pools:
        two_processors_behind_one_label_never_mix,
        a_machine_of_a_pool_receives_the_histories_of_all_its_machines,
        testbeds_that_are_merged_on_one_machine_are_one_history_on_all,
        a_testbed_that_is_renamed_or_retired_on_one_machine_is_so_on_all,
        a_history_whose_testbed_was_retired_in_the_gap_is_received_whole,;
    collected:
        a_store_with_summaries_sends_nothing_twice_and_gets_nothing_back,
        a_pull_behind_the_runs_of_another_machine_brings_back_none_of_a_summary,
        a_pull_of_newest_runs_brings_back_none_that_became_parts_of_summaries,
        after_one_machine_has_collected_all_machines_answer_as_before,
        a_machine_that_still_has_collected_runs_doubles_none,;
    trouble:
        a_value_that_is_no_number_is_neither_sent_nor_received,
        a_line_that_no_database_keeps_costs_only_itself,
        a_damaged_line_costs_only_itself,
        a_line_that_is_not_finished_keeps_no_history_cut,
        a_file_of_another_version_is_left_as_it_is,
        a_remote_that_is_gone_keeps_every_run_here,
        a_remote_that_cannot_be_written_is_still_read,
        a_remote_that_was_made_again_gets_everything,
        a_store_that_lost_runs_gets_them_back,
        an_empty_remote_is_no_error,
        the_same_repository_under_another_address_is_named_where_the_project_has_no_history,;
    queries:
        a_remote_answers_as_a_store_with_the_same_runs,
        a_check_of_a_remote_keeps_the_results_of_earlier_rules_and_stores_none,
        a_report_of_a_remote_is_that_of_a_store_with_the_same_runs,
        a_question_changes_nothing_here_and_nothing_there,
        a_remote_is_asked_by_the_name_that_all_clones_share,
        profiles_of_this_machine_are_beside_the_runs_of_a_remote_whatever_name_the_history_here_has,
        a_remote_without_this_project_is_named,
        a_place_that_does_not_exist_is_an_error_until_a_push_makes_it,
        a_remote_that_is_gone_is_an_error_and_no_empty_answer,
        a_damaged_record_of_a_remote_costs_only_itself,
        a_history_of_another_version_in_a_remote_costs_only_itself,
        a_history_longer_than_one_part_is_read_whole,;
    at_once:
        machines_that_send_at_once_lose_nothing_and_double_nothing,
        machines_that_are_killed_at_random_lose_nothing_and_double_nothing,;
}

for_one_remote!(
    only_a_directory,
    crate::fleet::Kind::Directory,
    checks::an_acceptance_for_another_machine_is_not_received,
    trouble::a_directory_that_is_not_there_any_more_is_no_project_without_history,
);

#[cfg(any(feature = "clickhouse", feature = "postgres"))]
for_each_database! {
    tables_are_printed_before_they_are_made_and_made_once,
    a_run_of_each_of_many_tests_is_sent_and_would_be_received,
    the_rights_of_the_page_are_enough_and_a_reader_learns_what_a_push_needs,
    a_password_on_the_command_line_is_refused_and_not_repeated,
    a_wrong_password_is_refused_and_not_repeated,
    a_password_comes_from_the_environment_or_from_a_file_that_others_cannot_read,
    tables_of_another_version_are_refused_and_left_as_they_are,
}

#[test]
fn an_address_that_is_none_is_refused_with_what_is_one() {
    let fleet = fleet::Fleet::new(fleet::Kind::Directory, "address");
    let refused = fleet.machine("one").run(&["push", "somewhere"]);
    refused.ended_with(2).warns(&["dir:PATH, git:BRANCH, "]);
}

#[cfg(not(any(feature = "clickhouse", feature = "postgres")))]
#[test]
fn a_tool_without_a_database_client_names_the_feature() {
    let fleet = fleet::Fleet::new(fleet::Kind::Directory, "feature");
    for (address, feature) in [
        ("postgres://bot@db.example.org/perf", "--features postgres"),
        ("clickhouse+http://bot@db.example.org:8123/perf", "--features clickhouse"),
    ] {
        for command in ["push", "pull", "setup-remote"] {
            fleet.machine("one").run(&[command, address]).ended_with(2).warns(&[feature]);
        }
    }
}
