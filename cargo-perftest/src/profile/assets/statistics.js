// Shares and their uncertainty, as `cargo perftest profile diff` computes them: intervals of 95% by Wilson (1927) for
// a share and by Newcombe (1998, method 10) for a difference; z with the pooled share of both sides.

const NORMAL_975 = 1.959963984540054;

function shareInterval(share, samples) {
  if (samples <= 0) return [0, 1];
  const z = NORMAL_975, middle = share + z * z / (2 * samples);
  const distance = z * Math.sqrt(share * (1 - share) / samples + z * z / (4 * samples * samples));
  const whole = 1 + z * z / samples;
  return [Math.max(0, Math.min((middle - distance) / whole, share)), Math.min(1, Math.max((middle + distance) / whole, share))];
}

// `shares` and `samples` of base and new.
function changeOf(shares, samples) {
  const [base, now] = shares, change = now - base;
  const [oldInterval, newInterval] = [0, 1].map((side) => shareInterval(shares[side], samples[side]));
  const pooled = (base * samples[0] + now * samples[1]) / Math.max(samples[0] + samples[1], 1);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / samples[0] + 1 / samples[1]));
  return {
    change,
    lower: change - Math.hypot(now - newInterval[0], oldInterval[1] - base),
    upper: change + Math.hypot(newInterval[1] - now, base - oldInterval[0]),
    z: Number.isFinite(deviation) && deviation > 0 ? change / deviation : 0,
    intervals: [oldInterval, newInterval],
  };
}

// Time per iteration of a weight in nanoseconds: with T = time of all samples per iteration and p = share, T p with
// the variance T^2 p (1 - p) / n + p^2 var(T), as `cargo perftest profile diff` computes it.
function timeOf(weight, whole, samples, { scale, error }) {
  const all = whole * scale, share = weight / (whole || 1), n = Math.max(samples, 1);
  const likely = (share * n + 1) / (n + 2);
  return { ns: share * all, variance: all * all * likely * (1 - likely) / n + (share * all * error) ** 2 };
}

function timeChangeOf([base, now]) {
  const change = now.ns - base.ns, deviation = Math.sqrt(base.variance + now.variance);
  const distance = NORMAL_975 * deviation;
  return { change, lower: change - distance, upper: change + distance, z: deviation > 0 ? change / deviation : 0 };
}

function nanoseconds(ns) {
  const [scale, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]].find(([scale]) => Math.abs(ns) >= scale) || [1, "ns"];
  return `${(Math.abs(ns) / scale).toPrecision(4)} ${unit}`;
}

const signedTime = (ns) => (ns < 0 ? "\u2212" : "+") + nanoseconds(ns);
const percent = (share) => (100 * share).toFixed(2) + "%";
const signed = (number) => (number < 0 ? "\u2212" : "+") + Math.abs(number).toFixed(1);
const points = (change) => (change < 0 ? "\u2212" : "+") + Math.abs(100 * change).toFixed(2);
