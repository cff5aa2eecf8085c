//! The operations of a batch, one a file, each named as the file of reference cases it answers.

#[cfg(test)]
mod asked;
mod assumption;
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
mod pragmastat_center;
mod pragmastat_center_bounds;
mod pragmastat_compare1;
mod pragmastat_compare2;
mod pragmastat_disparity;
mod pragmastat_disparity_bounds;
mod pragmastat_pairwise_margin;
mod pragmastat_ratio;
mod pragmastat_ratio_bounds;
mod pragmastat_shift;
mod pragmastat_shift_bounds;
mod pragmastat_signed_rank_margin;
mod pragmastat_spread;
mod pragmastat_spread_bounds;
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
    ("pragmastat_center", pragmastat_center::answer),
    ("pragmastat_center_bounds", pragmastat_center_bounds::answer),
    ("pragmastat_compare1", pragmastat_compare1::answer),
    ("pragmastat_compare2", pragmastat_compare2::answer),
    ("pragmastat_disparity", pragmastat_disparity::answer),
    ("pragmastat_disparity_bounds", pragmastat_disparity_bounds::answer),
    ("pragmastat_pairwise_margin", pragmastat_pairwise_margin::answer),
    ("pragmastat_ratio", pragmastat_ratio::answer),
    ("pragmastat_ratio_bounds", pragmastat_ratio_bounds::answer),
    ("pragmastat_shift", pragmastat_shift::answer),
    ("pragmastat_shift_bounds", pragmastat_shift_bounds::answer),
    ("pragmastat_signed_rank_margin", pragmastat_signed_rank_margin::answer),
    ("pragmastat_spread", pragmastat_spread::answer),
    ("pragmastat_spread_bounds", pragmastat_spread_bounds::answer),
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
