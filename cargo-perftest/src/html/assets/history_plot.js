// The runs of a history with their baseline, changes, alarms and conditions.

const OVERLAYS = {
  celsius: ['temperature', value => `${+value.toPrecision(4)} C`],
  ghz: ['clock', value => `${+value.toPrecision(4)} GHz`],
  load: ['load', value => `load ${+value.toPrecision(4)}`],
};

// The columns of a history as lists, with times since 1970.
function readRuns(runs) {
  const { count } = runs;
  const read = { count, seconds: [] };
  wholeColumn(runs.seconds, count).reduce((sum, step) => { read.seconds.push(sum + step); return sum + step; }, 0);
  for (const name of ['value', 'decided', 'measurements', 'ratio', 'baseline', 'baseline_lower', 'baseline_upper', 'counts',
    'spent_ms', 'celsius', 'ghz', 'load']) {
    read[name] = wholeColumn(runs[name], count);
  }
  const texts = { commit: runs.commits, branch: runs.branches, verdict: runs.verdicts, marks: runs.all_marks };
  for (const [name, all] of Object.entries(texts)) read[name] = wholeTexts(runs[name], all, count);
  read.shown = read.decided.map((value, run) => value ?? read.value[run]);
  read.section = wholeTexts(runs.verdict, runs.sections, count);
  return read;
}

class HistoryPlot {
  constructor(data, runs) {
    this.data = data;
    this.runs = runs;
    this.choices = { axis: 'runs', overlay: '', zero: false, far: false };
    this.place = element('div', {});
    this.root = element('div', { class: 'history' }, this.controls(), this.place);
    this.draw();
  }

  controls() {
    const set = (name, value) => { this.choices[name] = value; this.draw(); };
    const overlays = Object.entries(OVERLAYS).filter(([name]) => this.runs[name].some(value => value != null));
    const box = (name, words) => element('label', {},
      element('input', { type: 'checkbox', change: event => set(name, event.target.checked) }), ` ${words}`);
    return element('div', { class: 'choices' },
      choice('Axis', [['runs', 'run by run'], ['dates', 'by date']], 'runs', value => set('axis', value)),
      overlays.length ? choice('Conditions', [['', 'none'], ...overlays.map(([name, [words]]) => [name, words])], '', value => set('overlay', value)) : null,
      box('zero', 'from 0'), box('far', 'with far runs'));
  }

  // Places of the runs on the x axis, and the order in which a line visits them.
  axis() {
    const { seconds, count } = this.runs;
    const order = Array.from({ length: count }, (_, run) => run);
    if (this.choices.axis === 'runs') {
      return { order, x: order, min: 0, max: Math.max(0, count - 1), ticks: runTicks(seconds) };
    }
    order.sort((one, other) => seconds[one] - seconds[other] || one - other);
    const [first, last] = [seconds[order[0]] ?? 0, seconds[order[count - 1]] ?? 0];
    return { order, x: seconds, min: first, max: last, ticks: timeTicks };
  }

  draw() {
    const { data, runs, choices } = this;
    const axis = this.axis();
    const along = column => axis.order.map(run => column[run]);
    const x = along(axis.x);
    const at = run => axis.x[run];
    const layers = [
      { kind: 'area', style: 'band', x, low: along(runs.baseline_lower), high: along(runs.baseline_upper) },
      { kind: 'line', style: 'baseline', x, y: along(runs.baseline) },
      ...this.limits(),
      { kind: 'line', style: 'course', x, y: along(runs.value) },
    ];
    const overlay = OVERLAYS[choices.overlay];
    if (overlay) layers.push({ kind: 'line', style: 'overlay', right: true, x, y: along(runs[choices.overlay]) });
    for (const epoch of data.epochs) layers.push({ kind: 'rule', style: 'epoch', at: at(epoch.run), words: epoch.words, short: 'epoch' });
    for (const change of data.changes) {
      const short = ratioWords(change.after / change.before);
      layers.push({ kind: 'rule', style: 'change', at: at(change.run), words: `${change.effect}: ${short}`, short });
    }
    for (const alarm of data.alarms) layers.push({ kind: 'rule', style: 'alarmed', at: at(alarm.run), words: `alarm of ${alarm.threshold}` });
    const isBase = new Set(data.baseline || []);
    layers.push({
      kind: 'marks', x: axis.x, y: runs.value, section: run => runs.section[run],
      style: run => isBase.has(run) ? 'in-baseline' : '', kept: data.verdict?.run,
    });
    this.plot = new Plot({
      label: `${data.metric} of ${counted(runs.count, 'run')}. Arrow keys visit the runs, plus and minus zoom.`,
      x: axis, y: { ticks: quantityTicks(data.unit), robust: !choices.far, zero: choices.zero },
      y2: overlay && { ticks: numberTicks(overlay[1]) },
      layers, legend: this.legend(overlay), describe: run => this.describe(run),
    });
    this.place.replaceChildren(this.plot.root);
    this.plot.draw();
  }

  // How slow the newest run may be: by the tolerance, and by an absolute limit.
  limits() {
    const { verdict, better, unit } = this.data;
    if (!verdict) return [];
    const level = (name, at, kept) => ({ kind: 'level', style: 'limit', name, words: `${name} ${quantity(at, unit)}`, at, kept });
    const baseline = this.runs.baseline[verdict.run];
    const levels = [];
    if (baseline != null) {
      const factor = verdict.tolerance * (verdict.accepted || 1);
      levels.push(level(verdict.accepted ? 'accepted' : 'tolerance', better === 'lower' ? baseline * factor : baseline / factor, true));
    }
    // It may be far from what is measured.
    if (verdict.limit != null) levels.push(level('limit', verdict.limit, false));
    return levels;
  }

  legend(overlay) {
    const { runs, data } = this;
    const sections = [...new Set(runs.section)].map(section => [section, section.replaceAll('-', ' ')]);
    const lines = [];
    if (runs.baseline.some(value => value != null)) lines.push(['band', 'baseline: its median and range']);
    const limits = this.limits();
    if (limits.length) lines.push(['limit', limits.map(({ name }) => name).join(', ')]);
    if (data.baseline && data.baseline.length) lines.push(['in-baseline-line', 'filled: runs of the last baseline']);
    if (data.changes.length) lines.push(['change', 'lasting change']);
    if (data.epochs.length) lines.push(['epoch', 'toolchain or system changed']);
    if (data.alarms.length) lines.push(['alarmed', 'alarm of a rule']);
    if (overlay) lines.push(['overlay', `${overlay[0]}, on the right`]);
    return [...sections, ...lines];
  }

  describe(run) {
    const { runs, data } = this;
    const parts = [
      minute(runs.seconds[run]), quantity(runs.shown[run], data.unit), runs.verdict[run] === '-' ? 'no verdict' : runs.verdict[run],
      runs.ratio[run] != null ? `${ratioWords(runs.ratio[run])} of its baseline` : null,
      runs.decided[run] != null && runs.value[run] != null ? `first process ${quantity(runs.value[run], data.unit)}` : null,
      runs.commit[run] ? `commit ${runs.commit[run]}` : null, runs.branch[run], runs.marks[run],
      ...Object.entries(OVERLAYS).map(([name, [, words]]) => runs[name][run] != null ? words(runs[name][run]) : null),
    ];
    return parts.filter(Boolean).join(' \u00b7 ');
  }
}
