// The last comparison: both densities, the shift and ratio functions, and the measurements beside the curve.

function densityPlot(data) {
  const { before, now } = data.comparison;
  const outline = density => {
    const x = [], y = [], heights = [];
    density.ends.slice(1).forEach((end, bin) => {
      const start = density.ends[bin];
      if (end === start) return;
      // All bins have the same mass.
      heights.push(1 / (density.ends.length - 1) / (end - start));
      x.push(start, end);
      y.push(heights[heights.length - 1], heights[heights.length - 1]);
    });
    return { x, y, heights, zero: y.map(() => 0) };
  };
  const [old, current] = [outline(before), outline(now)];
  const all = [...old.x, ...current.x];
  if (!all.length) return null;
  // A density rises without end where values agree.
  const heights = [...old.heights, ...current.heights].sort((one, other) => one - other);
  const most = heights[Math.floor(0.9 * (heights.length - 1))] * 1.6;
  return new Plot({
    label: 'Density of the baseline and of the last run',
    x: { min: Math.min(...all), max: Math.max(...all), ticks: quantityTicks(data.unit) },
    y: { ticks: () => [], least: 0, most },
    layers: [
      { kind: 'area', style: 'density-before', x: old.x, low: old.zero, high: old.y },
      { kind: 'area', style: 'density-now', x: current.x, low: current.zero, high: current.y },
      { kind: 'rule', style: 'median-before', at: before.median, words: 'median of the baseline' },
      { kind: 'rule', style: 'median-now', at: now.median, words: 'median of the last run' },
    ],
    legend: [['density-before band-like', `baseline, ${counted(before.values, 'value')}`], ['density-now band-like', `last run, ${counted(now.values, 'value')}`]],
    describe: () => '',
  }).root;
}

// `between` two quantiles, before and now, at each probability.
function functionPlot(data, between, title, same, ticks, words) {
  const { first, step, before, now } = data.comparison.quantiles;
  const probability = before.map((_, nth) => first + nth * step);
  const values = before.map((quantile, nth) => between(quantile, now[nth]));
  if (probability.length < 2 || values.every(value => value == null)) return null;
  return new Plot({
    label: title,
    x: { min: probability[0], max: probability[probability.length - 1], ticks: numberTicks(at => `${Math.round(100 * at)}%`) },
    y: { ticks },
    layers: [
      { kind: 'level', style: 'same', at: same, words: 'the same' },
      { kind: 'line', style: 'function', x: probability, y: values },
      { kind: 'marks', x: probability, y: values, section: () => 'unchanged', style: () => 'small' },
    ],
    legend: [],
    describe: i => `at the ${Math.round(100 * probability[i])}% quantile: ${words(values[i])}`,
  }).root;
}

function curvePlot(data) {
  const { curve } = data.comparison;
  if (!curve || !curve.measurements) return null;
  const measurements = Array.from({ length: curve.measurements }, (_, nth) => nth + 1);
  const [degradation, needed] = ['degradation', 'needed'].map(name => wholeColumn(curve[name], curve.measurements));
  const most = Math.max(...degradation.filter(value => value != null), data.verdict ? data.verdict.tolerance : 1);
  return new Plot({
    label: 'Degradation after each measurement, beside what a red needs',
    x: { min: 1, max: curve.measurements, ticks: numberTicks(at => Number.isInteger(at) ? String(at) : '') },
    y: { ticks: ratioTicks, most: Math.max(1.02, most) * 1.25 },
    layers: [
      { kind: 'line', style: 'needed', stepped: true, x: measurements, y: needed },
      { kind: 'level', style: 'same', at: 1, words: 'the baseline' },
      { kind: 'line', style: 'function', x: measurements, y: degradation },
      { kind: 'marks', x: measurements, y: degradation, section: () => 'unchanged', style: () => 'small' },
    ],
    legend: [['needed', 'a red needs'], ['function', 'median of the undisturbed measurements so far']],
    describe: i => `after ${counted(measurements[i], 'measurement')}: ${ratioWords(degradation[i])}, a red needs ${needed[i] == null ? 'more measurements' : ratioWords(needed[i])}`,
  }).root;
}

// `isCut`: older runs may be missing.
function comparisonPlots(data, isCut) {
  const { comparison, unit } = data;
  if (!comparison) return [];
  const shifted = value => `${value > 0 ? '+' : ''}${quantity(value, unit)}`;
  const part = (title, about, plot) => plot && element('section', { class: 'part' },
    element('h3', {}, title), element('p', { class: 'about' }, about), plot);
  const parts = [
    part('Density', 'How often which value was measured. Each bin of a curve has the same number of values.', densityPlot(data)),
    part('Shift', 'How far each quantile moved. A level line: all values moved alike.',
      functionPlot(data, (before, now) => now - before, 'Shift of each quantile', 0, quantityTicks(unit), shifted)),
    part('Ratio', 'The same as a ratio of the last run to its baseline.',
      functionPlot(data, (before, now) => before > 0 && now > 0 ? now / before : null, 'Ratio of each quantile', 1, ratioTicks, ratioWords)),
    part('Beside the curve', 'The degradation after each measurement of the first process. A red needs more than the curve, the tolerance, and fresh processes that confirm it.', curvePlot(data)),
  ].filter(Boolean);
  if (!parts.length) return [];
  const note = comparison.is_exact
    ? `With the ${counted(comparison.runs_before, 'run')} that the verdict compared with. Values are as measured.`
    : `With ${counted(comparison.runs_before, 'run')} that today's rules select: those that the verdict compared with are not ${isCut ? 'all in this report' : 'known any more'}. Values are as measured.`;
  return [element('h2', {}, 'Last comparison'), element('p', { class: 'about' }, note), element('div', { class: 'parts' }, parts)];
}
