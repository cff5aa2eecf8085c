//! How little two stretches of a series overlap, by twelve values of each.

/// Number of values that tell a stretch.
pub(super) const POINTS: usize = 12;
const PARTS: usize = POINTS - 1;
/// A difference of values up to this is none.
const SMALLEST: f64 = 1e-5;

/// The values of a stretch that tell it, ascending.
pub(super) type Points = [f64; POINTS];

/// The rank of the point `index` among `size` values.
pub(super) fn rank(size: usize, index: usize) -> usize {
    ((size - 1) as f64 * (index as f64 / PARTS as f64)) as usize
}

/// What parts that lie this many places apart count.
fn weight(places: usize) -> f64 {
    1.0 - (places / 5) as f64 * 0.1
}

/// One minus the product of the shares of `a` and `b` that parts of the other cover.
pub(super) fn distance(a: &Points, b: &Points) -> f64 {
    let (mut sum_a, mut sum_b, mut first) = (0.0, 0.0, 0);
    for i in 0..PARTS {
        let (a_from, a_to) = (a[i], a[i + 1]);
        let begin = first;
        for j in begin..PARTS {
            let (b_from, b_to) = (b[j], b[j + 1]);
            if b_to < a_from {
                first = j + 1;
                continue;
            }
            if b_from > a_to {
                break;
            }
            let common = a_to.min(b_to) - a_from.max(b_from);
            let weight = weight(i.abs_diff(j));
            let share = |from: f64, to: f64, is_inside: bool| {
                if is_inside {
                    1.0
                } else if to - from > SMALLEST {
                    common / (to - from) * weight
                } else {
                    0.0
                }
            };
            sum_a += share(a_from, a_to, b_from <= a_from && a_to <= b_to);
            sum_b += share(b_from, b_to, a_from <= b_from && b_to <= a_to);
        }
    }
    1.0 - sum_a * sum_b / PARTS as f64 / PARTS as f64
}

/// What is known of a stretch on its way from its present end to a farther one, beside the points of
/// another stretch.
pub(super) struct Growth {
    /// Its smallest and its largest value at the present end.
    pub(super) range: [f64; 2],
    /// How many values it has at the present end and at the farther one.
    pub(super) sizes: [usize; 2],
    /// How many of its values are below each of the other's points at the present end.
    pub(super) below: [usize; POINTS],
    /// How many of its values are at most each of the other's points at the farther end.
    pub(super) upto: [usize; POINTS],
    /// How many of its values are below the first of the other's points at the farther end.
    pub(super) below_all: usize,
}

/// No less than the [`distance`] from `other` to the growing stretch at any end on its way, provided
/// that no part of it, all of whose values differ by more than nothing, is shorter than what counts
/// as a difference.
///
/// A part that the other's parts cover counts at least its covered share times the weight of the
/// farthest part that may meet it. The range of the growing stretch only widens, and the counts only
/// grow, while the ranks of its points grow with its size.
pub(super) fn farthest(other: &Points, growth: &Growth) -> f64 {
    let [now, far] = growth.sizes;
    // By part of the other: which parts of the growing stretch may touch it.
    let touching: [(usize, usize); PARTS] = std::array::from_fn(|part| {
        let is_below = |index: &usize| rank(far, *index) < growth.below[part];
        let may_reach = |index: &usize| rank(now, *index) < growth.upto[part + 1];
        let first = (0..PARTS).take_while(is_below).last().unwrap_or(0);
        let last = (0..PARTS).take_while(may_reach).last().unwrap_or(0);
        (first, last)
    });
    let mut of_other = 0.0;
    // By part of the growing stretch: how far away a part may touch it.
    let mut places = [0; PARTS];
    for (part, (first, last)) in touching.into_iter().enumerate() {
        let farthest = part.abs_diff(first).max(part.abs_diff(last));
        of_other += covered(other[part], other[part + 1], growth.range) * weight(farthest);
        for (touched, places) in places.iter_mut().enumerate().take(last + 1).skip(first) {
            *places = part.abs_diff(touched).max(*places);
        }
    }
    let above_all = far - growth.upto[PARTS];
    let is_covered = |part: &usize| {
        rank(now, *part) >= growth.below_all && now - rank(now, part + 1) > above_all
    };
    let of_growing: f64 = (0..PARTS).filter(is_covered).map(|part| weight(places[part])).sum();
    1.0 - of_other * of_growing / PARTS as f64 / PARTS as f64
}

/// The share of a part that lies within a range, if it counts.
fn covered(from: f64, to: f64, [least, greatest]: [f64; 2]) -> f64 {
    if to == from {
        return f64::from(least <= from && to <= greatest);
    }
    if to - from > SMALLEST {
        return (to.min(greatest) - from.max(least)).max(0.0) / (to - from);
    }
    0.0
}

/// The most values of a series, ascending, that differ by something, but by no more than nothing
/// counts.
pub(super) fn largest_crowd(sorted: &[f64]) -> usize {
    let (mut first, mut largest) = (0, 0);
    for (last, value) in sorted.iter().enumerate() {
        while value - sorted[first] > SMALLEST {
            first += 1;
        }
        if *value > sorted[first] {
            largest = largest.max(last - first + 1);
        }
    }
    largest
}
