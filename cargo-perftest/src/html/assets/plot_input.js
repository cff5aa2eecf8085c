// What mouse, fingers and keys do to a plot.

class PlotInput {
  constructor(plot) {
    this.plot = plot;
    this.fingers = new Map();
    this.selection = null;
    const button = (sign, name, act) => element('button', { type: 'button', title: name, 'aria-label': name, click: act }, sign);
    this.buttons = element('div', { class: 'zoom' },
      button('+', 'zoom in', () => plot.zoom(0.5)),
      button('\u2212', 'zoom out', () => plot.zoom(2)),
      button('\u25c0', 'earlier', () => plot.pan(-0.4)),
      button('\u25b6', 'later', () => plot.pan(0.4)),
      button('all', 'show all', () => plot.reset()));
    const { svg } = plot;
    svg.addEventListener('pointerdown', event => this.press(event));
    svg.addEventListener('pointermove', event => this.move(event));
    svg.addEventListener('pointerup', event => this.release(event));
    svg.addEventListener('pointercancel', event => this.cancel(event));
    svg.addEventListener('dblclick', () => plot.reset());
    svg.addEventListener('wheel', event => this.wheel(event), { passive: false });
    svg.addEventListener('keydown', event => this.key(event));
  }

  pixel(event) {
    const box = this.plot.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    if (event.button !== 0) return;
    this.plot.svg.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, this.pixel(event)[0]);
    if (event.pointerType === 'mouse') this.selection = [this.pixel(event)[0], this.pixel(event)[0]];
  }

  move(event) {
    const [x, y] = this.pixel(event);
    const { plot } = this;
    if (this.selection) {
      this.selection[1] = x;
      return this.drawSelection();
    }
    if (!this.fingers.has(event.pointerId)) return plot.visit(plot.nearest(x, y));
    const others = [...this.fingers].filter(([finger]) => finger !== event.pointerId);
    const before = this.fingers.get(event.pointerId);
    this.fingers.set(event.pointerId, x);
    if (!others.length) {
      const shift = plot.xOf(before) - plot.xOf(x);
      return plot.show(plot.from + shift, plot.to + shift);
    }
    const other = others[0][1];
    const [was, is] = [Math.abs(before - other), Math.abs(x - other)];
    if (was > 10 && is > 10) plot.zoom(was / is, plot.xOf(other));
  }

  release(event) {
    this.fingers.delete(event.pointerId);
    const [x, y] = this.pixel(event);
    if (!this.selection) return this.plot.visit(this.plot.nearest(x, y));
    const [from, to] = this.selection.sort((one, other) => one - other);
    this.selection = null;
    this.drawSelection();
    if (to - from > 5) this.plot.show(this.plot.xOf(from), this.plot.xOf(to));
  }

  // The browser scrolls the page with this finger.
  cancel(event) {
    this.fingers.delete(event.pointerId);
    this.selection = null;
    this.drawSelection();
  }

  drawSelection() {
    const { svg, inner } = this.plot;
    svg.querySelectorAll('.selection').forEach(old => old.remove());
    if (!this.selection) return;
    const [from, to] = [Math.min(...this.selection), Math.max(...this.selection)];
    const rect = drawn('rect', { class: 'selection', x: from, y: inner.top, width: to - from, height: inner.bottom - inner.top });
    svg.insertBefore(rect, svg.lastChild);
  }

  // The wheel alone scrolls the page.
  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const turn = event.deltaY || event.deltaX;
    this.plot.zoom(turn > 0 ? 1.25 : 0.8, this.plot.xOf(this.pixel(event)[0]));
  }

  key(event) {
    const { plot } = this;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === '+' || event.key === '=') plot.zoom(0.5);
    else if (event.key === '-') plot.zoom(2);
    else if (event.key === '0' || event.key === 'Escape') plot.reset();
    else if (step && event.shiftKey) plot.pan(0.2 * step);
    else if (step) this.step(step);
    else return;
    event.preventDefault();
  }

  // To the next mark there is, and the view with it.
  step(by) {
    const { plot } = this;
    const layer = plot.visits;
    if (!layer) return;
    let next = plot.cursor == null ? (by > 0 ? 0 : layer.x.length - 1) : plot.cursor + by;
    while (next >= 0 && next < layer.x.length && (layer.y[next] == null || layer.x[next] == null)) next += by;
    if (next < 0 || next >= layer.x.length) return;
    const x = layer.x[next];
    if (!plot.isVisible(x)) plot.show(x - (plot.to - plot.from) / 2, x + (plot.to - plot.from) / 2);
    plot.visit(next);
  }
}
