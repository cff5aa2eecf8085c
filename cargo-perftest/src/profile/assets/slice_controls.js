// The choice of a slice, and what is said about it.

const MOST_CHOICES = 2000;
const DURATION = /^\s*(\d*\.?\d+)\s*(ns|us|\u00b5s|ms|s)\s*$/;
const NANOSECONDS = { ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9 };

const sideNames = () => (isDifference ? [[0, "base"], [1, "new"]] : [[1, ""]]);
const hasIterations = () => sideNames().every(([side]) => data.head.iterations[side]);

// What is shown: a tree, its samples, and the whole whose times per iteration are known.
function wholeSlice() {
  const { samples, iteration } = data.head;
  const times = iteration.every(Boolean) && { whole: wholeTree.total.map((total) => total[0]), samples, iteration };
  return { tree: wholeTree, samples, times, slow: null };
}

function fillChoice(id, choices) {
  const option = ([value, text]) => {
    const made = make("option", text);
    made.value = value;
    return made;
  };
  element(id).append(...[["", "all"], ...choices].map(option));
}

// The names with the largest share of either side, and how they are shown.
function largest(state) {
  const shares = new Map();
  for (let frame = 1; frame < wholeTree.count; frame++) {
    const name = state[frame];
    if (name < 0 || name !== wholeTree.name[frame] || state[wholeTree.parent[frame]] === name) continue;
    const sums = shares.get(name) || [0, 0];
    for (const side of [0, 1]) sums[side] += wholeTree.total[side][frame] / (wholeTree.total[side][0] || 1);
    shares.set(name, sums);
  }
  const all = [...shares].sort(([, one], [, other]) => Math.max(...other) - Math.max(...one));
  return all.slice(0, MOST_CHOICES).map(([name]) => name);
}

function fillSlices() {
  const { thread, stage, tag } = states;
  const threads = largest(thread), stages = largest(stage), tags = largest(tag);
  const named = (name) => [name, shortened(data.names[name], 60)];
  element("thread-label").hidden = threads.length < 2;
  fillChoice("thread", threads.map(named));
  element("stage-label").hidden = stages.length === 0;
  fillChoice("stage", stages.map((name) => [name, data.names[name].slice("stage ".length)]));
  element("tag-label").hidden = tags.length === 0;
  const keys = [...new Set(tags.map((name) => keyOf(data.names[name])))];
  fillChoice("tag", [...keys.map((key) => ["key " + key, `${key}, any value`]), ...tags.map(named), ["none", "no tag"]]);
  element("iterations-label").hidden = element("slower-label").hidden = !hasIterations();
  for (const id of ["thread", "stage", "tag"]) element(id).addEventListener("change", chooseSlice);
  element("iterations").addEventListener("change", () => {
    if (element("iterations").value === "slower") element("slower").focus();
    else element("slower").value = "";
    chooseSlice();
  });
  element("slower").addEventListener("change", () => {
    element("iterations").value = element("slower").value.trim() ? "slower" : "";
    chooseSlice();
  });
}

// Which iterations are chosen; null for all.
function chosenIterations() {
  const chosen = element("iterations").value, box = element("slower"), text = box.value;
  const parts = DURATION.exec(text);
  box.classList.toggle("wrong", text.trim() !== "" && !parts);
  if (chosen === "slower") return parts && { from: durationClass(parts[1] * NANOSECONDS[parts[2]]) };
  return chosen ? { share: Number(chosen) } : null;
}

// Which frames are of the chosen thread, stage and tag; null for all.
function chosenFrames() {
  const chosen = ["thread", "stage", "tag"].map((id) => [states[id], element(id).value]).filter(([, value]) => value);
  if (!chosen.length) return null;
  const isOf = chosen.map(([state, value]) => {
    if (value === "none") return (frame) => state[frame] < 0;
    if (!value.startsWith("key ")) return (frame) => state[frame] === Number(value);
    const isKey = data.names.map((name) => TAG.test(name) && keyOf(name) === value.slice("key ".length));
    return (frame) => state[frame] >= 0 && isKey[state[frame]];
  });
  return (frame) => isOf.every((it) => it(frame));
}

function chooseSlice() {
  const isKept = chosenFrames(), iterations = chosenIterations(), whole = wholeSlice();
  slice = whole;
  if (isKept || iterations) {
    const slow = iterations && [0, 1].map((side) =>
      data.head.iterations[side] && slowIterations(data.head.iterations[side], iterations));
    const weights = [0, 1].map((side) =>
      (slow && slow[side] ? slowWeights(data, side, wholeTree.count, slow[side]) : allWeights(wholeTree, side)));
    const tree = sliceOf(wholeTree, weights, isKept || (() => true));
    const samples = data.head.samples.map((count, side) =>
      count * tree.total[side][0] / (wholeTree.total[side][0] || 1));
    // Of some iterations only shares are known.
    slice = { tree, samples, times: slow ? null : whole.times, slow };
  }
  callersTree = null;
  describeSlice();
  show();
  showTable();
}

function showWhole() {
  for (const id of ["thread", "stage", "tag", "iterations", "slower"]) element(id).value = "";
  if (slice.tree !== wholeTree) chooseSlice();
  zoomTo(0);
}

// What the slice has of each side. A side without a sample is named: nothing is compared with it.
function describeSlice() {
  const isWhole = slice.tree === wholeTree, parts = [];
  for (const [side, name] of isWhole ? [] : sideNames()) {
    const samples = Math.round(slice.samples[side]), all = data.head.samples[side];
    const words = [slice.tree.total[side][0] > 0
      ? `${count(samples)} of ${count(all)} samples (${percent(slice.samples[side] / (all || 1))})` : "no sample"];
    if (slice.slow) {
      const { count: found, all: iterations, from } = slice.slow[side];
      words.push(`${count(found)} of ${count(iterations)} iterations, those of ${nanoseconds(from)} or more`);
    }
    parts.push((name && name + ": ") + words.join(", "));
  }
  const missing = sideNames().filter(([side]) => slice.tree.total[side][0] === 0).map(([, name]) => name);
  if (isWhole) parts.push("");
  else if (!isDifference) parts.push(missing.length ? "" : "shares are of the slice");
  else if (missing.length) parts.push(`shares are not compared, because ${missing.join(" and ")} ${missing.length > 1 ? "have" : "has"} no sample in this slice`);
  else parts.push("shares are of the same slice on each side");
  element("slice-status").textContent = isWhole ? "" : `Slice: ${parts.filter(Boolean).join("; ")}.`;
  const { cause } = data.head;
  element("cause").textContent = cause ? (isWhole ? "" : "Whole profile: ") + cause : "";
}
