//! Lines over measurements and degradation, as SVG that a light and a dark page can show.

use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 470.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 56.0;
/// Both axes are logarithmic; the upright one in the share above 1, so that 5% and 4x have room.
const MEASUREMENTS: [u32; 8] = [1, 2, 3, 5, 9, 15, 30, 60];
const RATIOS: [f64; 8] = [1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 4.0, 7.0];

const STYLE: &str = "\
text{font:14px sans-serif;fill:#1f2328}
.ground{fill:#ffffff}
.grid{stroke:#d8dee4;stroke-width:1}
.line{fill:none;stroke-width:2.5;stroke-linejoin:round}
.line.tolerance{stroke:#cf222e;stroke-dasharray:7 5;stroke-width:2}
.line.quiet{stroke:#0969da}
.line.noisy{stroke:#8250df}
.line.authors{stroke:#bc4c00;stroke-width:3.5}
.line.test{stroke:#1a7f37;stroke-width:1.5}
circle{fill:#1a7f37}
text.tolerance{fill:#cf222e}
text.quiet{fill:#0969da}
text.noisy{fill:#8250df}
text.authors{fill:#bc4c00}
text.test{fill:#1a7f37}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.ground{fill:#0d1117}
.grid{stroke:#30363d}
.line.tolerance{stroke:#ff7b72}
.line.quiet{stroke:#79c0ff}
.line.noisy{stroke:#d2a8ff}
.line.authors{stroke:#ffa657}
.line.test{stroke:#7ee787}
circle{fill:#7ee787}
text.tolerance{fill:#ff7b72}
text.quiet{fill:#79c0ff}
text.noisy{fill:#d2a8ff}
text.authors{fill:#ffa657}
text.test{fill:#7ee787}
}";

/// Where a name stands beside its point.
pub(crate) enum Side {
    Above,
    Below,
    Right,
    AboveLeft,
    BelowLeft,
}

/// A picture under construction.
pub(crate) struct Chart {
    svg: String,
}

impl Chart {
    pub(crate) fn new(title: &str) -> Self {
        let mut chart = Self {
            svg: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
                 viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n<title>{title}</title>\n\
                 <style>{STYLE}</style>\n\
                 <rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\"/>\n"
            ),
        };
        chart.text("", LEFT, 26.0, "start", title);
        chart.axes();
        chart
    }

    fn axes(&mut self) {
        let floor = HEIGHT - BOTTOM;
        for n in MEASUREMENTS {
            self.grid((x(n), TOP), (x(n), floor));
            self.text("", x(n), floor + 20.0, "middle", &n.to_string());
        }
        for ratio in RATIOS {
            self.grid((LEFT, y(ratio)), (WIDTH - RIGHT, y(ratio)));
            self.text("", LEFT - 8.0, y(ratio) + 5.0, "end", &format!("{ratio}x"));
        }
        let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
        self.text("", middle, HEIGHT - 14.0, "middle", "measurements");
    }

    /// Joins points of measurements and degradation.
    pub(crate) fn line(&mut self, class: &str, points: &[(u32, f64)]) {
        let mut path = String::new();
        for (n, ratio) in points {
            let step = if path.is_empty() { 'M' } else { 'L' };
            path += &format!("{step}{:.1} {:.1}", x(*n), y(*ratio));
        }
        self.push(&format!("<path class=\"line {class}\" d=\"{path}\"/>"));
    }

    /// Marks the points, the last of them large.
    pub(crate) fn dots(&mut self, points: &[(u32, f64)]) {
        for (index, (n, ratio)) in points.iter().enumerate() {
            let radius = if index + 1 == points.len() { 6 } else { 3 };
            let (x, y) = (x(*n), y(*ratio));
            self.push(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>"));
        }
    }

    /// Writes a name beside a point.
    pub(crate) fn name(&mut self, class: &str, (n, ratio): (u32, f64), side: Side, name: &str) {
        let (right, down, anchor) = match side {
            Side::Above => (6.0, -9.0, "start"),
            Side::Below => (6.0, 18.0, "start"),
            Side::Right => (12.0, 5.0, "start"),
            Side::BelowLeft => (-8.0, 18.0, "end"),
            Side::AboveLeft => (0.0, -14.0, "end"),
        };
        self.text(class, x(n) + right, y(ratio) + down, anchor, name);
    }

    pub(crate) fn finish(mut self) -> String {
        self.push("</svg>");
        self.svg
    }

    fn grid(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.push(&format!(
            "<path class=\"grid\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    fn text(&mut self, class: &str, x: f64, y: f64, anchor: &str, text: &str) {
        let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"");
        self.push(&format!("<text class=\"{class}\" {place}>{text}</text>"));
    }

    fn push(&mut self, element: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.svg, "{element}");
    }
}

fn x(measurements: u32) -> f64 {
    let most = f64::from(MEASUREMENTS[MEASUREMENTS.len() - 1]);
    LEFT + (WIDTH - LEFT - RIGHT) * f64::from(measurements).ln() / most.ln()
}

fn y(ratio: f64) -> f64 {
    let height = |ratio: f64| (ratio - 1.0).ln();
    let [lowest, highest] = [RATIOS[0], RATIOS[RATIOS.len() - 1]].map(height);
    let share = (height(ratio.max(RATIOS[0])) - lowest) / (highest - lowest);
    HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
}
