// The drawing: which frames are wide enough to be seen, where they are, and what colour they have.

const ROW = 18;
const NARROWEST = 0.5;
const FEWEST_ROWS = 12;
const CHARACTER = 6.6;
const CHANCE = 2;
// Okabe and Ito (2008): vermilion for more, blue for less; the others by crate.
const MORE = [213, 94, 0], LESS = [0, 114, 178];
const CRATE_COLOURS = [[86, 180, 233], [0, 158, 115], [240, 228, 66], [230, 159, 0], [204, 121, 167],
  [127, 184, 216], [234, 169, 127]];
const NO_CRATE = [187, 187, 187];
const FOUND = [240, 228, 66];

const dark = matchMedia("(prefers-color-scheme: dark)");

class Graph {
  constructor(box, canvas, spacer, data) {
    Object.assign(this, { box, canvas, spacer, data, context: canvas.getContext("2d") });
    this.zoom = 0;
    this.focus = 0;
    this.found = null;
    this.rows = [];
  }

  // Shows another slice, or the same one in another way.
  show({ tree, samples, times }, mode, colour) {
    if (tree !== this.tree) {
      this.zoom = 0;
      this.focus = 0;
    }
    Object.assign(this, { tree, samples, timed: times, mode, colour });
    this.width = widthsOf(tree, mode);
    this.strongest = Object.fromEntries(["absolute", "relative", "time"].map((it) => [it, this.strongestOf(it)]));
    this.layout();
  }

  // Shares of a frame on both sides: of the whole, or of its caller.
  shares(frame, within) {
    const { total } = this.tree;
    return [0, 1].map((side) => total[side][frame] / (total[side][within] || 1));
  }

  samplesOf(within) {
    const { total } = this.tree;
    return [0, 1].map((side) => this.samples[side] * total[side][within] / (total[side][0] || 1));
  }

  // The time per iteration of a frame on both sides; null where it is not known. Its uncertainty is that of a share of
  // all samples, not of those of a thread or a tag: how much of the time is theirs is not certain, either.
  times(frame) {
    if (!this.timed) return null;
    const { whole, samples, iteration } = this.timed;
    return [0, 1].map((side) => timeOf(this.tree.total[side][frame], whole[side], samples[side], iteration[side]));
  }

  changeOf(frame, colour) {
    if (colour === "time") return timeChangeOf(this.times(frame));
    const within = colour === "relative" ? this.tree.parent[frame] : 0;
    return changeOf(this.shares(frame, within), this.samplesOf(within));
  }

  // The change that has the full colour: the largest one beyond chance.
  strongestOf(colour) {
    if (!this.data.head.base || (colour === "time" && !this.timed)) return 1;
    const { tree, timed } = this;
    const scales = (within) => [0, 1].map((side) => (colour === "time" ? timed.iteration[side].scale : 1 / (tree.total[side][within] || 1)));
    let strongest = 0;
    for (let frame = 1; frame < tree.count; frame++) {
      const [base, now] = scales(colour === "relative" ? tree.parent[frame] : 0);
      const change = Math.abs(tree.total[1][frame] * now - tree.total[0][frame] * base);
      if (change > strongest && Math.abs(this.changeOf(frame, colour).z) > 2 * CHANCE) strongest = change;
    }
    return strongest || (colour === "time" ? Infinity : 0.05);
  }

  // Finds the places of all frames that are at least half a pixel wide. Narrower neighbours become one grey bar.
  layout() {
    const { tree, width, zoom } = this;
    const full = Math.max(this.box.clientWidth, 100);
    const scale = full / (width[zoom] || 1), top = tree.depth[zoom];
    const rows = [], places = [0], bars = [];
    const endBar = (row) => {
      const bar = bars[row];
      if (bar && bar.end - bar.start >= NARROWEST / 2) rows[row].push({ frame: -1, x: bar.start, width: bar.end - bar.start });
      bars[row] = null;
    };
    for (let frame = zoom; frame < tree.end[zoom];) {
      const row = tree.depth[frame] - top, x = places[row], wide = width[frame] * scale;
      places[row] = x + wide;
      const line = rows[row] || (rows[row] = []);
      if (wide < NARROWEST) {
        const bar = bars[row];
        if (bar && x - bar.end < NARROWEST) bar.end = x + wide;
        else { endBar(row); bars[row] = { start: x, end: x + wide }; }
        frame = tree.end[frame];
        continue;
      }
      endBar(row);
      line.push({ frame, x, width: wide });
      places[row + 1] = x;
      frame++;
    }
    for (let row = 0; row < rows.length; row++) endBar(row);
    this.rows = rows;
    this.full = full;
    // No taller than all rows, and the same while people zoom.
    if (zoom === 0) this.box.style.maxHeight = Math.max(rows.length, FEWEST_ROWS) * ROW + 2 + "px";
    this.spacer.style.height = Math.max(0, rows.length * ROW - this.box.clientHeight) + "px";
    this.draw();
  }

