//! The file format of speedscope.
//!
//! Source: `file-format-spec.ts` of speedscope.

use super::ProfileFile;
use serde_json::json;
use std::io::{self, Write};

/// Writes every stack with weight of its own.
pub(crate) fn write_speedscope(file: &ProfileFile, out: &mut dyn Write) -> io::Result<()> {
    let profile = &file.profile;
    let tree = profile.tree();
    let frames: Vec<_> = tree.names().iter().map(|name| json!({ "name": &**name })).collect();
    write!(
        out,
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"perftest\",\
         \"name\":{name},\"shared\":{shared},\"profiles\":[{{\"type\":\"sampled\",\"name\":{name},\
         \"unit\":\"none\",\"startValue\":0,\"endValue\":{total},\"samples\":[",
        name = json!(file.name),
        shared = json!({ "frames": frames }),
        total = profile.total(),
    )?;
    let own = &profile.weights().own;
    let mut stack: Vec<u32> = Vec::new();
    let mut weights = Vec::new();
    for (frame, at) in tree.frames().iter().enumerate() {
        stack.truncate((at.depth as usize).saturating_sub(1));
        // The root stands for the whole profile and is no function.
        if at.depth > 0 {
            stack.push(at.name);
        }
        if own[frame] > 0 {
            let comma = if weights.is_empty() { "" } else { "," };
            write!(out, "{comma}{}", json!(stack))?;
            weights.push(own[frame]);
        }
    }
    writeln!(out, "],\"weights\":{}}}]}}", json!(weights))
}
