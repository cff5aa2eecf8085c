// Trees of frames: all frames in depth-first order, in arrays by frame. Side 0 is the base, side 1 the new profile.

// Frames of the view of callers with smaller shares are left out of it.
const SMALLEST_CALLER = 1 / 20000;
const MOST_CALLERS = 300000;
const DEEPEST_CALLER = 1000;

function newTree(name, depth, own, total) {
  const count = name.length;
  const end = new Int32Array(count), parent = new Int32Array(count);
  const open = [];
  for (let frame = 0; frame < count; frame++) {
    while (open.length > depth[frame]) end[open.pop()] = frame;
    parent[frame] = open.length ? open[open.length - 1] : 0;
    open.push(frame);
  }
  while (open.length) end[open.pop()] = count;
  return { count, name, depth, end, parent, own, total };
}

function treeOfData(data) {
  const zeros = new Float64Array(data.name.length);
  const side = (name) => (data[name] ? Float64Array.from(data[name]) : zeros);
  return newTree(Int32Array.from(data.name), Int32Array.from(data.depth),
    [side("baseOwn"), side("newOwn")], [side("baseTotal"), side("newTotal")]);
}

// The callees of a frame, one after the other.
function calleesOf(tree, frame) {
  const callees = [];
  for (let at = frame + 1; at < tree.end[frame]; at = tree.end[at]) callees.push(at);
  return callees;
}

// Functions on the outside, their callers inside: each frame has the own time of what is outermost.
function callersOf(tree) {
  const names = [tree.name[0]], depths = [0], owns = [[0], [0]], totals = [[0], [0]];
  const group = (members, depth) => {
    const groups = new Map();
    for (const member of members) {
      const name = tree.name[member.at];
      const found = groups.get(name);
      if (found) found.members.push(member);
      else groups.set(name, { name, depth, members: [member], sum: [0, 0] });
    }
    for (const one of groups.values()) {
      for (const { weights } of one.members) { one.sum[0] += weights[0]; one.sum[1] += weights[1]; }
    }
    return [...groups.values()].sort((one, other) => larger(one.sum) - larger(other.sum));
  };
  const whole = [tree.total[0][0], tree.total[1][0]];
  const larger = (sum) => Math.max(sum[0] / (whole[0] || 1), sum[1] / (whole[1] || 1));
  const leaves = [];
  for (let at = 1; at < tree.count; at++) {
    const weights = [tree.own[0][at], tree.own[1][at]];
    if (weights[0] > 0 || weights[1] > 0) leaves.push({ at, weights });
  }
  const open = group(leaves, 1);
  for (const { sum } of open) { totals[0][0] += sum[0]; totals[1][0] += sum[1]; }
  while (open.length && names.length < MOST_CALLERS) {
    const { name, depth, members, sum } = open.pop();
    if (larger(sum) < SMALLEST_CALLER) continue;
    const callers = [], ended = [0, 0];
    for (const { at, weights } of members) {
      const caller = tree.parent[at];
      if (caller > 0) callers.push({ at: caller, weights });
      else { ended[0] += weights[0]; ended[1] += weights[1]; }
    }
    names.push(name);
    depths.push(depth);
    for (const side of [0, 1]) { owns[side].push(ended[side]); totals[side].push(sum[side]); }
    if (depth < DEEPEST_CALLER) for (const caller of group(callers, depth + 1)) open.push(caller);
  }
  return newTree(Int32Array.from(names), Int32Array.from(depths),
    owns.map((it) => Float64Array.from(it)), totals.map((it) => Float64Array.from(it)));
}

// The own and total weights of each function on both sides; recursion counts once.
function functionsOf(tree, names) {
  const rows = new Map(), active = new Int32Array(names);
  const callers = [];
  for (let frame = 1; frame < tree.count; frame++) {
    while (callers.length >= tree.depth[frame]) active[callers.pop()]--;
    const name = tree.name[frame];
    let row = rows.get(name);
    if (!row) rows.set(name, row = { name, own: [0, 0], total: [0, 0] });
    for (const side of [0, 1]) {
      row.own[side] += tree.own[side][frame];
      if (active[name] === 0) row.total[side] += tree.total[side][frame];
    }
    active[name]++;
    callers.push(name);
  }
  return [...rows.values()];
}

// The width of each frame as a share of the whole. For the union it is the larger share of a frame's own time,
// and the widths of what it called: callees fit into their caller.
function widthsOf(tree, mode) {
  const whole = [tree.total[0][0] || 1, tree.total[1][0] || 1];
  const width = new Float64Array(tree.count);
  if (mode !== "union") {
    const side = mode === "base" ? 0 : 1;
    for (let frame = 0; frame < tree.count; frame++) width[frame] = tree.total[side][frame] / whole[side];
    return width;
  }
  const rest = tree.total.map((total) => Float64Array.from(total));
  for (let frame = 1; frame < tree.count; frame++) {
    for (const side of [0, 1]) rest[side][tree.parent[frame]] -= tree.total[side][frame];
  }
  for (let frame = tree.count - 1; frame >= 0; frame--) {
    width[frame] += Math.max(rest[0][frame] / whole[0], rest[1][frame] / whole[1]);
    if (frame > 0) width[tree.parent[frame]] += width[frame];
  }
  return width;
}
