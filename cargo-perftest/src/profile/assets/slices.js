// Slices: the part of a profile that is of one thread, stage or tag, or of slow iterations.

// Durations have as many leading bits, as in the recorder.
const DURATION_BITS = 6;
const TAG = /^(.+)=\d+$/;

// The shortest duration of the class that a duration is in.
function durationClass(ns) {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(ns)) + 1 - DURATION_BITS);
  return Math.floor(ns / unit) * unit;
}

// The names of the thread, the stage and the tag that each frame is of; -1 for none. The outermost frame is the
// thread, below it are the stage and the tag, if there are any.
function statesOf(tree, names) {
  const [thread, stage, tag] = [0, 1, 2].map(() => new Int32Array(tree.count).fill(-1));
  for (let frame = 1; frame < tree.count; frame++) {
    const parent = tree.parent[frame], depth = tree.depth[frame], name = tree.name[frame];
    thread[frame] = depth === 1 ? name : thread[parent];
    stage[frame] = stage[parent];
    tag[frame] = tag[parent];
    const isBelowStage = depth === 3 && tree.name[parent] === stage[parent];
    if (depth === 2 && names[name].startsWith("stage ")) stage[frame] = name;
    else if ((depth === 2 || isBelowStage) && TAG.test(names[name])) tag[frame] = name;
  }
  return { thread, stage, tag };
}

const keyOf = (tag) => TAG.exec(tag)[1];

// How many iterations of a side are slow enough, and from which class on: at least so long, or at least this share of
// all, the slowest first. Classes are whole, so that the share may be larger.
function slowIterations(classes, { from, share }) {
  const all = classes.reduce((sum, [, iterations]) => sum + iterations, 0);
  let first = classes.length, count = 0;
  const isWanted = () => (from === undefined ? count < share * all : classes[first - 1][0] >= from);
  while (first > 0 && isWanted()) count += classes[--first][1];
  return { first, count, all, from: from === undefined ? classes[first][0] : from };
}

// Own weights of a side in slow iterations, and the weights of what is not drawn below each frame.
function slowWeights(data, side, count, { first }) {
  // One profile alone has no base.
  const name = ["base", "new"][side], frames = data[name + "ClassFrame"] || [];
  const own = new Float64Array(count), below = new Float64Array(count);
  for (let place = 0; place < frames.length; place++) {
    if (data[name + "Class"][place] < first) continue;
    const frame = frames[place], weight = data[name + "ClassWeight"][place];
    if (frame >= 0) own[frame] += weight;
    else below[-1 - frame] += weight;
  }
  return [own, below];
}

// Own weights of a side in all iterations, and the weights of what is not drawn below each frame.
function allWeights(tree, side) {
  const below = Float64Array.from(tree.total[side]);
  for (let frame = 1; frame < tree.count; frame++) below[tree.parent[frame]] -= tree.total[side][frame];
  for (let frame = 0; frame < tree.count; frame++) below[frame] -= tree.own[side][frame];
  return [tree.own[side], below];
}

// The slice of the frames for which `isKept`, with these weights of both sides: a tree of what has weight in it.
function sliceOf(tree, weights, isKept) {
  const owns = [], totals = [];
  for (const [own, below] of weights) {
    const kept = new Float64Array(tree.count), total = new Float64Array(tree.count);
    for (let frame = tree.count - 1; frame >= 0; frame--) {
      if (isKept(frame)) {
        kept[frame] = own[frame];
        total[frame] += own[frame] + below[frame];
      }
      if (frame > 0) total[tree.parent[frame]] += total[frame];
    }
    owns.push(kept);
    totals.push(total);
  }
  const has = (_, frame) => frame === 0 || totals[0][frame] > 0 || totals[1][frame] > 0;
  return newTree(tree.name.filter(has), tree.depth.filter(has), owns.map((own) => own.filter(has)),
    totals.map((total) => total.filter(has)));
}
