//! What a trial makes of its fresh processes.

use super::{Phase, Trial, pause_before_process};
use crate::judge::earlier::Together;
use crate::judge::level::Level;
use crate::judge::round::Round;
use crate::judge::testimony::Finding;
use crate::judge::{Condition, Confirmation, Inspector, Usual, is_contended};
use crate::model::{Measurement, Reason};

// What is counted is no slower: the notes are of any metric.
const WITNESS_UNDECIDED: &str = "beyond its tolerance, but the last good executable beside it does \
    not tell whether by the code or by the machine";
const THREADS_CONTENDED: &str = "judged on processor time, because other work took the processors \
    its threads needed; how well they share the work was not judged";

const ALONE_SLOW: &str = "beyond its tolerance at first, but not in a fresh process";
const NOT_ENOUGH: &str =
    "beyond its tolerance in fresh processes too, but by less than a red needs";
const OTHERS_WORK: &str =
    "beyond its tolerance, but other work took the processors its threads needed";
const HELD_UP: &str = "disturbed from start to end at first, but not in a fresh process";

impl Trial {
    pub(super) fn after_confirmation(&mut self, confirmation: Confirmation) -> Phase {
        let (measured, witness, others_cpus) = match confirmation {
            Confirmation::Measured { measurements, witness, others_cpus } => {
                (measurements, witness, others_cpus)
            }
            Confirmation::NotAlone => return self.without_witness(Reason::NotAlone, ""),
            Confirmation::Unavailable(why) => {
                let note = format!("no fresh process confirmed it: {why}");
                return self.without_witness(Reason::Unclear, &note);
            }
        };
        let contended = is_contended(&measured, others_cpus);
        let acquitted = self.hear(&measured, witness.as_deref(), contended);
        if self.earlier.is_some() {
            return self.after_witness_of_retry();
        }
        if let Some(reason) = acquitted {
            return self.over(reason, if self.suspected { ALONE_SLOW } else { HELD_UP });
        }
        if let Some(reason) = self.acquitted_by_processor_time().filter(|_| contended) {
            return self.over(reason, THREADS_CONTENDED);
        }
        self.after_witness()
    }

    /// Takes what a fresh process, and perhaps one of the old executable, measured. The reason when
    /// it acquits the code.
    fn hear(
        &mut self,
        measured: &[Measurement],
        old: Option<&[Measurement]>,
        contended: bool,
    ) -> Option<Reason> {
        let inspect = |it| Inspector::new(Usual::in_baseline(&self.baseline)).inspect_all(it);
        let (conditions, conditions_of_old) = (inspect(measured), old.map(inspect));
        let level = self.level.as_ref().expect("only a test with a baseline confirms");
        let judged = self.round_of_process(level, measured, &conditions);
        if let Some((old, conditions)) = old.zip(conditions_of_old) {
            let old = self.round_of_process(level, old, &conditions);
            self.testimony.hear(level, &judged, &old);
        }
        let acquitted = level.acquits(&judged);
        let stands = level.accuses(&judged) && !contended;
        self.count(&conditions);
        self.contended |= contended;
        self.stood += u32::from(stands);
        self.disturbed += u32::from(!stands && judged.is_disturbed());
        self.fresh.push(judged);
        acquitted
    }

    /// A fresh process that did not acquit the code has been heard.
    fn after_witness(&self) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline confirms");
        let finding = self.testimony.finding(level);
        let stands = self.stood >= self.policy.confirmations;
        if stands
            && level.convicts(&self.witnesses(), self.measurements)
            && let Some(over) = self.convicted(finding)
        {
            return over;
        }
        let count = self.fresh.len() as u32;
        if count < self.most_fresh() {
            return Phase::Confirming { pause: Some(pause_before_process(count + 1)) };
        }
        let note = match (stands, finding) {
            (true, Finding::Machine) => return self.machine_slower(),
            _ if self.contended => OTHERS_WORK,
            (true, Finding::Open) => WITNESS_UNDECIDED,
            (true, Finding::Code) => NOT_ENOUGH,
            (false, _) if self.suspected => "beyond its tolerance, but not in every fresh process",
            (false, _) => "disturbed from start to end, in fresh processes too",
        };
        self.over(level.undecided(), note)
    }

    /// What a process says that was measured in one go.
    fn round_of_process(
        &self,
        level: &Level,
        measured: &[Measurement],
        conditions: &[Condition],
    ) -> Round {
        let rounds = Round::all_of(measured, conditions, self.round as usize);
        level.witness(&rounds).unwrap_or_default()
    }

    /// The end when the processes convict: of the code or of the machine. `None` while the last
    /// good executable has not told which.
    fn convicted(&self, finding: Finding) -> Option<Phase> {
        match (&self.unchanged, finding) {
            (Some(note), _) => Some(self.over(Reason::SameCode, note)),
            (None, Finding::Code) => Some(self.over(Reason::Red, "")),
            (None, Finding::Machine) => Some(self.machine_slower()),
            (None, Finding::Open) => None,
        }
    }

    fn machine_slower(&self) -> Phase {
        let note = self.level.as_ref().and_then(|level| self.testimony.acquittal(level));
        self.over(Reason::MachineSlower, &note.unwrap_or_default())
    }

    /// Most fresh processes that are asked.
    fn most_fresh(&self) -> u32 {
        let usual = self.policy.max_confirmations;
        let most = self.earlier.as_ref().map_or(usual, |it| it.outweighed_by().max(usual));
        most + self.disturbed.min(usual)
    }

    /// What all processes say together decides about the red of an earlier attempt.
    fn after_witness_of_retry(&self) -> Phase {
        let level = self.level.as_ref().expect("only a test with a baseline is tried again");
        let count = self.fresh.len() as u32;
        let left = self.most_fresh().saturating_sub(count);
        let (processes, witnesses) = (self.processes(), self.witnesses());
        let measurements = self.all_measurements();
        match Together::of(&processes, &witnesses, level, measurements, left) {
            Together::Acquit(reason) => {
                self.over(reason, "most processes of all attempts are within its tolerance")
            }
            Together::Open => Phase::Confirming { pause: Some(pause_before_process(count + 1)) },
            Together::Convict => self.over(Reason::Red, ""),
        }
    }

    /// No fresh process can bear witness. The red of an earlier attempt stands then.
    fn without_witness(&self, reason: Reason, note: &str) -> Phase {
        let reason = if self.earlier.is_some() { Reason::Red } else { reason };
        self.over(reason, note)
    }

    /// The reason when the newest fresh process used no more processor time than usual, whatever
    /// wall time its threads needed beside the work of others. Less of it is no improvement, and
    /// where it scatters too much to tell, that is told.
    fn acquitted_by_processor_time(&self) -> Option<Reason> {
        let level = Level::of_processor_time(&self.baseline, &self.policy)?;
        match level.acquits(self.fresh.last()?)? {
            Reason::Improved => Some(Reason::Green),
            reason => Some(reason),
        }
    }
}
