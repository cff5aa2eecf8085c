//! One process of the simulated test.

use crate::Random;
use crate::machine::SimulatedMachine;
use crate::noise::Noise;
use crate::world::{CodeEffect, Layouts};
use perftest_core::model::{Measurement, Probes};

/// A process is loaded and started in this time.
const START_NS: f64 = 10e6;
/// Warming up ends after this many batches ..
const WARM_UP_BATCHES: usize = 5;
/// .. or after this time of the body, whichever comes first.
const WARM_UP_NS: f64 = 5e6;
/// The longest batch that is run unrecorded after a pause.
const LONGEST_REWARM_NS: f64 = 20e6;
/// After so long a pause several batches are run, at most so many, and none begins after so long.
const LONG_PAUSE_NS: f64 = 10e6;
const REWARM_BATCHES: u32 = 3;
const REWARM_ENOUGH_NS: f64 = 2e6;
/// A reading of the probes is good for this long.
const PROBES_NS: f64 = 2e6;
/// Between two measurements, for the readings around them.
const BETWEEN_NS: f64 = 20e3;
/// Caches refilled after each interruption: inside the batch, and in the next one.
const REFILL_NS: f64 = 20e3;
const COLD_NS: f64 = 10e3;
/// How many times slower input is that the processor has yet to learn.
const UNLEARNED: f64 = 3.2;
const LEARNING_CALLS: (f64, f64) = (15.0, 45.0);

/// One build of the test: its number, and how fast its place in memory lets it be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SimulatedBuild {
    pub(crate) number: u64,
    pub(crate) slowness: f64,
}

impl SimulatedBuild {
    pub(crate) fn new(number: u64, layouts: Option<Layouts>, random: &mut Random) -> Self {
        let slow = layouts.filter(|layouts| random.chance(layouts.probability));
        Self { number, slowness: slow.map_or(1.0, |layouts| layouts.slower) }
    }

    /// The same code made slower.
    pub(crate) fn slowed(self, slowdown: f64) -> Self {
        Self { slowness: self.slowness * slowdown, ..self }
    }
}

/// One process, which measures as the machine lets it.
#[derive(Debug)]
pub(crate) struct Process {
    began_ns: f64,
    /// Time of a call when nothing disturbs it.
    call_ns: f64,
    noise: Noise,
    /// Calls after which the processor has learned a good part of the input.
    learning_calls: Option<f64>,
    calls_made: f64,
    /// Caches are another's.
    is_cold: bool,
    /// How many times slower a shared core makes the code, until the core is its own again.
    contention: Option<f64>,
    probes: Option<(f64, Probes)>,
    /// When its newest batch was over.
    ran_until_ns: f64,
    /// A batch is short enough to be run unrecorded after a pause.
    rewarms: bool,
}

impl Process {
    /// A process that is started and warm, as each that measures.
    pub(crate) fn warm(machine: &mut SimulatedMachine, build: SimulatedBuild) -> Self {
        let mut process = Self::start(machine, build);
        process.warm_up(machine);
        process
    }

    fn start(machine: &mut SimulatedMachine, build: SimulatedBuild) -> Self {
        machine.pass_ns(START_NS);
        let world = machine.world;
        let slowness = build.slowness * machine.slowness_of_process();
        let random = &mut machine.random;
        let (least, most) = LEARNING_CALLS;
        Self {
            began_ns: machine.now_ns,
            call_ns: world.call_ns * slowness * (world.between * random.normal()).exp(),
            noise: Noise::new(world.within, random),
            learning_calls: world.learned_input.then(|| random.between(least, most)),
            calls_made: 0.0,
            is_cold: false,
            contention: None,
            probes: None,
            ran_until_ns: machine.now_ns,
            rewarms: true,
        }
    }

    /// Doubles the calls until they are a batch, and warms up. The simulated processor never sleeps,
    /// so its clock does not rise meanwhile.
    fn warm_up(&mut self, machine: &mut SimulatedMachine) {
        let calls = machine.world.calls;
        let tuning = (0..=calls.ilog2()).map(|doublings| 1 << doublings);
        let mut warm_ns = 0.0;
        for calls in tuning.chain([calls; WARM_UP_BATCHES]) {
            if calls < machine.world.calls || warm_ns < WARM_UP_NS {
                let batch_ns = self.batch(machine, calls).wall_ns;
                self.rewarms = batch_ns <= LONGEST_REWARM_NS;
                warm_ns += batch_ns;
            }
        }
    }

