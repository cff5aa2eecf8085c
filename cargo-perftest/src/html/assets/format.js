'use strict';
// Values in words, and elements of the page. Text that others wrote is set as text, never as markup.

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];

// The scale and the unit in which a value has few digits.
function scaleOf(value, unit) {
  if (unit !== 'ns') return [1, unit];
  return TIMES.find(([scale]) => Math.abs(value) >= 0.99995 * scale) || [1, 'ns'];
}

function fourDigits(value) {
  if (value === 0 || !isFinite(value)) return String(value);
  if (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-3) return value.toExponential(3).replace('e+', 'e');
  const whole = Math.floor(Math.log10(Math.abs(value) / 0.99995)) + 1;
  return value.toFixed(Math.max(0, 4 - whole));
}

function quantity(value, unit) {
  if (value == null) return '-';
  const [scale, name] = scaleOf(value, unit);
  return `${fourDigits(value / scale)} ${name}`.trim();
}

// Two decimals, or three digits where these would not tell small ratios apart.
function ratioNumber(ratio) {
  const size = Math.abs(ratio);
  if (size === 0 || size >= 0.1 && size < 1e6) return ratio.toFixed(2);
  return size >= 1e-3 && size < 0.1 ? ratio.toPrecision(3) : ratio.toExponential(2).replace('e+', 'e');
}

function ratioWords(ratio) {
  return ratio >= 0 && isFinite(ratio) && ratio != null ? `${ratioNumber(ratio)}x` : '-';
}

function duration(ms) {
  return ms == null ? '-' : quantity(ms * 1e6, 'ns');
}

const padded = number => String(number).padStart(2, '0');

function day(seconds) {
  const date = new Date(seconds * 1000);
  if (isNaN(date)) return '?';
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}

function minute(seconds) {
  if (seconds == null) return '-';
  const date = new Date(seconds * 1000);
  return isNaN(date) ? '?' : `${day(seconds)} ${padded(date.getHours())}:${padded(date.getMinutes())}`;
}

function counted(count, noun) {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

// A column as a list. One of a single value is that value, and one whose values come again has their `times`.
function wholeColumn(column, count) {
  if (Array.isArray(column)) return column;
  if (column == null || !column.times) return new Array(count).fill(column);
  return column.times.flatMap((times, nth) => new Array(times).fill(column.values[nth]));
}

// A column of texts as a list. Where no text comes again there are no places.
function wholeTexts(places, texts, count) {
  return places == null ? texts : wholeColumn(places, count).map(place => texts[place]);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value == null || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter(child => child != null));
  return node;
}

function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

// A path that breaks behind its separators, and in a long part behind `_`. A copy of it has no breaks.
function breakable(path) {
  const parts = path.split(/(?<=::|\/)/).flatMap(part => part.length > 28 ? part.split(/(?<=_)/) : [part]);
  return parts.flatMap((part, nth) => nth ? [document.createElement('wbr'), part] : [part]);
}

// A shape for each section, so that no reader depends on colours.
const SHAPES = {
  'slower': 'M0-5.5 5.5 4.5H-5.5Z',
  'faster': 'M0 5.5 5.5-4.5H-5.5Z',
  'accepted': 'M-4.5-.5-1.5 3 4.5-4.5M-4.5 4.5H4.5',
  'unclear': 'M0-5.5 5.5 0 0 5.5-5.5 0Z',
  'not-the-code': 'M-4-4H4V4H-4Z',
  'not-judged': 'M-4-4 4 4M4-4-4 4',
  'new': 'M0-5V5M-5 0H5',
  'unchanged': 'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0Z',
};

function shape(section) {
  return drawn('svg', { class: `shape ${section}`, viewBox: '-7 -7 14 14', 'aria-hidden': 'true' },
    drawn('path', { d: SHAPES[section] }));
}

function badge(section, words) {
  return element('span', { class: 'badge' }, shape(section), words);
}

// A choice among words; `choose` gets the chosen value.
function choice(label, options, chosen, choose) {
  const select = element('select', { change: () => choose(select.value) },
    options.map(([value, words]) => element('option', { value, selected: value === chosen }, words)));
  return element('label', {}, `${label} `, select);
}
