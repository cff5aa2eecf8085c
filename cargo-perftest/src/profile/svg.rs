//! A flame graph as a picture: callers above what they call.

use super::UnionFile;
use crate::html::for_markup;
use perftest_analysis::profile::crate_name;
use std::fmt::Write as _;
use std::io;
use std::io::Write;

const WIDTH: f64 = 1_200.0;
const ROW: u32 = 17;
const TOP: u32 = 30;
/// Narrower frames are not drawn.
const NARROWEST: f64 = 0.5;
/// Deeper rows are not drawn: programs that show pictures have bounds.
const MOST_ROWS: u32 = 1_000;
const CHARACTER: f64 = 6.7;

/// Writes the difference of two profiles, or one profile. The width of a frame is the larger share of both.
pub(crate) fn write_svg(file: &UnionFile, out: &mut dyn Write) -> io::Result<()> {
    let union = &file.union;
    let frames = union.tree().frames();
    let widths = widths(file);
    let scale = WIDTH / widths[0].max(f64::MIN_POSITIVE);
    let changes = (1..frames.len()).map(|frame| union.absolute_change(frame).abs());
    let strongest = changes.fold(f64::MIN_POSITIVE, f64::max);
    let mut drawn = String::new();
    let mut rows = 0;
    // The place of the next callee of each caller on the way.
    let mut places = vec![0.0];
    let mut frame = 0;
    while frame < frames.len() {
        let depth = frames[frame].depth;
        let (place, width) = (places[depth as usize], widths[frame] * scale);
        places[depth as usize] += width;
        if width < NARROWEST || depth >= MOST_ROWS {
            frame = union.tree().end(frame);
            continue;
        }
        places.truncate(depth as usize + 1);
        places.push(place);
        rows = rows.max(depth + 1);
        let name = union.tree().name(frame);
        let colour = match file.base {
            Some(_) => change_colour(union.absolute_change(frame) / strongest),
            None => crate_colour(name).to_owned(),
        };
        draw(&mut drawn, [place, width], depth, name, &colour, &shares(file, frame));
        frame += 1;
    }
    let title = match &file.base {
        Some(base) => format!("{} compared with {base}", file.new),
        None => file.new.clone(),
    };
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"4\" y=\"18\" font-size=\"13\">{title}</text>\n{drawn}</svg>",
        height = TOP + rows * ROW + 4,
        title = for_markup(&title),
    )
}

fn draw(out: &mut String, place: [f64; 2], depth: u32, name: &str, colour: &str, shares: &str) {
    let [x, width] = place;
    let y = TOP + depth * ROW;
    // Text of characters, each as wide as any other.
    let room = (width / CHARACTER) as usize;
    let text: String = match name.chars().count() {
        _ if room < 3 => String::new(),
        length if length <= room => name.to_owned(),
        _ => name.chars().take(room - 2).chain("..".chars()).collect(),
    };
    // A string takes whatever is written.
    let _ = writeln!(
        out,
        "<g><title>{name} ({shares})</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{height}\" \
         fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>\
         <text x=\"{text_x:.2}\" y=\"{text_y}\">{text}</text></g>",
        name = for_markup(name),
        height = ROW - 1,
        text_x = x + 2.0,
        text_y = y + 12,
        text = for_markup(&text),
    );
}

fn shares(file: &UnionFile, frame: usize) -> String {
    let [base, new] = file.union.sides().each_ref().map(|side| 100.0 * side.share(frame));
    match file.base {
        Some(_) => format!("{base:.2}% then, {new:.2}% now, {:+.2} points", new - base),
        None => format!("{new:.2}%"),
    }
}

/// The larger share of each frame's own time, and that of all it called: callees fit into their caller.
fn widths(file: &UnionFile) -> Vec<f64> {
    let frames = file.union.tree().frames();
    let own = |frame: usize| {
        let shares = file
            .union
            .sides()
            .each_ref()
            .map(|side| side.weights.own[frame] as f64 / side.total().max(1) as f64);
        shares[0].max(shares[1])
    };
    let mut widths: Vec<f64> = (0..frames.len()).map(own).collect();
    for frame in (1..frames.len()).rev() {
        widths[frames[frame].parent as usize] += widths[frame];
    }
    widths
}

/// Sky blue, bluish green, yellow, orange, reddish purple, and lighter shades of the two darkest ones.
const PALETTE: [&str; 7] =
    ["#56b4e9", "#009e73", "#f0e442", "#e69f00", "#cc79a7", "#7fb8d8", "#eaa97f"];
/// Functions of no crate.
const OTHER: &str = "#bbbbbb";
const NEUTRAL: [f64; 3] = [238.0, 238.0, 238.0];
const MORE: [f64; 3] = [213.0, 94.0, 0.0];
const LESS: [f64; 3] = [0.0, 114.0, 178.0];

/// The colour of a function by its crate.
fn crate_colour(name: &str) -> &'static str {
    crate_name(name).map_or(OTHER, |name| {
        let sum = name
            .bytes()
            .fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
        PALETTE[sum % PALETTE.len()]
    })
}

/// Vermilion for more and blue for less; -1 and 1 are the strongest.
fn change_colour(strength: f64) -> String {
    let end = if strength > 0.0 { MORE } else { LESS };
    let part = strength.abs().min(1.0);
    let [red, green, blue] =
        [0, 1, 2].map(|it: usize| (NEUTRAL[it] + part * (end[it] - NEUTRAL[it])).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_markup() {
        let mut drawn = String::new();
        draw(&mut drawn, [0.0, 500.0], 0, "<a href=\"x\">&\0", "#ffffff", "1%");
        let name = "&lt;a href=&quot;x&quot;&gt;&amp;\u{fffd}";
        assert_eq!(drawn.matches(name).count(), 2, "{drawn}");
        assert!(!drawn.contains("<a"), "{drawn}");
    }

    #[test]
    fn more_is_vermilion_and_less_is_blue() {
        let colours = [0.0, 1.0, -1.0, 9.0].map(change_colour);
        assert_eq!(colours, ["#eeeeee", "#d55e00", "#0072b2", "#d55e00"]);
    }

    #[test]
    fn functions_of_one_crate_have_one_colour() {
        assert_eq!(crate_colour("a::b"), crate_colour("<a::c as d::E>::f"));
        assert_eq!(crate_colour("malloc"), OTHER);
    }
}