    /// Measures a batch of the usual size.
    pub(crate) fn measure(&mut self, machine: &mut SimulatedMachine) -> Measurement {
        self.measure_calls(machine, machine.world.calls)
    }

    /// Measures so many calls, after unrecorded ones where anything else ran since the last.
    pub(crate) fn measure_calls(
        &mut self,
        machine: &mut SimulatedMachine,
        calls: u64,
    ) -> Measurement {
        let idled_ns = machine.now_ns - self.ran_until_ns;
        if idled_ns > 0.0 && self.rewarms {
            self.rewarm(machine, calls, idled_ns);
        }
        self.batch(machine, calls)
    }

    fn rewarm(&mut self, machine: &mut SimulatedMachine, calls: u64, idled_ns: f64) {
        let enough_ns = machine.now_ns + REWARM_ENOUGH_NS;
        let batches = if idled_ns < LONG_PAUSE_NS { 1 } else { REWARM_BATCHES };
        for _ in 0..batches {
            if machine.now_ns < enough_ns {
                self.batch(machine, calls);
            }
        }
    }

    fn batch(&mut self, machine: &mut SimulatedMachine, calls: u64) -> Measurement {
        let (world, begun_ns) = (machine.world, machine.now_ns);
        let before = self.probes(machine);
        let effect = machine.effect();
        let own_ns = self.own_ns(machine, calls);
        let on_ns = own_ns * self.contention(effect, &mut machine.random);
        let stays = Stays::of(on_ns, effect, &mut machine.random);
        let cold_ns = if self.is_cold { COLD_NS } else { 0.0 };
        self.is_cold = stays.interruptions > 0.0;
        let cpu_ns = on_ns + cold_ns + REFILL_NS * stays.interruptions;
        let wall_ns = counted(cpu_ns + stays.lost_ns, world.tick_ns, &mut machine.random);
        machine.pass_ns(wall_ns + BETWEEN_NS);
        self.ran_until_ns = machine.now_ns;
        let count_of = |count: f64| world.has_counters.then_some(count as u64);
        Measurement {
            start_ns: (begun_ns - self.began_ns) as u64,
            iterations: calls,
            wall_ns,
            value: wall_ns / calls as f64,
            thread_cpu_ns: count_of(cpu_ns),
            process_cpu_ns: count_of(cpu_ns),
            wait_ns: count_of(stays.lost_ns),
            involuntary_switches: count_of(stays.interruptions),
            voluntary_switches: count_of(0.0),
            probes: self.probes_after(machine, before),
            ..Measurement::default()
        }
    }

    /// What the batch takes by itself at the clock of this moment.
    fn own_ns(&mut self, machine: &mut SimulatedMachine, calls: u64) -> f64 {
        let calls = calls as f64;
        let learning =
            self.learning_calls.map_or(0.0, |learned| (-self.calls_made / learned).exp());
        self.calls_made += calls;
        let noise = self.noise.next(&mut machine.random);
        let unlearned = 1.0 + (UNLEARNED - 1.0) * learning;
        calls * self.call_ns * noise * unlearned / machine.clock()
    }

    /// How many times slower the batch is on a shared core; the same for a whole phase.
    fn contention(&mut self, effect: Option<CodeEffect>, random: &mut Random) -> f64 {
        self.contention = match effect {
            Some(CodeEffect::Contention { slower: (least, most), .. }) => {
                Some(self.contention.unwrap_or_else(|| random.between(least, most)))
            }
            _ => None,
        };
        self.contention.unwrap_or(1.0)
    }

    /// The newest reading while it is good, else another.
    fn probes(&mut self, machine: &mut SimulatedMachine) -> Probes {
        match self.probes {
            Some((read_ns, probes)) if machine.now_ns - read_ns < PROBES_NS => probes,
            _ => {
                let probes = machine.probe();
                self.probes = Some((machine.now_ns, probes));
                probes
            }
        }
    }

