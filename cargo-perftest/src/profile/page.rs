//! A flame graph as one HTML file that asks no server for anything.

use super::{UnionFile, write_page_data};
use crate::html::content_policy;
use std::io::{self, Write};

const STYLE: &str = include_str!("assets/flamegraph.css");
const BODY: &str = include_str!("assets/flamegraph.html");
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("assets/tree.js"),
    include_str!("assets/slices.js"),
    include_str!("assets/statistics.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/slice_controls.js"),
    include_str!("assets/controls.js"),
);

/// Writes the page. All text of others is JSON in a block of its own, and the scripts show it as text only.
pub(crate) fn write_page(file: &UnionFile, out: &mut dyn Write) -> io::Result<()> {
    // As browsers hash them, wherever the sources were checked out.
    let [style, script] = [STYLE, SCRIPT].map(|text| text.replace("\r\n", "\n"));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Flame graph</title>\n<style>{style}</style>\n</head>\n<body>\n{BODY}\
         <script type=\"application/json\" id=\"data\">",
        policy = content_policy(&style, &script),
    )?;
    write_page_data(file, out)?;
    writeln!(out, "</script>\n<script>{script}</script>\n</body>\n</html>")
}
