//! A run with a value in every field, and a judgement of it.

use perftest_core::model::{
    BenchmarkId, CodeState, CoreKind, Covariate, Environment, Evidence, ExplanatoryMetric,
    InstructionCounter, Instructions, Interval, Judgement, Limits, MachineState, Measurement,
    Metric, Note, PairedResult, PowerSettings, PressureState, Probes, ProgramCode, QuotaState,
    Reading, Reason, Revision, RuleResult, Run, RunId, SourcePlace, Tag, ThrottleState, Tolerance,
};

/// Returns a run with a value in every stored field. Its identity, time and values depend on
/// `ordinal`.
pub fn example_run(ordinal: u64) -> Run {
    let started_ms = 1_767_225_600_000 + 60_000 * ordinal;
    Run {
        id: RunId::new(started_ms, u128::from(ordinal)),
        session: "01KDVDNR00000000000000000S".into(),
        attempt: 1,
        project: "codec.0b1c2d3e".into(),
        benchmark: BenchmarkId::new("codec", "codec::frame", "encode"),
        source: Some(SourcePlace { file: "src/frame.rs".into(), line: 37 }),
        metric: Metric::wall(),
        testbed: "local/7f3a2b".into(),
        context: "00112233445566ff".into(),
        config: "8c9d0e1f".into(),
        code: CodeState {
            executable: "1111222233334444".into(),
            text: "5555666677778888".into(),
            programs: vec![ProgramCode {
                file: "encoder".into(),
                executable: "9999aaaabbbbcccc".into(),
            }],
        },
        started_ms,
        corrected_ms: None,
        revision: revision(),
        ci: String::new(),
        warm_up: 2,
        measurements: measurements(ordinal as f64),
        suspects: vec![2],
        apart: Vec::new(),
        on_processor_time: vec![1],
        environment: environment(),
        evidence: Some(evidence()),
        rule: "ladder/1 tol=0.05".into(),
        max_measurements: None,
        curve: Vec::new(),
        baseline: "99990000aaaabbbb".into(),
        counts_for_baseline: true,
        spent_ns: 12_345_678,
        budget_ns: 3_000_000_000,
        formerly: None,
        acceptance: None,
        flags: vec!["libtest".into()],
    }
}

fn revision() -> Revision {
    Revision {
        commit: "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334".into(),
        parent: "b1b2c3d4e5f60718293a4b5c6d7e8f9001122334".into(),
        base: "c1b2c3d4e5f60718293a4b5c6d7e8f9001122334".into(),
        branch: "faster-\"frames\"".into(),
        order: 1_767_225_000,
        dirty: true,
    }
}

/// The third was interrupted and moved to a small core.
fn measurements(offset_ns: f64) -> Vec<Measurement> {
    let large = (Some(CoreKind::Performance), Some(4.098));
    let small = (Some(CoreKind::Efficiency), Some(3.1));
    let measurement = |value: f64, iterations: u64, (core_kind, clock_ghz), others_cpus| {
        let in_all = |each_ns: f64| each_ns * iterations as f64;
        Measurement {
            iterations,
            wall_ns: in_all(value + offset_ns),
            process_cpu_ns: Some(in_all(value + offset_ns) as u64),
            thread_cpu_ns: Some(in_all(value + offset_ns - 0.125) as u64),
            core_kind,
            probes: Probes {
                clock_ghz,
                reference_ns: Some(812.4),
                disk_ns: Some(1_204_000.0),
                others_cpus,
            },
            ..Measurement::of_value(value + offset_ns)
        }
    };
    vec![
        measurement(57.0, 4_000, large, Some(0.25)),
        measurement(56.875, 4_000, large, None),
        measurement(71.25, 4_000, small, None),
        measurement(57.5, 2_000, large, Some(1.5)),
    ]
}

fn environment() -> Environment {
    Environment {
        before: MachineState {
            temperature_milli_c: Reading::Value(61_250),
            effective_khz: Reading::Value(4_087_650),
            reference_ns: Reading::Value(812),
            core_kind: Reading::Value(CoreKind::Performance),
            ..machine_state(0)
        },
        after: MachineState {
            temperature_milli_c: Reading::Value(63_001),
            effective_khz: Reading::Value(3_091_007),
            reference_ns: Reading::Value(1_020),
            core_kind: Reading::Value(CoreKind::Efficiency),
            ..machine_state(1)
        },
        tags: vec![Tag::Parallel, Tag::Steal],
        distrusted: Vec::new(),
    }
}