    /// The reading before the batch, or its mean with another one after a long batch.
    fn probes_after(&mut self, machine: &mut SimulatedMachine, before: Probes) -> Probes {
        let after = self.probes(machine);
        let mean = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| f64::midpoint(a, b));
        Probes {
            clock_ghz: mean(before.clock_ghz, after.clock_ghz),
            reference_ns: mean(before.reference_ns, after.reference_ns),
            ..before
        }
    }
}

/// What other work took of one batch.
struct Stays {
    interruptions: f64,
    lost_ns: f64,
}

impl Stays {
    fn of(on_ns: f64, effect: Option<CodeEffect>, random: &mut Random) -> Self {
        let mut stays = Self { interruptions: 0.0, lost_ns: 0.0 };
        let Some(CodeEffect::Interruptions { every_ns, lost_ns: (least, most) }) = effect else {
            return stays;
        };
        let mut done_ns = every_ns * random.exponential();
        while done_ns < on_ns {
            stays.interruptions += 1.0;
            stays.lost_ns += random.between(least, most);
            done_ns += every_ns * random.exponential();
        }
        stays
    }
}

/// A time as a clock of such steps counts it that does not know when it began.
fn counted(ns: f64, tick_ns: f64, random: &mut Random) -> f64 {
    if tick_ns > 0.0 { (ns / tick_ns + random.uniform()).floor() * tick_ns } else { ns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;
    use perftest_core::judge::{Condition, Inspector, MachineBaseline};

    /// The measurements of so many processes, each some seconds after the other.
    fn measured(world: &str, processes: u64, each: usize) -> Vec<Vec<Measurement>> {
        let world = World::named(world).unwrap();
        let mut machine = SimulatedMachine::new(world, 9);
        let mut process = |number| {
            machine.pass_ns(5e9);
            let build = SimulatedBuild::new(number, world.layouts, &mut machine.random);
            let mut process = Process::start(&mut machine, build);
            (0..each).map(|_| process.measure(&mut machine)).collect()
        };
        (0..processes).map(&mut process).collect()
    }

    fn median(values: impl Iterator<Item = f64>) -> f64 {
        let mut values: Vec<f64> = values.collect();
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() / 2]
    }

    fn medians(world: &str) -> Vec<f64> {
        let processes = measured(world, 400, 15);
        processes.iter().map(|it| median(it.iter().map(|it| it.value / 62_500.0))).collect()
    }

    fn share<T>(values: &[T], is_such: impl Fn(&T) -> bool) -> f64 {
        values.iter().filter(|value| is_such(value)).count() as f64 / values.len() as f64
    }

    /// What a history of an undisturbed machine knows.
    fn usual() -> MachineBaseline {
        let undisturbed = SimulatedMachine::new(World::named("steady").unwrap(), 2).probe();
        MachineBaseline::of(&undisturbed)
    }

    fn conditions(world: &str) -> Vec<Condition> {
        let inspect = |it: &Vec<Measurement>| Inspector::new(usual()).inspect_all(it);
        measured(world, 400, 50).iter().flat_map(inspect).collect()
    }

    #[test]
    fn a_process_is_warm_after_five_batches_and_one_of_a_long_body_after_a_call() {
        let warm = |world: &str| {
            let mut machine = SimulatedMachine::new(World::named(world).unwrap(), 1);
            Process::warm(&mut machine, SimulatedBuild { number: 0, slowness: 1.0 })
        };
        let [short, long] = ["steady", "busy-long-body"].map(warm);
        // 1, 2, 4 and 8 calls are tried before.
        assert_eq!((short.calls_made, short.rewarms), (15.0 + 5.0 * 8.0, true));
        assert_eq!((long.calls_made, long.rewarms), (1.0, false));
    }

    #[test]
    fn a_process_that_idled_runs_one_batch_unrecorded_and_after_a_long_pause_three() {
        let mut machine = SimulatedMachine::new(World::named("steady").unwrap(), 1);
        let mut process = Process::warm(&mut machine, SimulatedBuild { number: 0, slowness: 1.0 });
        let mut batches_after = |pause_ns: f64| {
            let before = process.calls_made;
            machine.pass_ns(pause_ns);
            process.measure(&mut machine);
            (process.calls_made - before) / 8.0
        };
        assert_eq!([0.0, 1e6, 20e6].map(&mut batches_after), [1.0, 2.0, 4.0]);
    }

    #[test]
    fn processes_differ_by_more_than_their_measurements_average_out() {
        let centers = medians("between-3");
        let near = share(&centers, |center| (center.ln()).abs() < 0.03);
        assert!((near - 0.68).abs() < 0.07, "{near}");
    }

    #[test]
    fn bursts_interrupt_as_many_batches_as_recorded_and_are_reported() {
        let conditions = conditions("bursts");
        let interrupted = share(&conditions, |it| *it == Condition::Interrupted);
        // A quarter of the time one batch of 0.5 ms in eight is interrupted.
        assert!((0.02..0.05).contains(&interrupted), "{interrupted}");
        let all: Vec<Measurement> = measured("bursts-untold", 400, 50).concat();
        assert!(all.iter().all(|it| it.thread_cpu_ns.is_none()));
        let slow = share(&all, |it| it.wall_ns > 2e6);
        assert!((0.02..0.05).contains(&slow), "{slow}");
    }

    #[test]
    fn a_long_body_on_a_busy_machine_is_judged_on_its_processor_time() {
        let on_processor =
            share(&conditions("busy-long-body"), |it| *it == Condition::OnProcessorTime);
        assert!(on_processor > 0.98, "{on_processor}");
        let all = measured("busy-long-body", 10, 50).concat();
        assert!(median(all.iter().map(|it| it.wall_ns)) > 1.8 * 20e6);
        let own = median(all.iter().map(Measurement::value_on_processor));
        assert!((own / 20e6 - 1.0).abs() < 0.02, "{own}");
    }

    #[test]
    fn a_neighbour_slows_a_good_part_and_the_probes_tell_most_of_it() {
        let measured = measured("neighbour", 40, 200);
        let mut slow = (0, 0);
        for process in &measured {
            let conditions = Inspector::new(usual()).inspect_all(process);
            for (measurement, condition) in process.iter().zip(conditions) {
                if measurement.value > 1.06 * 62_500.0 {
                    slow.0 += 1;
                    slow.1 += u32::from(condition == Condition::Contended);
                }
            }
        }
        assert!((1_200..2_800).contains(&slow.0), "{slow:?} of 8000");
        assert!(10 * slow.1 > 8 * slow.0, "{slow:?}");
    }

    #[test]
    fn a_quarter_of_the_builds_lies_badly() {
        let slow = share(&medians("layouts"), |center| *center > 1.075);
        assert!((slow - 0.25).abs() < 0.06, "{slow}");
    }

    #[test]
    fn slow_processes_are_slow_to_their_fastest_measurement() {
        let processes = measured("slow-processes", 1_000, 15);
        let fastest = |it: &Vec<Measurement>| {
            it.iter().map(|it| it.value / 62_500.0).fold(f64::INFINITY, f64::min)
        };
        let slow = share(&processes, |it| fastest(it) > 1.08);
        assert!((slow - 0.05).abs() < 0.02, "{slow}");
    }

    #[test]
    fn learned_input_becomes_faster_in_the_course_of_a_process() {
        for process in measured("learned-input", 20, 100) {
            let (early, late) = (process[0].value, process[99].value);
            assert!(early > 2.5 * late, "{early} {late}");
        }
    }

    #[test]
    fn a_coarse_clock_counts_whole_steps_and_is_right_on_average() {
        let all = measured("coarse-clock", 400, 15).concat();
        assert!(all.iter().all(|it| it.wall_ns % 1_000.0 == 0.0));
        let mean = all.iter().map(|it| it.wall_ns).sum::<f64>() / all.len() as f64;
        assert!((mean / 100_300.0 - 1.0).abs() < 0.005, "{mean}");
    }

    #[test]
    fn a_slowdown_is_in_all_of_the_codes_time() {
        let build = SimulatedBuild { number: 0, slowness: 1.0 };
        let time = |slowdown: f64| {
            let mut machine = SimulatedMachine::new(World::named("steady").unwrap(), 1);
            let mut process = Process::start(&mut machine, build.slowed(slowdown));
            process.measure(&mut machine).value
        };
        assert!((time(1.1) / time(1.0) - 1.1).abs() < 1e-9);
    }
}