  draw() {
    const { box, canvas, context, rows } = this;
    const ratio = window.devicePixelRatio || 1, height = box.clientHeight;
    canvas.style.width = this.full + "px";
    canvas.style.height = height + "px";
    canvas.width = Math.round(this.full * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.direction = "ltr";
    context.textBaseline = "middle";
    context.font = "11px ui-monospace, monospace";
    const style = getComputedStyle(document.body);
    this.page = style.backgroundColor;
    this.text = style.color;
    const first = Math.floor(box.scrollTop / ROW), last = Math.ceil((box.scrollTop + height) / ROW);
    for (let row = Math.max(first, 0); row < Math.min(last, rows.length); row++) {
      const y = row * ROW - box.scrollTop;
      for (const bar of rows[row]) this.drawBar(bar, y);
    }
  }

  drawBar({ frame, x, width }, y) {
    const { context } = this;
    if (frame < 0) {
      context.fillStyle = dark.matches ? "#5a5f68" : "#b9b9b9";
      context.fillRect(x, y, width, ROW - 1);
      return;
    }
    const isFound = this.found && this.found[this.tree.name[frame]];
    const { colour, hatched } = isFound ? { colour: FOUND, hatched: false } : this.colourOf(frame);
    context.globalAlpha = this.found && !isFound ? 0.35 : 1;
    context.fillStyle = `rgb(${colour.join()})`;
    const gap = width > 3 ? 0.7 : 0;
    context.fillRect(x, y, width - gap, ROW - 1);
    if (hatched && width > 4) this.hatch(x, y, width - gap);
    if (width > 3 * CHARACTER) {
      const [red, green, blue] = colour;
      context.fillStyle = 0.299 * red + 0.587 * green + 0.114 * blue > 120 ? "#111" : "#fff";
      context.fillText(shortened(this.nameOf(frame), Math.floor((width - 6) / CHARACTER)), x + 3, y + ROW / 2);
    }
    context.globalAlpha = 1;
    if (frame === this.focus && document.activeElement === this.box) {
      context.strokeStyle = this.text;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(width - 2 - gap, 1), ROW - 3);
    }
  }

  hatch(x, y, width) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, ROW - 1);
    context.clip();
    context.strokeStyle = dark.matches ? "#5a5f68" : "#cfcfcf";
    context.lineWidth = 1;
    context.beginPath();
    for (let at = Math.floor(x / 8) * 8 - ROW; at < Math.min(x + width, this.full); at += 8) {
      context.moveTo(at, y + ROW);
      context.lineTo(at + ROW, y);
    }
    context.stroke();
    context.restore();
  }

  colourOf(frame) {
    if (this.colour === "crate") {
      const name = this.data.crateOf[this.tree.name[frame]];
      const isNone = this.data.crates[name] === "";
      return { colour: isNone ? NO_CRATE : CRATE_COLOURS[name % CRATE_COLOURS.length], hatched: false };
    }
    const neutral = dark.matches ? [60, 64, 72] : [238, 238, 238];
    const { change, z } = this.changeOf(frame, this.colour);
    if (Math.abs(z) < CHANCE) return { colour: neutral, hatched: true };
    const part = Math.min(1, Math.abs(change) / this.strongest[this.colour]);
    const end = change > 0 ? MORE : LESS;
    return { colour: neutral.map((it, place) => Math.round(it + part * (end[place] - it))), hatched: false };
  }

  nameOf(frame) {
    return this.data.names[this.tree.name[frame]];
  }

  // The frame at a place of the window; -1 for a grey bar, undefined where nothing is.
  frameAt(clientX, clientY) {
    const place = this.canvas.getBoundingClientRect();
    const x = clientX - place.left, row = Math.floor((clientY - place.top + this.box.scrollTop) / ROW);
    const bar = (this.rows[row] || []).find((it) => x >= it.x && x < it.x + it.width);
    return bar && bar.frame;
  }

  zoomTo(frame) {
    this.zoom = frame;
    this.focus = frame;
    this.box.scrollTop = 0;
    this.layout();
  }

  // Makes a frame visible that may be too narrow or outside of what is shown.
  walkTo(frame) {
    const { tree } = this;
    const isInside = frame >= this.zoom && frame < tree.end[this.zoom];
    this.focus = frame;
    if (!isInside || !this.barOf(frame)) {
      this.zoom = tree.parent[frame];
      this.layout();
    }
    const y = (tree.depth[frame] - tree.depth[this.zoom]) * ROW;
    if (y < this.box.scrollTop) this.box.scrollTop = y;
    const bottom = y + ROW - this.box.clientHeight;
    if (bottom > this.box.scrollTop) this.box.scrollTop = bottom;
    this.draw();
  }

  barOf(frame) {
    const row = this.rows[this.tree.depth[frame] - this.tree.depth[this.zoom]] || [];
    return row.find((it) => it.frame === frame);
  }

  // The frame to which an arrow key leads.
  neighbour(key) {
    const { tree, focus } = this;
    if (key === "ArrowUp") return tree.parent[focus];
    const row = this.rows[tree.depth[focus] - tree.depth[this.zoom] + (key === "ArrowDown" ? 1 : 0)] || [];
    const drawn = row.filter((it) => it.frame >= 0);
    if (key === "ArrowDown") {
      const below = drawn.filter(({ frame }) => tree.parent[frame] === focus);
      return below.length ? below.reduce((one, other) => (other.width > one.width ? other : one)).frame : focus;
    }
    const place = drawn.findIndex(({ frame }) => frame === focus) + (key === "ArrowLeft" ? -1 : 1);
    return drawn[place] ? drawn[place].frame : focus;
  }
}

// A name that fits: without its first modules, then without its end.
function shortened(name, room) {
  while (name.length > room && /^\w+::/.test(name)) name = name.replace(/^\w+::/, "");
  return name.length <= room ? name : name.slice(0, Math.max(room - 1, 0)) + "\u2026";
}
