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

const percent = (share) => (100 * share).toFixed(2) + "%";
const signed = (number) => (number < 0 ? "\u2212" : "+") + Math.abs(number).toFixed(1);
const points = (change) => (change < 0 ? "\u2212" : "+") + Math.abs(100 * change).toFixed(2);
