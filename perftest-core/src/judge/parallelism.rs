//! Parallelism of a body: its processor time over its wall time.
//!
//! Other work that takes a processor makes threads run one after the other. Bodies whose threads disturb
//! each other even become faster by that. Their wall time is then no measure of their code.
//!
//! Source. A choice, checked by the campaign `threads.sh`.

use super::round::Round;
use crate::list::IntoList;
use crate::model::{Baseline, Observation, Sample};

/// The largest difference from the usual parallelism on an equally busy machine, as a share. A convention, which
/// `ci/campaigns/threads.sh` checks.
const USUAL_DIFFERENCE: f64 = 0.10;

/// Returns which runs of a baseline have the round's parallelism; `None` if it is unknown for the round or a run.
pub(super) fn runs_alike(baseline: &Baseline, round: &Round) -> Option<Vec<bool>> {
    let now = Observation::center(&round.fair()).and_then(|center| parallelism(&center))?;
    let runs = baseline.centers.iter().map(parallelism).into_list_of_some();
    Some(runs?.into_iter().map(|usual| is_alike(usual, now)).into_list())
}

/// Returns whether the round worked on so few of the `processors` that the `others_cpus` of other processes do not
/// explain it: then its threads wait for each other. Others explain only what does not fit beside the threads. `false`
/// where the parallelism of the round or of a run is unknown.
pub(super) fn is_serialised(
    baseline: &Baseline,
    round: &Round,
    others_cpus: f64,
    processors: f64,
) -> bool {
    let now = Observation::center(&round.fair()).and_then(|center| parallelism(&center));
    let runs = baseline.centers.iter().map(parallelism).into_list_of_some();
    let usual = runs.and_then(|runs| Sample::median_of(&runs));
    now.zip(usual).is_some_and(|(now, usual)| {
        // Threads that work at once for a part of the time need a whole processor each.
        let missing = (usual.ceil() + others_cpus - processors).max(0.0);
        let is_known = processors.is_finite();
        let taken = if is_known { others_cpus.min(missing) } else { others_cpus };
        now < (usual - taken) * (1.0 - USUAL_DIFFERENCE)
    })
}

fn is_alike(usual: f64, now: f64) -> bool {
    (usual * (1.0 - USUAL_DIFFERENCE)..=usual * (1.0 + USUAL_DIFFERENCE)).contains(&now)
}

fn parallelism(observation: &Observation) -> Option<f64> {
    let ratio = observation.processor_ns? / observation.value;
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Condition;
    use crate::model::{BaselineRule, Measurement};

    fn at(parallelism: f64) -> Observation {
        Observation { processor_ns: Some(100.0 * parallelism), ..Observation::from(100.0) }
    }

    fn baseline(centers: Vec<Observation>) -> Baseline {
        Baseline { centers, ..Baseline::empty(&BaselineRule::default()) }
    }

    fn round(parallelism: f64) -> Round {
        let processor_ns = (100.0 * parallelism) as u64;
        let batch =
            Measurement { process_cpu_ns: Some(processor_ns), ..Measurement::of_value(100.0) };
        Round::of(&[batch; 3], &[Condition::Clean; 3])
    }

    fn alike(runs: &[f64], round: &Round) -> Option<Vec<bool>> {
        runs_alike(&baseline(runs.iter().copied().map(at).collect()), round)
    }

    #[test]
    fn only_runs_of_the_same_parallelism_are_alike() {
        let usual = [1.8, 1.9, 1.7];
        assert_eq!(alike(&usual, &round(1.8)), Some(vec![true; 3]));
        assert_eq!(alike(&usual, &round(1.0)), Some(vec![false; 3]));
        assert_eq!(alike(&usual, &round(2.2)), Some(vec![false; 3]));
        assert_eq!(alike(&[1.8, 1.0, 1.05], &round(1.0)), Some(vec![false, true, true]));
    }

    #[test]
    fn threads_that_work_one_after_the_other_are_not_excused_by_less_work_of_others() {
        let usual = baseline([2.0, 1.9, 2.0].map(at).to_vec());
        let serialised = |now, others_cpus| is_serialised(&usual, &round(now), others_cpus, 2.0);
        assert!(serialised(1.0, 0.3));
        assert!(!serialised(1.0, 1.0));
        assert!(!serialised(1.6, 0.3));
        let unknown = baseline(vec![Observation::from(100.0)]);
        assert!(!is_serialised(&unknown, &round(1.0), 0.3, 2.0));
    }

    #[test]
    fn others_explain_nothing_where_the_threads_have_room_beside_them() {
        let usual = baseline([2.0, 1.9, 2.0].map(at).to_vec());
        let serialised = |processors| is_serialised(&usual, &round(1.4), 0.5, processors);
        assert_eq!([8.0, 2.0, f64::INFINITY].map(serialised), [true, false, false]);
    }

    #[test]
    fn where_a_run_does_not_know_its_processor_time_nothing_is_concluded() {
        let unknown = baseline(vec![at(1.8), Observation::from(100.0)]);
        assert_eq!(runs_alike(&unknown, &round(1.0)), None);
        let unknown = Round::of(&[Measurement::of_value(100.0)], &[Condition::Clean]);
        assert_eq!(alike(&[1.8], &unknown), None);
    }
}
