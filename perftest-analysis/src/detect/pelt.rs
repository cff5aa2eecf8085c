//! The search that both PELT detectors share: the cheapest way to cut a series.
//!
//! Definition: a segmentation costs the sum of its segments and a penalty for each. Going through
//! the ends t from left to right, the cheapest last change s of the first t values is the first
//! minimum, among the candidates, of best(s) + cost of (s, t] + penalty. A candidate that is worse
//! than this minimum by more than the penalty is dropped for good; t - d + 1 becomes a candidate
//! (d: smallest distance of two changes). Source: Killick, Fearnhead and Eckley, "Optimal detection
//! of changepoints with a linear computational cost" (2012), in the form of Perfolizer's detectors,
//! whose answers this gives, candidate for candidate.
//!
//! The published search is quadratic where nothing changes, since nothing is dropped. Here a cost may
//! prove that a candidate stays above the winner for a while ([`SegmentCost::stays_above`]); until then the
//! candidate sleeps: it is neither looked at nor dropped. That changes no answer:
//!
//! * A sleeper is never the winner: the candidate it was compared with is strictly better as long as
//!   it sleeps. Should that one be dropped meanwhile, the published search drops the sleeper at the
//!   same end, being still worse.
//! * A sleeper that the published search would have dropped may wake. Before any candidate wins, the
//!   ends it slept through are made up for; had it been dropped at one of them, it is dropped now.
//!
//! What remains is the cost of the proofs; the file of each cost describes their reach.

/// What the segments of a segmentation cost.
pub(super) trait SegmentCost {
    /// Cost of the segment (start, end] when the segment before it is (previous, start].
    fn cost(&mut self, previous: usize, start: usize, end: usize) -> f64;

    /// The same to within [`NEAR`], where that is to be had for less.
    fn about(&mut self, previous: usize, start: usize, end: usize) -> f64 {
        self.cost(previous, start, end)
    }

    /// The last end up to which `candidate` provably stays more than [`NEAR`] above the winner's
    /// `forecast`, at most [`CostForecast::reach`]; the present end where nothing can be proven.
    fn stays_above(&mut self, candidate: &Candidate, forecast: &mut CostForecast) -> usize;
}

/// Two sums of costs that are nearer than this are compared exactly. A convention, above the error of the faster
/// sums; a larger one costs time.
pub(super) const NEAR: f64 = 1e-6;

/// A last change that may be the cheapest one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Number of values before the segment that would be the last.
    pub(super) start: usize,
    /// Where the segment before it begins.
    pub(super) previous: usize,
    /// What a segmentation with this last change costs at the present end, to within [`NEAR`].
    pub(super) total: f64,
    /// What all before the last segment costs, and the penalty for it.
    before: [f64; 2],
    /// Up to this end it is known that the published search keeps it.
    kept_until: usize,
}

impl Candidate {
    /// What the segmentation costs with a last segment of this cost.
    pub(super) fn with(&self, last: f64) -> f64 {
        // In this order: the published sum to the last bit.
        self.before[0] + last + self.before[1]
    }

    fn exactly<C: SegmentCost>(&self, end: usize, cost: &mut C) -> f64 {
        self.with(cost.cost(self.previous, self.start, end))
    }

    fn about<C: SegmentCost>(&self, end: usize, cost: &mut C) -> f64 {
        self.with(cost.about(self.previous, self.start, end))
    }
}

/// What the winner will cost at the ends to come, should it go on to win.
#[derive(Debug)]
pub(super) struct CostForecast {
    winner: Candidate,
    /// The first end it won at.
    since: usize,
    /// Its totals from that end on.
    totals: Vec<f64>,
    /// The present end.
    pub(super) end: usize,
    /// Number of values of the series.
    size: usize,
}

impl CostForecast {
    /// How far it is worth looking ahead: about as far again as this winner has been one.
    pub(super) fn reach(&self) -> usize {
        self.size.min(self.end + 32 + (self.end - self.since))
    }

    /// The last end, up to `far`, before which the winner stays more than [`NEAR`] below `total`.
    pub(super) fn below<C: SegmentCost>(&mut self, total: f64, far: usize, cost: &mut C) -> usize {
        let stays = (self.end..=far).take_while(|end| self.at(*end, cost) + 3.0 * NEAR < total);
        stays.last().unwrap_or(self.end)
    }

    /// The winner's total at an end, not before the present one.
    pub(super) fn at<C: SegmentCost>(&mut self, end: usize, cost: &mut C) -> f64 {
        while self.since + self.totals.len() <= end {
            let next = self.since + self.totals.len();
            self.totals.push(self.winner.about(next, cost));
        }
        self.totals[end - self.since]
    }
}

