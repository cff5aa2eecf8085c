// Where axes have marks.

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const TIME_STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY,
  14 * DAY, 30 * DAY, 91 * DAY, 182 * DAY, 365 * DAY];

// Round numbers within a range, about so many.
function roundNumbers(from, to, count) {
  const rough = (to - from) / Math.max(1, count);
  if (!(rough > 0) || !isFinite(rough)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(digit => digit * power).find(it => it >= rough * 0.999);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, nth) => (first + nth) * step);
}

function numberTicks(words) {
  return (from, to, count) => roundNumbers(from, to, count).map(at => ({ at, words: words(at) }));
}

// As many digits as neighbours differ by.
function ratioTicks(from, to, count) {
  const ratios = roundNumbers(from, to, count);
  const step = ratios.length > 1 ? ratios[1] - ratios[0] : 1;
  const decimals = Math.min(6, Math.max(2, Math.ceil(-Math.log10(step) - 1e-9)));
  return ratios.map(at => ({ at, words: Math.abs(at) >= 1e6 ? ratioWords(at) : `${at.toFixed(decimals)}x` }));
}

// All marks of an axis in one unit: that of its largest value.
function quantityTicks(unit) {
  return (from, to, count) => {
    const [scale, name] = scaleOf(Math.max(Math.abs(from), Math.abs(to)), unit);
    return roundNumbers(from / scale, to / scale, count).map(number => {
      const words = Math.abs(number) >= 1e15 ? number.toExponential(2) : String(+number.toPrecision(9));
      return { at: number * scale, words: `${words} ${name}`.trim() };
    });
  };
}

function timeTicks(from, to, count) {
  const rough = (to - from) / Math.max(1, count);
  const step = TIME_STEPS.find(it => it >= rough) || Math.ceil(rough / (365 * DAY)) * 365 * DAY;
  const shiftAt = at => new Date(at * 1000).getTimezoneOffset() * MINUTE;
  const shift = shiftAt(from);
  const ticks = [];
  // Clocks may change between two marks.
  const utc = local => local + shiftAt(local + shift);
  for (let local = Math.ceil((from - shift) / step) * step; utc(local) <= to && ticks.length < 50; local += step) {
    const at = utc(local);
    ticks.push({ at, words: step < DAY ? minute(at).slice(5) : day(at) });
  }
  return ticks;
}

// Marks at runs in the order of the record, with their days, or their minutes where the days are the same.
function runTicks(seconds) {
  return (from, to, count) => {
    const runs = [...new Set(roundNumbers(from, to, count).map(Math.round))];
    const inside = runs.filter(run => run >= 0 && run < seconds.length && run >= from && run <= to);
    const length = inside.length ? Math.abs(seconds[inside[inside.length - 1]] - seconds[inside[0]]) : 0;
    return inside.map(run => ({ at: run, words: length < 3 * DAY ? minute(seconds[run]).slice(5) : day(seconds[run]) }));
  };
}
