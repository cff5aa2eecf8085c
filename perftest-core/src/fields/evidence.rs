//! What a verdict rests on.

use super::{Field, FieldList, FieldValue};
use crate::list::IntoList;
use crate::model::{Evidence, ExplanatoryMetric, Instructions, PairedResult};

/// The fields of a verdict, in the order of the documented format.
///
/// ```
/// use perftest_core::fields::{FieldValue, fields_of_evidence};
/// use perftest_core::judge::{StepAnswer, Policy, Step, Trial};
/// use perftest_core::model::{Baseline, BaselineRule, Direction, Measurement};
/// use std::time::Duration;
///
/// let baseline = Baseline::empty(&BaselineRule::default());
/// let policy = Policy { max_measurements: Some(1), ..Policy::default() };
/// let mut trial = Trial::new(baseline, Direction::Lower, policy);
/// trial.observe(StepAnswer::Measured(Measurement::of_value(7.0)), Duration::ZERO);
/// let Step::Done(evidence) = trial.step() else { unreachable!("one measurement was asked for") };
/// let fields = fields_of_evidence(&evidence);
/// assert_eq!(fields[0], ("verdict", FieldValue::Text("no_baseline".into())));
/// assert!(fields.iter().all(|(key, _)| *key != "ratio"), "nothing was compared");
/// ```
pub fn fields_of_evidence(evidence: &Evidence) -> Vec<Field> {
    let mut list = FieldList::default();
    list.text("verdict", evidence.reason.name());
    list.interval(["ratio", "ratio_lower", "ratio_upper"], evidence.degradation);
    list.interval(["value", "value_lower", "value_upper"], evidence.now);
    list.interval(["baseline_value", "baseline_lower", "baseline_upper"], evidence.before);
    list.count("baseline_runs", evidence.baseline_runs);
    list.count("baseline_commits", evidence.baseline_commits);
    list.text("baseline_commit", &evidence.baseline_commit);
    list.count("commits_before_base", evidence.commits_before_base);
    list.flag("baseline_is_provisional", evidence.baseline_is_provisional);
    if let Some(began) = &evidence.level_began {
        list.number("level_ratio", began.ratio);
        list.text("level_commit_before", &began.commit_before);
        list.text("level_commit", &began.commit);
    }
    list.count("baseline_needed", evidence.baseline_needed);
    list.number("tolerance", evidence.tolerance.share());
    list.number("limit", evidence.limit);
    list.flag("limit_is_open", evidence.limit_is_open);
    list.number("accepted_ratio", evidence.accepted_ratio);
    list.flag("accepted", evidence.is_accepted());
    list.number("smallest_detectable", evidence.smallest_detectable);
    list.number("false_alarm_rate", evidence.false_alarm_rate);
    list.number("noise", evidence.noise);
    list.count("needed_measurements", evidence.needed_measurements);
    list.number("needed_budget_s", evidence.needed_budget_s);
    list.count("measurements", evidence.measurements);
    list.count("disturbed", evidence.suspects);
    list.count("processes", evidence.processes);
    list.count("slow_processes", evidence.slow_processes);
    if let Some(last_good) = &evidence.paired_result {
        put_last_good(&mut list, last_good);
    }
    put_explanatory(&mut list, &evidence.explanatory_metrics);
    list.text("normalised_by", evidence.normalised_by.map_or("", |covariate| covariate.name()));
    list.notes(&evidence.notes);
    list.fields
}

/// What the last good build showed beside the judged one.
fn put_last_good(list: &mut FieldList, last_good: &PairedResult) {
    list.number("last_good_value", last_good.now);
    list.number("last_good_ratio", last_good.ratio);
    list.number("last_good_machine_ratio", last_good.machine_ratio);
    list.count("pairs", last_good.pairs);
    list.text("last_good_commit", &last_good.commit);
    list.flag("last_good_dirty", last_good.dirty);
    if let Some(Instructions { before, now, counter, variation }) = last_good.instructions {
        list.number("last_good_instructions", before);
        list.number("instructions", now);
        list.number("instructions_variation", variation);
        list.text("instructions_by", counter.name());
    }
    list.changes(&last_good.changes);
}

/// Names, values now, and values before; the latter left out while none is known.
fn put_explanatory(list: &mut FieldList, metrics: &[ExplanatoryMetric]) {
    if metrics.is_empty() {
        return;
    }
    let names = metrics.iter().map(|it| it.name.clone()).into_list();
    let now = metrics.iter().map(|it| Some(it.now)).into_list();
    let before: Vec<Option<f64>> = metrics.iter().map(|it| it.before).into_list();
    list.put("explanatory", FieldValue::Texts(names));
    list.put("explanatory_values", FieldValue::Numbers(now));
    if before.iter().any(Option::is_some) {
        list.put("explanatory_baselines", FieldValue::Numbers(before));
    }
}