/// The state before and after the run, with counters at a multiple of `stand`. A record stores only
/// their increase, so they start at 0.
fn machine_state(stand: u64) -> MachineState {
    MachineState {
        taken_ms: Reading::Value(1_800 * stand),
        critical_milli_c: Reading::Value(100_000),
        frequency_khz: Reading::Value(4_099_123),
        frequency_is_counted: Reading::Value(true),
        throttling: throttling(stand),
        load_milli: Reading::Value(530),
        busy_ms: Reading::Value(40 * stand),
        steal_ms: Reading::Value(2 * stand),
        quota: QuotaState {
            periods: Reading::Value(18 * stand),
            throttled_periods: Reading::Value(0),
            throttled_us: Reading::Value(0),
        },
        pressure: PressureState {
            cpu_us: Reading::Value(30_211 * stand),
            memory_us: Reading::Value(0),
            io_us: Reading::Value(412 * stand),
        },
        swapped_pages: Reading::Value(0),
        context_switches: Reading::Value(3 * stand),
        major_faults: Reading::Value(0),
        minor_faults: Reading::Value(12 * stand),
        on_battery: Reading::Value(false),
        battery_percent: Reading::Value(87),
        power: power(stand),
        ..MachineState::default()
    }
}

fn throttling(stand: u64) -> ThrottleState {
    ThrottleState {
        package_events: Reading::Value(0),
        package_ms: Reading::Value(0),
        core_events: Reading::Value(stand),
        core_ms: Reading::Value(3 * stand),
        firmware_bits: Reading::Value(0x5_0000),
        pressure_level: Reading::Value(0),
        limit_percent: Reading::Value(100),
    }
}

fn power(stand: u64) -> PowerSettings {
    PowerSettings {
        governor: Reading::Value("powersave".into()),
        preference: Reading::Value("balance_performance".into()),
        profile: Reading::Value("balanced".into()),
        boost: Reading::Value(true),
        cap_khz: Reading::Value(4_700_000 - 100_000 * stand),
        hardware_khz: Reading::Value(4_700_000),
    }
}

fn evidence() -> Evidence {
    Evidence {
        reason: Reason::Green,
        degradation: Some(Interval { estimate: 1.0123456789, lower: 0.99, upper: 1.03 }),
        now: Some(Interval { estimate: 57.25, lower: 56.9, upper: 57.6 }),
        before: Some(Interval { estimate: 56.5, lower: 56.0, upper: 58.1 }),
        baseline_runs: 42,
        baseline_commits: 8,
        baseline_commit: "d1b2c3d4e5f60718293a4b5c6d7e8f9001122334".into(),
        commits_before_base: Some(3),
        baseline_is_provisional: false,
        level_began: None,
        baseline_needed: 5,
        tolerance: Tolerance::default(),
        limit: Some(50_000.0),
        limit_is_open: false,
        accepted_ratio: Some(1.12),
        smallest_detectable: Some(0.031),
        false_alarm_rate: Some(1.5e-6),
        noise: Some(0.017),
        needed_measurements: Some(240),
        needed_budget_s: None,
        paired_result: Some(PairedResult {
            commit: "a1b2c3d4".into(),
            dirty: false,
            now: 56.9,
            ratio: 1.25,
            machine_ratio: 1.01,
            pairs: 3,
            instructions: Some(Instructions {
                before: 1204.25,
                now: 1502.5,
                counter: InstructionCounter::Valgrind,
                variation: 0.0005,
            }),
            changes: Vec::new(),
        }),
        explanatory_metrics: vec![
            ExplanatoryMetric { name: "cpu".into(), now: 57.5, before: Some(56.75) },
            ExplanatoryMetric { name: "/lex".into(), now: 12.25, before: None },
        ],
        normalised_by: Some(Covariate::Reference),
        measurements: 4,
        suspects: 1,
        processes: 2,
        slow_processes: 1,
        notes: vec![
            Note::SlowOnlyAtFirst,
            Note::NotConfirmed { why: "it \"crashed\"".into() },
            Note::PairsDisturbed { disturbed: 2, pairs: 5 },
        ],
    }
}

/// The result of the threshold `latency` for an [`example_run`].
pub fn example_judgement(ordinal: u64, finding: RuleResult, limits: Option<Limits>) -> Judgement {
    let run = example_run(ordinal);
    Judgement {
        run: run.id,
        benchmark: run.benchmark,
        testbed: run.testbed,
        metric: run.metric.name,
        threshold: "latency".into(),
        model: "00112233445566ff".into(),
        value: 71.25,
        limits,
        finding,
        judged_ms: 1_767_225_700_000,
    }
}
