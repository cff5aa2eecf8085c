//! How little two stretches of a series overlap, by twelve values of each.

/// Number of values that represent a stretch. Source: Perfolizer.
pub(super) const POINTS: usize = 12;
const PARTS: usize = POINTS - 1;
/// Values that differ by no more than this count as equal. Source: Perfolizer.
const SMALLEST: f64 = 1e-5;

/// The values that represent a stretch, ascending.
pub(super) type Points = [f64; POINTS];

/// The positions of the points, as shares of the ranks.
const SHARES: [f64; POINTS] = {
    let mut shares = [0.0; POINTS];
    let mut index = 0;
    while index < POINTS {
        shares[index] = index as f64 / PARTS as f64;
        index += 1;
    }
    shares
};

/// The ranks of the points among `size` values.
pub(super) fn ranks(size: usize) -> [usize; POINTS] {
    SHARES.map(|share| ((size - 1) as f64 * share) as usize)
}

/// Returns the weight of parts this many places apart.
fn weight(places: usize) -> f64 {
    1.0 - (places / 5) as f64 * 0.1
}

/// Returns one minus the product of the shares of `a` and `b` that parts of the other cover.
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

/// The counts of a growing stretch at one of its ends, relative to the points of another stretch.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    /// Number of values.
    size: usize,
    /// The ranks of its own points.
    ranks: [usize; POINTS],
    /// Number of its values below each of the other's points.
    below: [usize; POINTS],
    /// Number of its values up to each of the other's points.
    upto: [usize; POINTS],
}

impl Stage {
    pub(super) fn new(size: usize, below: [usize; POINTS], upto: [usize; POINTS]) -> Self {
        Self { size, ranks: ranks(size), below, upto }
    }
}

/// A stretch on its way from its present end to a farther one. The counts of its first stage may be too
/// low and those of its last one too high: then less is known.
pub(super) struct Growth {
    /// Its smallest and its largest value at the present end.
    pub(super) range: [f64; 2],
    /// Two or more, in their order. The closer they are, the more is known of what lies between them.
    pub(super) stages: Vec<Stage>,
}

/// Bounds of the number of a stretch's points before a value.
#[derive(Debug, Clone, Copy)]
struct CountBounds {
    /// Points below the value.
    below: [usize; 2],
    /// Points that are at most the value.
    upto: [usize; 2],
}

impl CountBounds {
    /// Either of two.
    fn or(self, other: Self) -> Self {
        let both = |a: [usize; 2], b: [usize; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self { below: both(self.below, other.below), upto: both(self.upto, other.upto) }
    }
}

impl Growth {
    /// Where the other's points lie among the points of the growing stretch.
    fn places(&self, other: &Points) -> [CountBounds; POINTS] {
        let mut places = [CountBounds { below: [POINTS, 0], upto: [POINTS, 0] }; POINTS];
        for stages in self.stages.windows(2) {
            let [now, far] = [&stages[0], &stages[1]];
            // The counts grow on the way, and so do the ranks of the points.
            let least = |count| far.ranks.iter().take_while(|rank| **rank < count).count();
            let most = |count| now.ranks.iter().take_while(|rank| **rank < count).count();
            let mut between = places[0];
            for (index, place) in places.iter_mut().enumerate() {
                if index == 0 || other[index] != other[index - 1] {
                    between = CountBounds {
                        below: [least(now.below[index]), most(far.below[index])],
                        upto: [least(now.upto[index]), most(far.upto[index])],
                    };
                }
                *place = place.or(between);
            }
        }
        places
    }

    /// Returns whether a part certainly lies in the range of the other's points.
    fn is_covered(&self, part: usize) -> bool {
        let [Some(now), Some(far)] = [self.stages.first(), self.stages.last()] else {
            return false;
        };
        let above = far.size - far.upto[PARTS].min(far.size);
        now.ranks[part] >= far.below[0] && now.size - now.ranks[part + 1] > above
    }
}

/// No less than the [`distance`] from `other` to the growing stretch at any end on its way, provided
/// that no part of it is shorter than what counts as a difference and yet not empty.
///
/// What a part counts is at least its share that the other's parts cover times the weight of the
/// farthest part that may meet it; an empty part counts once for each part that has its value. The
/// range of the growing stretch only widens.
pub(super) fn farthest(other: &Points, growth: &Growth) -> f64 {
    let places = growth.places(other);
    let mut of_other = 0.0;
    // By part of the growing stretch: how far away a part may touch it.
    let mut away = [0; PARTS];
    for part in 0..PARTS {
        let first = places[part].below[0].saturating_sub(1);
        let last = places[part + 1].upto[1].saturating_sub(1).min(PARTS - 1);
        let farthest = part.abs_diff(first).max(part.abs_diff(last));
        let covered = covered(other[part], other[part + 1], growth.range) * weight(farthest);
        let is_empty = other[part] == other[part + 1];
        let CountBounds { below: [_, below], upto: [upto, _] } = places[part];
        let touching = if is_empty { touching(below, upto) } else { 0 };
        of_other += covered.max(touching as f64);
        for (touched, away) in away.iter_mut().enumerate().take(last + 1).skip(first) {
            *away = part.abs_diff(touched).max(*away);
        }
    }
    let of_growing: f64 = (0..PARTS)
        .map(|part| {
            // Both its ends certainly have the value of this point of the other.
            let is_at = |place: &&CountBounds| place.below[1] <= part && part + 1 < place.upto[0];
            if let Some(index) = places.iter().position(|place| is_at(&place)) {
                let below = other.iter().filter(|value| **value < other[index]).count();
                let upto = other.iter().filter(|value| **value <= other[index]).count();
                touching(below, upto) as f64
            } else if growth.is_covered(part) {
                weight(away[part])
            } else {
                0.0
            }
        })
        .sum();
    1.0 - of_other * of_growing / PARTS as f64 / PARTS as f64
}

/// How many parts touch a value that so many of their points are below, and so many at most.
fn touching(below: usize, upto: usize) -> usize {
    upto.min(PARTS).saturating_sub(below.saturating_sub(1))
}

/// The share of a part that lies within a range, if it counts; all of an empty one.
fn covered(from: f64, to: f64, [least, greatest]: [f64; 2]) -> f64 {
    if to == from {
        return f64::from(u8::from(least <= from && to <= greatest));
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