/// The numbers of values before each change of the cheapest segmentation of `size` values, ascending.
/// Changes lie at least `min_distance` values, 1 or more, from each other and from both ends.
pub(super) fn changes<C: SegmentCost>(
    size: usize,
    min_distance: usize,
    penalty: f64,
    cost: &mut C,
) -> Vec<usize> {
    if size <= 2 || min_distance > size / 2 {
        return Vec::new();
    }
    let mut search = PeltSearch {
        penalty,
        best: vec![-penalty; size + 1],
        previous: vec![0; size + 1],
        awake: Vec::new(),
        waking: vec![Vec::new(); size + 1],
        forecast: None,
    };
    for end in min_distance..2 * min_distance {
        search.best[end] = cost.cost(0, 0, end);
    }
    search.enter(0, 2 * min_distance - 1);
    search.enter(min_distance, 2 * min_distance - 1);
    for end in 2 * min_distance..=size {
        search.step(end, cost);
        search.enter(end + 1 - min_distance, end);
    }
    search.path()
}

struct PeltSearch {
    penalty: f64,
    /// Cost of the cheapest segmentation of the first values, by their number.
    best: Vec<f64>,
    /// Where the last segment of that segmentation begins.
    previous: Vec<usize>,
    awake: Vec<Candidate>,
    /// Those that sleep, by the end at which they wake.
    waking: Vec<Vec<Candidate>>,
    forecast: Option<CostForecast>,
}

impl PeltSearch {
    fn enter(&mut self, start: usize, end: usize) {
        let before = [self.best[start], self.penalty];
        let previous = self.previous[start];
        self.awake.push(Candidate { start, previous, total: 0.0, before, kept_until: end });
    }

    /// Finds the cheapest last change for this end, drops candidates that are too expensive, and
    /// puts to sleep those that cannot win soon.
    fn step<C: SegmentCost>(&mut self, end: usize, cost: &mut C) {
        self.awake.append(&mut self.waking[end]);
        for candidate in &mut self.awake {
            candidate.total = candidate.about(end, cost);
        }
        let winner = self.winner(end, cost);
        self.best[end] = winner.exactly(end, cost);
        self.previous[end] = winner.start;
        let mut forecast = self.forecast_of(winner, end);
        for mut candidate in std::mem::take(&mut self.awake) {
            if self.is_dropped(&candidate, end, cost) {
                continue;
            }
            if candidate.kept_until + 1 == end {
                candidate.kept_until = end;
            }
            let is_winner = candidate.start == winner.start;
            let until = if is_winner { end } else { cost.stays_above(&candidate, &mut forecast) };
            if until == end {
                self.awake.push(candidate);
            } else if let Some(waking) = self.waking.get_mut(until + 1) {
                waking.push(candidate);
            }
        }
        self.forecast = Some(forecast);
    }

    /// The first of the cheapest candidates that the published search has not dropped before.
    fn winner<C: SegmentCost>(&mut self, end: usize, cost: &mut C) -> Candidate {
        loop {
            let index = self.cheapest(end, cost);
            let mut candidate = self.awake[index];
            let mut slept = candidate.kept_until + 1..end;
            let was_dropped = slept.any(|end| {
                candidate.total = candidate.about(end, cost);
                self.is_dropped(&candidate, end, cost)
            });
            if !was_dropped {
                self.awake[index].kept_until = end - 1;
                return self.awake[index];
            }
            self.awake.swap_remove(index);
        }
    }

    /// Index of the first of the cheapest among those awake.
    fn cheapest<C: SegmentCost>(&self, end: usize, cost: &mut C) -> usize {
        let totals = self.awake.iter().map(|candidate| candidate.total);
        let lowest = totals.fold(f64::INFINITY, f64::min);
        let is_near = |index: &usize| self.awake[*index].total <= lowest + 2.0 * NEAR;
        let near: Vec<usize> = (0..self.awake.len()).filter(is_near).collect();
        if let [only] = near[..] {
            return only;
        }
        let exactly: Vec<f64> =
            near.iter().map(|index| self.awake[*index].exactly(end, cost)).collect();
        let ranked = near.iter().zip(exactly).min_by(|(a, cost_a), (b, cost_b)| {
            cost_a.total_cmp(cost_b).then(self.awake[**a].start.cmp(&self.awake[**b].start))
        });
        ranked.map_or(0, |(index, _)| *index)
    }

    /// Returns whether the published search drops a candidate at this end, where its total is
    /// known.
    fn is_dropped<C: SegmentCost>(&self, candidate: &Candidate, end: usize, cost: &mut C) -> bool {
        let limit = self.best[end] + self.penalty;
        if (candidate.total - limit).abs() < NEAR {
            return candidate.exactly(end, cost) > limit;
        }
        candidate.total > limit
    }

    fn forecast_of(&mut self, winner: Candidate, end: usize) -> CostForecast {
        match self.forecast.take() {
            Some(forecast) if forecast.winner.start == winner.start => {
                CostForecast { end, ..forecast }
            }
            _ => CostForecast {
                winner,
                since: end,
                totals: Vec::new(),
                end,
                size: self.best.len() - 1,
            },
        }
    }

    fn path(&self) -> Vec<usize> {
        let mut changes = Vec::new();
        let mut start = self.previous[self.previous.len() - 1];
        while start > 0 {
            changes.push(start);
            start = self.previous[start];
        }
        changes.reverse();
        changes
    }
}
