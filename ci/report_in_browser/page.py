"""The report that is checked, and what is asked of it."""

TESTS, RUNS = 130, 90
# One test counts allocations, too, and one has a metric in two units.
HISTORIES = TESTS + 3
WINDOW, PHONE = (1100, 760), (390, 844)
TAB, ENTER, RIGHT = "\ue004", "\ue007", "\ue014"
VISIBLE = """return [...document.querySelectorAll('#tests tbody tr')].map(row => ({
  name: row.querySelector('th').textContent,
  cells: Object.fromEntries([...row.cells].map(cell => [cell.dataset.key, cell.textContent])),
}))"""
MARKS = "return document.querySelectorAll('.history .mark').length"
FOUND = "return document.getElementById('found').textContent"
WIDTH = "return [document.documentElement.scrollWidth, innerWidth]"
READOUT = "return document.querySelector('.history .readout').textContent"
RUN_IN_WORDS = r"\d{4}-\d\d-\d\d \d\d:\d\d · [\d.]+ (ns|us) · "
# Of all tests, as the page has them: name, metric, ratio.
OVERVIEW = """const {overview} = JSON.parse(document.getElementById('report').textContent);
const {count, metrics} = overview;
const metric = wholeTexts(overview.metric, metrics, count);
return wholeColumn(overview.name, count).map((name, row) => [name, metric[row].name, wholeColumn(overview.ratio, count)[row]])"""
# Where the plot of a history has the numbers of its axis, its newest mark and its first level.
HEIGHTS = """const place = node => { const {top, bottom} = node.getBoundingClientRect(); return (top + bottom) / 2; };
const find = selector => [...document.querySelectorAll(`.history .plot ${selector}`)];
const isOfY = text => text.getAttribute('text-anchor') === 'end' && +text.getAttribute('x') < 66;
const left = find('.grid').filter(grid => grid.getAttribute('d').includes('H'));
const ticks = find('.axes text').filter(isOfY).map((text, nth) => [parseFloat(text.textContent), place(left[nth])]);
const [level] = find('path.limit');
return {ticks, newest: place(find('.mark').pop()), level: place(level), words: level.nextSibling.textContent}"""
