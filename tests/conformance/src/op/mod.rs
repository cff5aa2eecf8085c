//! The operations of a batch, each named as the file of reference cases it answers. One a file, but those of Pragmastat
//! together.

#[cfg(test)]
mod asked;
mod bencher_limits;
mod bencher_rules;
mod bencher_statistics;
mod benchstat;
mod changepoint_datasets;
mod changepoint_documented;
mod chromeperf_change_points;
mod clickhouse_randomization;
mod density_qrde_hd;
mod exponential_decay_weights;
mod gamma_effect_size;
mod jitter_ties;
mod limits;
mod mad_scale;
mod modality_summary_text;
mod mongodb_edivisive;
mod multimodality_lowland;
mod multimodality_mvalue;
mod otava;
mod outliers;
mod perfherder;
mod pragmastat;
mod projected;
mod quantiles_harrell_davis;
mod quantiles_hyndman_fan;
mod range_quantile_queries;
mod rustc_perf;
mod scale_factors;
mod shift_ratio_functions;
mod skia_stepfit;
mod skia_vec;
mod tcpd_metrics;
mod two_sample_tests;
mod weighted;

use crate::case::Case;
use serde_json::Value;

/// Answers one case: the value in the shape of the reference file's `expected`, or a sentence that names
/// the assumption that failed.
pub(crate) type Op = fn(&Case) -> Result<Value, String>;

/// Every operation by its name, in alphabetical order.
pub(crate) const OPS: &[(&str, Op)] = &[
    ("bencher_limits", bencher_limits::answer),
    ("bencher_rules", bencher_rules::answer),
    ("bencher_statistics", bencher_statistics::answer),
    ("benchstat", benchstat::answer),
    ("changepoint_datasets", changepoint_datasets::answer),
    ("changepoint_documented", changepoint_documented::answer),
    ("chromeperf_change_points", chromeperf_change_points::answer),
    ("clickhouse_randomization", clickhouse_randomization::answer),
    ("density_qrde_hd", density_qrde_hd::answer),
    ("exponential_decay_weights", exponential_decay_weights::answer),
    ("gamma_effect_size", gamma_effect_size::answer),
    ("jitter_ties", jitter_ties::answer),
    ("mad_scale", mad_scale::answer),
    ("modality_summary_text", modality_summary_text::answer),
    ("mongodb_edivisive", mongodb_edivisive::answer),
    ("multimodality_lowland", multimodality_lowland::answer),
    ("multimodality_mvalue", multimodality_mvalue::answer),
    ("otava", otava::answer),
    ("outliers", outliers::answer),
    ("perfherder", perfherder::answer),
    ("pragmastat_center", pragmastat::center),
    ("pragmastat_center_bounds", pragmastat::center_bounds),
    ("pragmastat_compare1", pragmastat::compare_one),
    ("pragmastat_compare2", pragmastat::compare_two),
    ("pragmastat_disparity", pragmastat::disparity),
    ("pragmastat_disparity_bounds", pragmastat::disparity_bounds),
    ("pragmastat_pairwise_margin", pragmastat::of_pairs),
    ("pragmastat_ratio", pragmastat::ratio),
    ("pragmastat_ratio_bounds", pragmastat::ratio_bounds),
    ("pragmastat_shift", pragmastat::shift),
    ("pragmastat_shift_bounds", pragmastat::shift_bounds),
    ("pragmastat_signed_rank_margin", pragmastat::of_signed_ranks),
    ("pragmastat_spread", pragmastat::spread),
    ("pragmastat_spread_bounds", pragmastat::spread_bounds),
    ("quantiles_harrell_davis", quantiles_harrell_davis::answer),
    ("quantiles_hyndman_fan", quantiles_hyndman_fan::answer),
    ("range_quantile_queries", range_quantile_queries::answer),
    ("rustc_perf", rustc_perf::answer),
    ("scale_factors", scale_factors::answer),
    ("shift_ratio_functions", shift_ratio_functions::answer),
    ("skia_stepfit", skia_stepfit::answer),
    ("skia_vec", skia_vec::answer),
    ("tcpd_metrics", tcpd_metrics::answer),
    ("two_sample_tests", two_sample_tests::answer),
];

/// The operation of a name.
pub(crate) fn find(name: &str) -> Option<Op> {
    OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}
