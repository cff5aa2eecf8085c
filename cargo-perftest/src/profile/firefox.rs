//! The processed format of the Firefox profiler.
//!
//! Source: the documentation of the format in the repository firefox-devtools/profiler. Version 44 of it is
//! written: newer profilers upgrade what older ones wrote.

use super::ProfileFile;
use serde_json::{Value, json};
use std::io::{self, Write};

const FORMAT: u32 = 44;

/// Writes every stack with weight of its own as one sample, a millisecond after the other.
pub(crate) fn write_firefox(file: &ProfileFile, out: &mut dyn Write) -> io::Result<()> {
    let tree = file.profile.tree();
    let own = &file.profile.weights().own;
    // Without the root, which stands for the whole profile: frame 1 is stack 0.
    let prefixes: Vec<Option<u32>> =
        tree.frames().iter().skip(1).map(|at| at.parent.checked_sub(1)).collect();
    let functions: Vec<u32> = tree.frames().iter().skip(1).map(|at| at.name).collect();
    let sampled: Vec<usize> = (1..own.len()).filter(|frame| own[*frame] > 0).collect();
    let names = tree.names().len();
    let nothing = |count: usize| vec![Value::Null; count];
    let zeros = |count: usize| vec![0; count];
    let thread = json!({
        "name": file.name,
        "processType": "default",
        "isMainThread": true,
        "processStartupTime": 0,
        "processShutdownTime": null,
        "registerTime": 0,
        "unregisterTime": null,
        "pausedRanges": [],
        "pid": "0",
        "tid": 0,
        "stringArray": tree.names().iter().map(|name| &**name).collect::<Vec<&str>>(),
        "funcTable": {
            "length": names,
            "name": (0..names).collect::<Vec<usize>>(),
            "isJS": vec![false; names],
            "relevantForJS": vec![false; names],
            "resource": vec![-1; names],
            "fileName": nothing(names),
            "lineNumber": nothing(names),
            "columnNumber": nothing(names),
        },
        "frameTable": {
            "length": names,
            "address": vec![-1; names],
            "inlineDepth": zeros(names),
            "category": zeros(names),
            "subcategory": zeros(names),
            "func": (0..names).collect::<Vec<usize>>(),
            "nativeSymbol": nothing(names),
            "innerWindowID": nothing(names),
            "implementation": nothing(names),
            "line": nothing(names),
            "column": nothing(names),
        },
        "stackTable": {
            "length": prefixes.len(),
            "prefix": prefixes,
            "frame": functions,
            "category": zeros(functions.len()),
            "subcategory": zeros(functions.len()),
        },
        "samples": {
            "length": sampled.len(),
            "stack": sampled.iter().map(|frame| frame - 1).collect::<Vec<usize>>(),
            "time": (0..sampled.len()).collect::<Vec<usize>>(),
            "weight": sampled.iter().map(|frame| own[*frame]).collect::<Vec<u64>>(),
            "weightType": "samples",
        },
        "markers": {
            "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [], "startTime": [],
        },
        "resourceTable": { "length": 0, "lib": [], "name": [], "host": [], "type": [] },
        "nativeSymbols": { "length": 0, "address": [], "functionSize": [], "libIndex": [], "name": [] },
    });
    let whole = json!({
        "meta": {
            "interval": 1,
            "startTime": 0,
            "processType": 0,
            "product": "perftest",
            "stackwalk": 1,
            "debug": false,
            "version": 24,
            "preprocessedProfileVersion": FORMAT,
            "symbolicated": true,
            "categories": [{ "name": "Other", "color": "grey", "subcategories": ["Other"] }],
            "markerSchema": [],
        },
        "libs": [],
        "pages": [],
        "counters": [],
        "profilerOverhead": [],
        "threads": [thread],
    });
    serde_json::to_writer(&mut *out, &whole)?;
    writeln!(out)
}
