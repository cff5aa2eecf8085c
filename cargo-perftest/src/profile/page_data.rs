//! What the script of a page knows, as JSON.

use super::UnionFile;
use crate::html::for_script;
use perftest_analysis::profile::{
    FunctionWeights, IterationClasses, UnionSide, crate_name, culprit_threshold, function_weights,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

/// Frames of a page. Browsers draw twice as many without delay; the rest is memory.
const MOST_FRAMES: usize = 250_000;
/// Functions of the table, where the page does not have all frames to make it from.
const MOST_FUNCTIONS: usize = 5_000;

/// Writes the data, with no character that could end its block.
pub(super) fn write_page_data(file: &UnionFile, out: &mut dyn Write) -> io::Result<()> {
    PageData::new(file, MOST_FRAMES).write(out)
}

struct PageData<'a> {
    file: &'a UnionFile,
    /// The frames of the page.
    frames: Vec<usize>,
    /// Where each frame is on the page; of one that is left out, its nearest caller there as -1 - place.
    places: Vec<i64>,
    /// Frames of no larger share are left out; 0 where all are there.
    smallest: f64,
    /// The functions with the largest own time, where some frames are left out.
    functions: Vec<(u32, [FunctionWeights; 2])>,
    /// The names of the page by their numbers in the tree.
    names: BTreeMap<u32, u32>,
}

impl<'a> PageData<'a> {
    fn new(file: &'a UnionFile, most_frames: usize) -> Self {
        let tree = file.union.tree();
        let shares: Vec<f64> = (0..tree.frames().len()).map(|frame| share(file, frame)).collect();
        let smallest = smallest(&shares, most_frames);
        // A caller's share is no smaller than that of what it called, so no frame is without its caller.
        let is_drawn = |frame: &usize| shares[*frame] > smallest || *frame == 0;
        let frames: Vec<usize> = (0..shares.len()).filter(is_drawn).collect();
        let places = places(file, &frames);
        let functions = if smallest > 0.0 { functions(file) } else { Vec::new() };
        let used = frames.iter().map(|frame| tree.frames()[*frame].name);
        let used = used.chain(functions.iter().map(|(name, _)| *name));
        let mut names: BTreeMap<u32, u32> = used.map(|name| (name, 0)).collect();
        for (number, place) in names.values_mut().enumerate() {
            *place = number as u32;
        }
        Self { file, frames, places, smallest, functions, names }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let UnionFile { union, base, new, notes, .. } = self.file;
        let tree = union.tree();
        let [base_side, new_side] = union.sides();
        let head = json!({
            "base": base,
            "new": new,
            "samples": [base_side.samples, new_side.samples],
            "notes": notes,
            "cause": self.file.cause(),
            "iteration": [iteration_as_json(base_side), iteration_as_json(new_side)],
            "iterations": [classes_as_json(base_side), classes_as_json(new_side)],
            "smallest": self.smallest,
            "culpritZ": culprit_threshold(union),
        });
        let names = self.names.keys().map(|name| &*tree.names()[*name as usize]);
        let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
        let crate_of: Vec<&str> = names.clone().map(|it| crate_name(it).unwrap_or("")).collect();
        for name in &crate_of {
            let next = crates.len();
            crates.entry(name).or_insert(next);
        }
        let mut crate_names = vec![""; crates.len()];
        for (name, number) in &crates {
            crate_names[*number] = name;
        }
        let names: Vec<&str> = names.collect();
        write!(
            out,
            "{{\"head\":{},\"names\":{}",
            for_script(&head.to_string()),
            for_script(&json!(names).to_string())
        )?;
        write!(out, ",\"crates\":{}", for_script(&json!(crate_names).to_string()))?;
        write_numbers(out, "crateOf", crate_of.iter().map(|name| crates[name]))?;
        let frames = || self.frames.iter().copied();
        write_numbers(out, "name", frames().map(|it| self.names[&tree.frames()[it].name]))?;
        write_numbers(out, "depth", frames().map(|it| tree.frames()[it].depth))?;
        // The base of a single profile is the same profile.
        let sides = [("base", base_side), ("new", new_side)];
        for (name, side) in sides.into_iter().skip(usize::from(base.is_none())) {
            let own = frames().map(|frame| side.weights.own[frame]);
            write_numbers(out, &format!("{name}Own"), own)?;
            let total = frames().map(|frame| side.weights.total[frame]);
            write_numbers(out, &format!("{name}Total"), total)?;
            if let Some(IterationClasses { weights, .. }) = &side.classes {
                let frames = weights.iter().map(|it| self.places[it.frame as usize]);
                write_numbers(out, &format!("{name}ClassFrame"), frames)?;
                write_numbers(out, &format!("{name}Class"), weights.iter().map(|it| it.class))?;
                write_numbers(
                    out,
                    &format!("{name}ClassWeight"),
                    weights.iter().map(|it| it.weight),
                )?;
            }
        }
        write!(out, ",\"functions\":[")?;
        for (row, (name, [base, new])) in self.functions.iter().enumerate() {
            let comma = if row == 0 { "" } else { "," };
            let name = self.names[name];
            write!(out, "{comma}[{name},{},{},{},{}]", base.own, new.own, base.total, new.total)?;
        }
        write!(out, "]}}")
    }
}

/// Time per iteration of each nanosecond of weight, and the relative error of the time; `null` where the profile
/// does not have it.
fn iteration_as_json(side: &UnionSide) -> Value {
    side.iteration.map_or(
        Value::Null,
        |it| json!({ "scale": it.ns / it.sampled_ns, "error": it.error_ns / it.ns }),
    )
}

