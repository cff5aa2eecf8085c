// A plot that can be zoomed. SVG follows the colours of the page, prints, and its marks can be asked for what they
// show.
//
// spec: {
//   label,                         what it shows, for those who do not see it
//   x: {min, max, ticks}, y: {ticks, robust, zero, least, most}, y2: {ticks},
//   layers: [
//     {kind: 'area', x, low, high, style},
//     {kind: 'line', x, y, style, right, stepped},
//     {kind: 'marks', x, y, section(i), style(i), kept},   the first one is what the cursor visits
//     {kind: 'level', at, style, words, kept}, {kind: 'rule', at, style, words},
//   ],                           a robust range leaves out no level that is kept, nor the mark `kept`
//   legend: [[style or section, words]],
//   describe(i)                    a mark in words
// }

const HEIGHT = 280;
const MARGIN = { left: 66, top: 22, bottom: 30, right: 14 };
// Pixels of a column when there are more values than pixels.
const AGGREGATE_FROM = 2;

class Plot {
  constructor(spec) {
    this.spec = spec;
    this.cursor = null;
    this.clip = `clip-${Plot.count = (Plot.count || 0) + 1}`;
    this.svg = drawn('svg', { class: 'plot', tabindex: 0, role: 'img', 'aria-label': spec.label });
    this.readout = element('output', { class: 'readout' });
    this.beyond = this.entry('beyond', 'dashed, at the edge: beyond the axis');
    this.input = new PlotInput(this);
    this.root = element('figure', {}, this.input.buttons, this.svg, this.legend(), this.readout);
    this.reset();
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  legend() {
    const entries = (this.spec.legend || []).map(([style, words]) => this.entry(style, words));
    return element('ul', { class: 'legend' }, entries, this.beyond);
  }

  entry(style, words) {
    return element('li', {},
      SHAPES[style] ? shape(style) : drawn('svg', { class: 'swatch', viewBox: '0 0 22 12', 'aria-hidden': 'true' },
        drawn('path', { class: style, d: style.includes('band') ? 'M0 2H22V10H0Z' : 'M0 6H22' })), words);
  }

  get visits() {
    return this.spec.layers.find(layer => layer.kind === 'marks');
  }

  reset() {
    const { min, max } = this.spec.x;
    const pad = max > min ? (max - min) * 0.02 : 0.5;
    this.show(min - pad, max + pad);
  }

  // Shows a part of the x axis, within what there is.
  show(from, to) {
    const { min, max } = this.spec.x;
    const pad = max > min ? (max - min) * 0.02 : 0.5;
    const [least, most] = [min - pad, max + pad];
    const width = Math.max(Math.min(to - from, most - least), (most - least) / 5000);
    this.from = Math.max(least, Math.min(from, most - width));
    this.to = this.from + width;
    this.draw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  pan(share) {
    const shift = (this.to - this.from) * share;
    this.show(this.from + shift, this.to + shift);
  }

  draw() {
    this.width = this.svg.clientWidth;
    if (!this.width) return;
    const right = this.spec.y2 ? 56 : MARGIN.right;
    this.inner = { left: MARGIN.left, right: this.width - right, top: MARGIN.top, bottom: HEIGHT - MARGIN.bottom };
    const { left, top, bottom } = this.inner;
    this.taken = [[], [], []];
    this.yRange = this.rangeOf(layer => !layer.right, this.spec.y);
    this.y2Range = this.spec.y2 && this.rangeOf(layer => layer.right, this.spec.y2);
    const clip = drawn('clipPath', { id: this.clip },
      drawn('rect', { x: left, y: top - 11, width: Math.max(0, this.inner.right - left), height: bottom - top + 22 }));
    const content = drawn('g', { 'clip-path': `url(#${this.clip})` });
    for (const layer of this.spec.layers) content.append(...this.drawLayer(layer));
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${HEIGHT}`);
    this.svg.replaceChildren(clip, this.axes(), content, this.cursorMark());
    this.beyond.hidden = !content.querySelector('.beyond');
  }

  xAt(value) {
    const { left, right } = this.inner;
    return left + (value - this.from) / (this.to - this.from) * (right - left);
  }

  xOf(pixel) {
    const { left, right } = this.inner;
    return this.from + (pixel - left) / (right - left) * (this.to - this.from);
  }

  // What lies beyond the range is drawn at its end.
  yAt(value, range = this.yRange) {
    const share = Math.max(-0.02, Math.min(1.02, (value - range[0]) / (range[1] - range[0])));
    return this.inner.bottom - share * (this.inner.bottom - this.inner.top);
  }

  // -1 below the range, 1 above it, 0 within.
  side(value) {
    const [least, most] = this.yRange;
    return (value > most) - (value < least);
  }

  isVisible(x) {
    return x != null && x >= this.from && x <= this.to;
  }

  // The range of the values that are visible. A robust one leaves out the few that are far away, but none that is kept.
  rangeOf(isOwn, axis) {
    const [values, kept] = [[], []];
    for (const layer of this.spec.layers.filter(isOwn)) {
      const columns = [layer.y, layer.low, layer.high].filter(Boolean);
      for (const column of columns) {
        for (let i = 0; i < column.length; i++) {
          if (column[i] != null && this.isVisible(layer.x[i])) values.push(column[i]);
        }
      }
      if (layer.kind === 'level' && (layer.kept || !axis.robust)) kept.push(layer.at);
      if (layer.kind === 'marks' && layer.y[layer.kept] != null && this.isVisible(layer.x[layer.kept])) kept.push(layer.y[layer.kept]);
    }
    if (!values.length) values.push(...kept);
    if (!values.length) return [0, 1];
    const sorted = Float64Array.from(values).sort();
    let [least, most] = [sorted[0], sorted[sorted.length - 1]];
    if (axis.robust && sorted.length >= 20) {
      const quantile = share => sorted[Math.round(share * (sorted.length - 1))];
      const [low, high] = [quantile(0.03), quantile(0.97)];
      const reach = (high - low || Math.abs(high) * 0.05) * 1.5;
      [least, most] = [Math.max(least, low - reach), Math.min(most, high + reach)];
    }
    [least, most] = [Math.min(least, ...kept), Math.max(most, ...kept)];
    if (axis.least != null) least = axis.least;
    if (axis.most != null) most = Math.min(most, axis.most);
    if (axis.zero) [least, most] = [Math.min(0, least), Math.max(0, most)];
    const pad = (most - least) * 0.06 || Math.abs(most) * 0.02 || 1;
    return [axis.zero && least === 0 ? 0 : least - pad, most + pad];
  }

  axes() {
    const { left, right, top, bottom } = this.inner;
    const group = drawn('g', { class: 'axes' });
    const tick = (words, attributes) => group.append(drawn('text', attributes, words));
    for (const { at, words } of this.spec.y.ticks(...this.yRange, 5)) {
      const y = this.yAt(at);
      group.append(drawn('path', { class: 'grid', d: `M${left} ${y}H${right}` }));
      tick(words, { x: left - 6, y: y + 4, 'text-anchor': 'end' });
    }
    for (const { at, words } of this.spec.y2 ? this.spec.y2.ticks(...this.y2Range, 5) : []) {
      tick(words, { x: right + 6, y: this.yAt(at, this.y2Range) + 4 });
    }
    let free = -Infinity;
    for (const { at, words } of this.spec.x.ticks(this.from, this.to, (right - left) / 95)) {
      const x = this.xAt(at);
      const half = words.length * 3.4;
      if (x - half < free || x < left || x > right) continue;
      free = x + half + 8;
      group.append(drawn('path', { class: 'grid', d: `M${x} ${top}V${bottom}` }));
      const anchor = x + half > this.width ? 'end' : 'middle';
      tick(words, { x: anchor === 'end' ? this.width : x, y: bottom + 18, 'text-anchor': anchor });
    }
    group.append(drawn('path', { class: 'frame', d: `M${left} ${top}V${bottom}H${right}` }));
    return group;
  }

  drawLayer(layer) {
    switch (layer.kind) {
      case 'area': return [drawn('path', { class: layer.style, d: this.areaPath(layer) })];
      case 'line': return [drawn('path', { class: layer.style, d: this.linePath(layer) })];
      case 'marks': return this.drawMarks(layer);
      case 'level': return this.drawLevel(layer);
      case 'rule': {
        if (!this.isVisible(layer.at)) return [];
        const x = this.xAt(layer.at);
        const anchor = x > this.inner.right - 60 ? 'end' : 'start';
        const line = drawn('path', { class: layer.style, d: `M${x} ${this.inner.top}V${this.inner.bottom}` },
          drawn('title', {}, layer.words));
        const words = layer.short;
        if (!words) return [line];
        const width = 3 + 7 * words.length;
        const nth = this.freeLine(anchor === 'end' ? x - width : x, width);
        if (nth == null) return [line];
        const y = this.inner.top + 10 + 12 * nth;
        return [line, drawn('text', { class: 'note', x: x + (anchor === 'end' ? -3 : 3), y, 'text-anchor': anchor }, words)];
      }
    }
    return [];
  }

  // One beyond the range has no line: it would stand at a height that the axis denies.
  drawLevel({ at, style, words }) {
    const { left, right, top, bottom } = this.inner;
    const note = (y, text) => drawn('text', { class: 'note', x: right - 4, y, 'text-anchor': 'end' }, text);
    const side = this.side(at);
    if (side < 0) return [note(bottom - 6, `${words} \u2193`)];
    if (side > 0) {
      const width = 14 + 7 * words.length;
      return [note(top + 10 + 12 * (this.freeLine(right - width, width) ?? 0), `${words} \u2191`)];
    }
    const y = this.yAt(at);
    return [drawn('path', { class: style, d: `M${left} ${y}H${right}` }), note(y - 4, words || '')];
  }

  // The first of the lines on top on which a label covers no other; null where there is none.
  freeLine(left, width) {
    const isFree = line => line.every(([from, to]) => left >= to || left + width <= from);
    const nth = this.taken.findIndex(isFree);
    if (nth < 0) return null;
    this.taken[nth].push([left, left + width]);
    return nth;
  }

  // Stretches of neighbouring values; a missing value ends one.
  stretches(layer, isThere) {
    const stretches = [];
    let open = null;
    for (let i = 0; i < layer.x.length; i++) {
      if (!isThere(i)) { open = null; continue; }
      if (!open) stretches.push(open = []);
      open.push(i);
    }
    return stretches;
  }

  areaPath(layer) {
    const isThere = i => layer.low[i] != null && layer.high[i] != null;
    return this.stretches(layer, isThere).map(stretch => {
      const along = column => i => `${this.xAt(layer.x[i]).toFixed(1)} ${this.yAt(column[i]).toFixed(1)}`;
      const back = [...stretch].reverse().map(along(layer.low));
      return `M${stretch.map(along(layer.high)).join('L')}L${back.join('L')}Z`;
    }).join('');
  }

  linePath(layer) {
    const range = layer.right ? this.y2Range : this.yRange;
    const visible = layer.x.reduce((count, x) => count + this.isVisible(x), 0);
    if (visible > AGGREGATE_FROM * this.width) return this.columnsPath(layer, range);
    return this.stretches(layer, i => layer.y[i] != null).map(stretch => {
      let last = null;
      const corners = stretch.map(i => {
        const [x, y] = [this.xAt(layer.x[i]).toFixed(1), this.yAt(layer.y[i], range).toFixed(1)];
        const corner = layer.stepped && last != null ? `${x} ${last}L${x} ${y}` : `${x} ${y}`;
        last = y;
        return corner;
      });
      return `M${corners.join('L')}${stretch.length === 1 ? 'h.1' : ''}`;
    }).join('');
  }

  // From the least to the largest value of each column of pixels.
  columnsPath(layer, range) {
    const columns = new Map();
    for (let i = 0; i < layer.x.length; i++) {
      if (layer.y[i] == null || !this.isVisible(layer.x[i])) continue;
      const x = Math.round(this.xAt(layer.x[i]));
      const y = this.yAt(layer.y[i], range);
      const [top, bottom] = columns.get(x) || [y, y];
      columns.set(x, [Math.min(top, y), Math.max(bottom, y)]);
    }
    return [...columns].map(([x, [top, bottom]]) => `M${x} ${top.toFixed(1)}V${(bottom + 0.5).toFixed(1)}`).join('');
  }

  drawMarks(layer) {
    const visible = [];
    for (let i = 0; i < layer.x.length; i++) {
      if (layer.y[i] != null && this.isVisible(layer.x[i])) visible.push(i);
    }
    const isDense = visible.length > this.width;
    const shown = isDense ? visible.filter(i => layer.section(i) !== 'unchanged') : visible;
    return shown.map(i => {
      const [x, y] = [this.xAt(layer.x[i]).toFixed(1), this.yAt(layer.y[i]).toFixed(1)];
      const style = `mark ${layer.section(i)} ${layer.style ? layer.style(i) : ''} ${this.side(layer.y[i]) ? 'beyond' : ''}`;
      return drawn('path', { class: style, d: SHAPES[layer.section(i)], transform: `translate(${x} ${y})`, 'data-run': i });
    });
  }

  cursorMark() {
    const layer = this.visits;
    if (this.cursor == null || !layer || !this.isVisible(layer.x[this.cursor])) return drawn('g');
    const [x, y] = [this.xAt(layer.x[this.cursor]), this.yAt(layer.y[this.cursor])];
    return drawn('circle', { class: 'cursor', cx: x, cy: y, r: 8 });
  }

  // Moves the cursor to a mark and describes it.
  visit(mark) {
    if (mark === this.cursor) return;
    this.cursor = mark;
    this.readout.textContent = mark == null ? '' : this.spec.describe(mark);
    this.svg.lastChild.replaceWith(this.cursorMark());
  }

  // The mark that is nearest to a place in pixels.
  nearest(px, py) {
    const layer = this.visits;
    let [best, least] = [null, 60 ** 2];
    for (let i = 0; layer && i < layer.x.length; i++) {
      if (layer.y[i] == null || !this.isVisible(layer.x[i])) continue;
      const distance = (this.xAt(layer.x[i]) - px) ** 2 + ((this.yAt(layer.y[i]) - py) / 3) ** 2;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }
}
