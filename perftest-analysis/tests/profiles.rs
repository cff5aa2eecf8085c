//! Profiles and their differences, of stacks whose truth is known.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_analysis::profile::{
    FunctionChange, IterationClass, IterationTime, Profile, ProfileBuilder, ProfileError,
    ProfileFormat, ProfileReader, ProfileUnion, culprit_threshold, function_weights,
    write_folded_with_remarks,
};
use perftest_core::stats::Random;

fn read(format: ProfileFormat, text: &str) -> Result<Profile, ProfileError> {
    let mut reader = ProfileReader::new(format);
    for line in text.lines() {
        reader.read_line(line)?;
    }
    reader.finish()
}

fn folded(text: &str) -> Profile {
    read(ProfileFormat::Folded, text).unwrap()
}

fn with_remarks(profile: &Profile) -> String {
    let mut text = Vec::new();
    write_folded_with_remarks(profile, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The stacks without the remarks.
fn text(profile: &Profile) -> String {
    let written = with_remarks(profile);
    written.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

/// Draws so many samples, one of these functions each.
fn drawn(functions: &[(&str, f64)], samples: u64, seed: u64) -> Profile {
    let whole: f64 = functions.iter().map(|(_, time)| time).sum();
    let mut random = Random::new(seed);
    let mut profile = ProfileBuilder::default();
    for _ in 0..samples {
        let mut left = random.between(0.0, whole);
        let drawn = functions.iter().find(|(_, time)| {
            left -= time;
            left < 0.0
        });
        let (stack, _) = drawn.unwrap_or(&functions[0]);
        assert!(profile.add(stack.split(';'), 1, 1));
    }
    profile.finish()
}

fn changes(base: &Profile, new: &Profile) -> (Vec<FunctionChange>, f64) {
    let union = ProfileUnion::of(base, new);
    (FunctionChange::all(&union), culprit_threshold(&union))
}

const STACKS: [(&str, f64); 6] = [
    ("main;parse;unescape", 0.14),
    ("main;parse;utf8", 0.29),
    ("main;parse", 0.1),
    ("main;write;unescape", 0.11),
    ("main;write;copy", 0.3),
    ("main", 0.06),
];

#[test]
fn folded_stacks_are_written_as_they_are_read() {
    let written = "a 3\na;b 1\na;b;a 4\nc;d 5\n";
    assert_eq!(text(&folded(written)), written);
    assert_eq!(text(&folded("c;d 5\r\n\n# remark\na;b 1\na 2\na;b;a 4\na 1\nz 0\n")), written);
}

#[test]
fn a_thread_whose_name_begins_as_a_remark_keeps_its_samples() {
    let mut profile = ProfileBuilder::default();
    assert!(profile.add(["#1 worker", "parse"].into_iter(), 3, 3));
    let profile = profile.finish();
    assert_eq!(text(&profile), " #1 worker;parse 3\n");
    assert_eq!(text(&folded(&text(&profile))), text(&profile));
}

#[test]
fn notes_that_a_written_profile_has_are_not_doubled_when_it_is_read() {
    let written = with_remarks(&folded("main;a 1 2\nmain;b 1 3"));
    let again = with_remarks(&folded(&written));
    assert_eq!((again.matches("two numbers").count(), again == written), (1, true), "{again}");
}

#[test]
fn recursion_counts_once_in_the_total_of_a_function() {
    let profile = folded("a;b;a;b 5\na;c 2\nb;a 1\n");
    let weights = function_weights(profile.tree(), profile.weights());
    let of = |wanted: &str| {
        let place = profile.tree().names().iter().position(|name| &**name == wanted).unwrap();
        (weights[place].own, weights[place].total)
    };
    assert_eq!([of("a"), of("b"), of("c")], [(1, 8), (5, 6), (2, 2)]);
}

#[test]
fn a_quarter_more_of_one_function_over_two_branches_is_the_first_line() {
    let mut slower = STACKS;
    slower[0].1 *= 1.25;
    slower[3].1 *= 1.25;
    for seed in 0..20 {
        let (all, threshold) =
            changes(&drawn(&STACKS, 5_000, seed), &drawn(&slower, 5_000, 100 + seed));
        assert_eq!(&*all[0].name, "unescape", "seed {seed}: {:?}", all[0]);
        assert!(all[0].own.z >= threshold, "seed {seed}: z {}", all[0].own.z);
    }
}

#[test]
fn equal_programs_have_no_culprit_in_19_of_20_comparisons() {
    let culprits = |seed| {
        let (all, threshold) =
            changes(&drawn(&STACKS, 2_900, seed), &drawn(&STACKS, 2_900, 1_000 + seed));
        all.iter().any(|it| it.own.z.abs() >= threshold)
    };
    let wrong = (0..200).filter(|seed| culprits(*seed)).count();
    // 5% of 200 are 10; beyond 20 it would be one chance in a thousand.
    assert!(wrong <= 20, "{wrong} of 200");
}

#[test]
fn a_function_that_vanished_is_in_the_union() {
    let (base, new) = (folded("main;old 50\nmain;same 50\n"), folded("main;same 100\n"));
    let union = ProfileUnion::of(&base, &new);
    let old = (0..union.tree().frames().len()).find(|it| union.tree().name(*it) == "old").unwrap();
    let totals = union.sides().each_ref().map(|side| side.weights.total[old]);
    assert_eq!(totals, [50, 0]);
    assert_eq!(union.absolute_change(old), -0.5);
    assert_eq!(&*changes(&base, &new).0.last().unwrap().name, "old");
}

/// Fast and slow iterations, with a stack that is only partly in one.
const CLASSED: &str = "# samples: 21.\n# iterations 1: 90 of 2031616 ns, 10 of 120586240 ns.\n\
    main;parse 12\n# by iterations: 0 583, 1 417.\nmain;wait 9\n# by iterations: 1 889.\n";

#[test]
fn weights_of_slow_iterations_are_written_as_they_are_read() {
    let profile = folded(CLASSED);
    assert_eq!(with_remarks(&profile), CLASSED);
    assert_eq!(text(&profile), "main;parse 12\nmain;wait 9\n");
    let classes = profile.classes().unwrap();
    assert_eq!(classes.classes[1], IterationClass { from_ns: 120_586_240, iterations: 10 });
    let slow: u64 = classes.weights.iter().filter(|it| it.class == 1).map(|it| it.weight).sum();
    assert_eq!(slow, 13);
}

#[test]
fn weights_of_many_classes_are_exact_to_a_thousandth_of_their_stack() {
    let mut profile = ProfileBuilder::default();
    let class = |from_ns| IterationClass { from_ns, iterations: 1 };
    profile.set_classes((0..700).map(class).collect());
    let weight = 7 * 5_031_977;
    let by_class: Vec<(u32, u64)> = (0..700).map(|class| (class, weight / 700 + 1)).collect();
    assert!(profile.add(["main", "parse"], weight + 700, 7));
    assert!(profile.add_by_class(&by_class));
    let written = with_remarks(&profile.finish());
    let again = folded(&written);
    assert_eq!(with_remarks(&again), written);
    let slow = again.classes().unwrap().weights.iter().filter(|it| it.class >= 350);
    let slow: u64 = slow.map(|it| it.weight).sum();
    assert!(slow.abs_diff(weight / 2) <= weight / 1_000, "{slow}");
}

#[test]
fn weights_of_slow_iterations_stay_with_their_stacks_in_slices_and_differences() {
    let base = folded(CLASSED);
    let new = folded(&CLASSED.replace("main;", "a;main;").replace("wait 9", "wait 8"));
    let union = ProfileUnion::of(&base, &new);
    for side in union.sides() {
        let classes = side.classes.as_ref().unwrap();
        let names = classes.weights.iter().map(|it| union.tree().name(it.frame as usize));
        assert_eq!(names.collect::<Vec<_>>(), ["parse", "parse", "wait"]);
        assert!(classes.weights.iter().all(|it| it.weight <= side.weights.own[it.frame as usize]));
    }
    let two_threads = CLASSED.replace("samples: 21", "samples: 25");
    let two_threads = folded(&format!("{two_threads}other;wait 4\n# by iterations: 0 1000.\n"));
    let main = two_threads.slice("main").unwrap();
    assert_eq!(with_remarks(&main), CLASSED);
}

#[test]
fn damaged_or_later_iterations_are_no_iterations_and_the_stacks_stay() {
    for (written, is, notes) in [
        ("1: 90 of 2031616", "2: 90 of 2031616", 0),
        ("90 of 2031616", "90 of 999999999", 1),
        ("10 of 120586240 ns.", "10 of 120586240 ns", 1),
        ("0 583, 1 417", "0 584, 1 417", 1),
        ("0 583, 1 417", "0 583, 2 417", 1),
        ("0 583, 1 417", "0 18446744073709551615, 1 417", 1),
    ] {
        let profile = folded(&CLASSED.replace(written, is));
        let found = (profile.total(), profile.classes(), profile.notes().sentences().len());
        assert_eq!(found, (21, None, notes), "{is}");
    }
    let of_two = folded(&CLASSED.repeat(2));
    assert_eq!((of_two.total(), of_two.classes()), (42, None));
}

#[test]
fn a_slice_has_the_stacks_of_its_outermost_frames() {
    let profile = folded("[w-1];a 3\n[w-2];a 4\n[main];w- 8\n");
    let slice = profile.slice("[w-").unwrap();
    assert_eq!((slice.total(), slice.samples()), (7, 7));
    assert_eq!(text(&slice), "[w-1];a 3\n[w-2];a 4\n");
    assert!(profile.slice("x").is_none());
}

#[test]
fn a_file_of_nanoseconds_has_as_many_samples_as_are_named() {
    let profile = folded("a 4000000\nb 6000000\n");
    assert_eq!(profile.samples(), 10_000_000);
    assert_eq!(profile.with_sample_weight(1_000_000).samples(), 10);
}

#[test]
fn damaged_lines_are_left_out_and_counted() {
    let profile = folded("a;b 3\na;b\nc 4\nd -5\ne 1.5\nf 2\ng 7\n");
    assert_eq!(profile.total(), 16);
    let notes = profile.notes();
    assert_eq!((notes.unreadable_lines, notes.first_unreadable), (3, Some(2)));
    assert_eq!(notes.sentences(), ["lines that cannot be read: 3, the first is line 2"]);
}

#[test]
fn a_difference_of_two_profiles_is_no_profile_without_a_note() {
    let sentences = |text| folded(text).notes().sentences();
    assert!(sentences("a;b 10 12\na;c 3 4\n")[0].contains("give the two profiles"));
    assert!(sentences("worker 1;a 3\nworker 1 4\n").is_empty());
}

#[test]
fn a_file_that_is_no_profile_is_an_error_with_its_line() {
    let error = |format, text| read(format, text).unwrap_err().to_string();
    assert!(error(ProfileFormat::Folded, "").contains("is empty"));
    assert!(error(ProfileFormat::Folded, "# nothing\n").contains("no stacks"));
    assert!(error(ProfileFormat::Folded, "a 0\n").contains("no stacks"));
    let prose = error(ProfileFormat::Folded, "fine 1\nsome text\nmore text\n");
    assert!(prose.starts_with("line 2 has no whole number as its weight"), "{prose}");
    let heavy = error(ProfileFormat::Folded, "a 9007199254740992\nb 1\n");
    assert!(heavy.starts_with("line 2: the weights add up"), "{heavy}");
    let beyond = error(ProfileFormat::Folded, "a 99999999999999999999999\n");
    assert!(beyond.starts_with("line 1: the weights add up"), "{beyond}");
    let flat =
        error(ProfileFormat::PerfScript, "perf 9 1.5:  10 cycles: \n\nperf 9 1.6: 10 cycles: \n\n");
    assert!(flat.contains("perf record -g"), "{flat}");
}

#[test]
fn a_torn_sample_of_perf_is_left_out() {
    let text = "p 9 1.5:  10 cycles: \n\t55 inner (/p)\n\t56 main (/p)\n\np 9 1.6:  10 cycles: \n\t55 inner (/p)\n";
    let profile = read(ProfileFormat::PerfScript, text).unwrap();
    assert_eq!(self::text(&profile), "p;main;inner 10\n");
    assert_eq!(profile.samples(), 1);
    assert!(profile.notes().ends_early);
}

#[test]
fn a_recorded_profile_keeps_its_number_of_samples_and_its_notes() {
    let lines = ["# samples: 1987.", "# note: 12% is missing.", "# anything", "main;a 5000000"];
    let mut reader = ProfileReader::new(ProfileFormat::Folded);
    lines.iter().for_each(|line| reader.read_line(line).unwrap());
    let profile = reader.finish().unwrap();
    assert_eq!((profile.samples(), profile.total()), (1_987, 5_000_000));
    assert_eq!(profile.notes().sentences(), ["12% is missing."]);
    let written = with_remarks(&profile);
    assert_eq!(written, "# samples: 1987.\n# note: 12% is missing.\nmain;a 5000000\n");
}

#[test]
fn a_recorded_profile_keeps_the_time_of_an_iteration() {
    let remark = "# whole iteration: 1234.500 ns, standard error 0.250 ns, sampled for 5000000 ns.";
    let profile = folded(&format!("{remark}\nmain;a 5000000\n"));
    let expected = IterationTime { ns: 1_234.5, error_ns: 0.25, sampled_ns: 5e6 };
    assert_eq!(profile.iteration(), Some(expected));
    let written = with_remarks(&profile);
    assert!(written.contains(&format!("{remark}\n")), "{written}");
    for damaged in
        ["0 ns, standard error 0 ns, sampled for 5 ns.", "1 ns, standard error NaN ns.", "x"]
    {
        let profile = folded(&format!("# whole iteration: {damaged}\nmain;a 5000000\n"));
        assert_eq!(profile.iteration(), None, "{damaged}");
    }
}

#[test]
fn remarks_of_others_are_no_number_of_samples() {
    for remark in ["# samples: 0.", "# samples: x.", "# samples: 7", "# samples"] {
        let mut reader = ProfileReader::new(ProfileFormat::Folded);
        [remark, "main;a 5"].iter().for_each(|line| reader.read_line(line).unwrap());
        assert_eq!(reader.finish().unwrap().samples(), 5, "{remark}");
    }
}