/// The iterations of each class of durations, the fastest first; `null` where the profile does not have it.
fn classes_as_json(side: &UnionSide) -> Value {
    let as_json = |classes: &IterationClasses| {
        classes.classes.iter().map(|it| json!([it.from_ns, it.iterations])).collect()
    };
    side.classes.as_ref().map_or(Value::Null, as_json)
}

/// Where each frame of the tree is among these, which are in order.
fn places(file: &UnionFile, drawn: &[usize]) -> Vec<i64> {
    let frames = file.union.tree().frames();
    let mut places: Vec<i64> = Vec::with_capacity(frames.len());
    let mut next = 0;
    for (frame, at) in frames.iter().enumerate() {
        if drawn.get(next) == Some(&frame) {
            places.push(next as i64);
            next += 1;
        } else {
            let caller = places[at.parent as usize];
            places.push(if caller < 0 { caller } else { -1 - caller });
        }
    }
    places
}

/// The larger share of a frame.
fn share(file: &UnionFile, frame: usize) -> f64 {
    let [base, new] = file.union.sides();
    base.share(frame).max(new.share(frame))
}

/// The share up to which frames are left out, so that no more than `most` stay.
fn smallest(shares: &[f64], most: usize) -> f64 {
    if shares.len() <= most {
        return 0.0;
    }
    let mut sorted = shares.to_vec();
    let (_, smallest, _) = sorted.select_nth_unstable_by(most, |one, other| other.total_cmp(one));
    *smallest
}

/// The functions with the largest own share.
fn functions(file: &UnionFile) -> Vec<(u32, [FunctionWeights; 2])> {
    let [base, new] = file.union.sides();
    let tree = file.union.tree();
    let weights = [base, new].map(|side| function_weights(tree, &side.weights)).map(Vec::into_iter);
    let [base_weights, new_weights] = weights;
    let mut all: Vec<(u32, [FunctionWeights; 2])> =
        (0..).zip(base_weights.zip(new_weights).map(<[FunctionWeights; 2]>::from)).collect();
    let own = |[old, now]: &[FunctionWeights; 2]| {
        let shares = [(old, base), (now, new)]
            .map(|(weights, side)| weights.own as f64 / side.total().max(1) as f64);
        shares[0].max(shares[1])
    };
    all.sort_by(|(_, one), (_, other)| own(other).total_cmp(&own(one)));
    all.truncate(MOST_FUNCTIONS);
    all
}

fn write_numbers(
    out: &mut dyn Write,
    key: &str,
    numbers: impl Iterator<Item = impl Display>,
) -> io::Result<()> {
    write!(out, ",\"{key}\":[")?;
    for (place, number) in numbers.enumerate() {
        let comma = if place == 0 { "" } else { "," };
        write!(out, "{comma}{number}")?;
    }
    write!(out, "]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::ProfileFile;
    use perftest_analysis::profile::{IterationClass, ProfileBuilder};

    fn file(stacks: &[(&str, u64)]) -> UnionFile {
        let mut profile = ProfileBuilder::default();
        for (stack, weight) in stacks {
            assert!(profile.add(stack.split(';'), *weight, *weight));
        }
        UnionFile::of_one(ProfileFile { name: "</script>".into(), profile: profile.finish() })
    }

    fn data(file: &UnionFile, most_frames: usize) -> Value {
        let mut out = Vec::new();
        PageData::new(file, most_frames).write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn names_of_others_end_no_block() {
        let hostile = "</script><!--<script>alert('x')//&\"\u{2028}x";
        let data = data(&file(&[(hostile, 1)]), 10);
        assert_eq!(data["names"], json!(["all", "</script><!--<script>alert('x')//&\"\u{fffd}x"]));
        assert_eq!(data["head"]["new"], "</script>");
    }

    #[test]
    fn weights_by_iterations_are_those_of_drawn_frames_and_of_what_is_left_out_below_them() {
        let mut profile = ProfileBuilder::default();
        let classes = [(100, 9), (200, 1)];
        let class = |(from_ns, iterations)| IterationClass { from_ns, iterations };
        profile.set_classes(classes.map(class).to_vec());
        for (stack, weight, by_class) in
            [("a;b", 6, vec![(0, 4), (1, 2)]), ("a;c;d", 1, vec![(1, 1)]), ("e", 5, vec![(0, 5)])]
        {
            assert!(profile.add(stack.split(';'), weight, weight));
            assert!(profile.add_by_class(&by_class));
        }
        let file = ProfileFile { name: "new".into(), profile: profile.finish() };
        let data = data(&UnionFile::of_one(file), 4);
        assert_eq!(data["depth"], json!([0, 1, 2, 1]));
        assert_eq!(data["head"]["iterations"][1], json!([[100, 9], [200, 1]]));
        assert_eq!(data["newClassFrame"], json!([2, 2, -2, 3]));
        assert_eq!(data["newClass"], json!([0, 1, 1, 0]));
        assert_eq!(data["newClassWeight"], json!([4, 2, 1, 5]));
    }

    #[test]
    fn the_smallest_frames_are_left_out_and_the_table_still_has_their_functions() {
        let file = file(&[("a;b", 6), ("a;c", 1), ("d;c", 1), ("e", 3)]);
        let all = data(&file, 100);
        assert_eq!(all["depth"], json!([0, 1, 2, 2, 1, 2, 1]));
        assert_eq!((&all["head"]["smallest"], &all["functions"]), (&json!(0.0), &json!([])));
        let some = data(&file, 4);
        assert_eq!(
            (&some["depth"], &some["newTotal"]),
            (&json!([0, 1, 2, 1]), &json!([11, 7, 6, 3]))
        );
        let names = some["names"].as_array().unwrap();
        let rows = some["functions"].as_array().unwrap().iter();
        let row = rows.clone().find(|row| names[row[0].as_u64().unwrap() as usize] == "c").unwrap();
        assert_eq!(row[2], 2);
    }
}
