//! Prints a picture (SVG) of the curves: the default one on quieter and on noisier runs, one that
//! an author gave, and three bodies, measured here and now, that cross the author's.

mod chart;
mod slowed;

use chart::{Chart, Side};
use perftest_core::judge::{Curve, Policy};
use perftest_core::model::{Sample, Tolerance};
use perftest_core::stats::{RunSpread, student_quantile};
use slowed::BaselinedTest;
use std::error::Error;
use std::io::{self, Write};

/// Most measurements of a trial by default.
const MOST: u32 = 60;
const POINTS: [(u32, f64); 3] = [(2, 4.0), (9, 2.0), (30, 1.1)];
/// How much more work the bodies do.
const TIMES: [f64; 3] = [5.0, 2.6, 1.35];

fn main() -> Result<(), Box<dyn Error>> {
    let tolerance = Tolerance::default();
    let mut chart = Chart::new("The degradation a red needs after n measurements");
    chart.line("tolerance", &[(1, tolerance.ratio()), (MOST, tolerance.ratio())]);
    chart.name("tolerance", (1, tolerance.ratio()), Side::Below, "tolerance, 5%");
    for (class, percent, side) in [("quiet", 1.0, Side::BelowLeft), ("noisy", 3.0, Side::Above)] {
        let spread = RunSpread::of(&runs_apart(percent / 100.0)?);
        let needed = |n| (n, Curve::default().needed(n, MOST, tolerance, spread));
        chart.line(class, &(1..=MOST).map(needed).collect::<Vec<_>>());
        chart.name(class, needed(4), side, &format!("default, runs {percent}% apart"));
    }
    let curve = Curve::of_points(POINTS.to_vec()).ok_or("the points do not lead down")?;
    chart.line("authors", &corners());
    chart.name("authors", POINTS[0], Side::Below, "curve = [(2, 4.0), (9, 2.0), (30, 1.1)]");
    let baselined = BaselinedTest::measure(Policy::default().along(curve));
    for times in TIMES {
        let course = baselined.course(times)?;
        let (n, ratio) = course[course.len() - 1];
        chart.line("test", &course);
        chart.dots(&course);
        let text = format!("{ratio:.2}x slower: looked into after {n}");
        let side = if n < MOST / 3 { Side::Right } else { Side::AboveLeft };
        chart.name("test", (n, ratio), side, &text);
    }
    Ok(io::stdout().write_all(chart.finish().as_bytes())?)
}

/// Logarithms of centers that lie as those of normal runs with this deviation.
fn runs_apart(share: f64) -> Result<Sample, Box<dyn Error>> {
    const RUNS: u32 = 30;
    const NORMAL: f64 = 1e6;
    let rank = |run: u32| (f64::from(run) + 0.5) / f64::from(RUNS);
    // Of the two quantiles the one on the other side of the middle is 0.
    let normal = |rank| student_quantile(NORMAL, rank) - student_quantile(NORMAL, 1.0 - rank);
    Ok(Sample::new((0..RUNS).map(|run| share * normal(rank(run))).collect())?)
}

/// The steps as a line with a corner wherever one ends.
fn corners() -> Vec<(u32, f64)> {
    let mut corners = Vec::new();
    for (n, ratio) in POINTS {
        corners.extend(corners.last().map(|(_, before)| (n, *before)));
        corners.push((n, ratio));
    }
    corners.push((MOST, POINTS[POINTS.len() - 1].1));
    corners
}
