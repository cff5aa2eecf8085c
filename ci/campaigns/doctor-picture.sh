#!/usr/bin/env bash
# Draws docs/guide/doctor.svg: the screen of `cargo perftest doctor` on the machine this runs on.
# The screen names no directory outside the home directory, no host and no user.
# CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/tool.sh
find_tool dev

# It exits with 6 where the machine is unfit: that is a screen too.
screen=$(CLICOLOR_FORCE=1 "$tool" perftest doctor) || [ $? -eq 6 ]

SCREEN="$screen" python3 - > docs/guide/doctor.svg <<'EOF'
import os, re
from html import escape

CELL, LINE, PAD = 8.43, 19, 16
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#f2cc60", "36": "#79c0ff"}

def spans(line):
    """Texts of a line with their attributes, as the escape sequences set them."""
    style, column = set(), 0
    for codes, text in re.findall(r"\x1b\[([\d;]*)m|([^\x1b]+)", line):
        if text:
            yield column, text, style
            column += len(text)
        else:
            codes = codes or "0"
            style = set() if codes == "0" else style | set(codes.split(";"))

def draw(row, column, text, style):
    colour = next((COLOURS[code] for code in sorted(style) if code in COLOURS), "#e6edf3")
    colour = "#9ba7b4" if "2" in style else colour
    weight = ' font-weight="bold"' if "1" in style else ""
    x, y = PAD + column * CELL, PAD + LINE * (row + 1) - 5
    width = len(text) * CELL
    return (f'<text x="{x:.2f}" y="{y}" fill="{colour}"{weight} textLength="{width:.2f}" '
            f'xml:space="preserve">{escape(text)}</text>')

lines = ["\x1b[1m$ cargo perftest doctor\x1b[0m"] + os.environ["SCREEN"].rstrip("\n").split("\n")
columns = max(len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in lines)
width, height = round(2 * PAD + columns * CELL), 2 * PAD + LINE * len(lines)
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
      f'viewBox="0 0 {width} {height}" role="img" '
      'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">')
print("<title>The screen of cargo perftest doctor</title>")
print(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
for row, line in enumerate(lines):
    for column, text, style in spans(line):
        if text.strip():
            print(draw(row, column, text, style))
print("</svg>")
EOF
echo "drew docs/guide/doctor.svg"
