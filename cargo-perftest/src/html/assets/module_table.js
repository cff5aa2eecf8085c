// The tests of each module together: how much they changed, and what they took.

// The path of a test without its last part.
function moduleOf(name) {
  const end = name.lastIndexOf('::');
  return end > 0 ? name.slice(0, end) : name;
}

class ModuleTable {
  constructor(overview) {
    this.overview = overview;
    this.rows = [];
    this.place = document.getElementById('modules');
    this.place.addEventListener('toggle', () => this.draw());
  }

  // Of the rows that the table of tests shows. They are summed only while this table is open.
  show(rows) {
    this.rows = rows;
    this.draw();
  }

  draw() {
    if (!this.place.open) return;
    const { overview } = this;
    // A ratio of times says nothing of a ratio of counts.
    const metric = overview.state.metric || 'wall';
    const ofMetric = this.rows.filter(row => overview.metric(row).name === metric);
    const modules = new Map();
    for (const row of ofMetric) {
      const name = moduleOf(overview.at('name', row));
      if (modules.has(name)) modules.get(name).push(row);
      else modules.set(name, [row]);
    }
    const sums = [...modules].map(([name, rows]) => this.sum(name, rows));
    sums.sort((one, other) => Math.abs(other.logarithm || 0) - Math.abs(one.logarithm || 0) || (one.name < other.name ? -1 : 1));
    const titles = ['module', 'series', 'mean ratio', 'slower', 'faster', 'undecided', 'took', 'longest'];
    const head = element('thead', {}, element('tr', {}, titles.map((title, nth) => element('th', { scope: 'col', class: nth ? 'number' : null }, title))));
    const body = element('tbody', {}, sums.map(sum => this.row(sum)));
    const about = element('p', { class: 'about' }, `Series of ${metric} in the table below. The mean is the geometric mean of their last ratios; it counts each alike.`);
    this.place.replaceChildren(this.place.firstElementChild, about,
      element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Modules' }, element('table', {}, head, body)));
  }

  sum(name, rows) {
    const { overview } = this;
    const ratios = rows.map(row => overview.at('ratio', row)).filter(ratio => ratio > 0);
    const took = overview.took(rows);
    const isOf = (...sections) => rows.filter(row => sections.includes(overview.at('section', row))).length;
    return {
      name,
      series: rows.length,
      logarithm: ratios.length ? ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length : null,
      slower: isOf('slower'),
      faster: isOf('faster'),
      undecided: isOf('unclear', 'not-judged', 'not-the-code'),
      took: took.reduce((sum, ms) => sum + ms, 0),
      longest: took.reduce((most, ms) => Math.max(most, ms), 0),
    };
  }

  row({ name, series, logarithm, slower, faster, undecided, took, longest }) {
    const { overview } = this;
    const search = () => {
      document.getElementById('search').value = name;
      overview.change({ text: name });
      overview.table.scrollIntoView();
    };
    const cells = [series, logarithm == null ? '-' : ratioWords(Math.exp(logarithm)), slower, faster, undecided, duration(took), duration(longest)];
    return element('tr', {},
      element('th', { scope: 'row' }, element('button', { type: 'button', class: 'plain', title: 'search for this module', click: search }, element('bdi', {}, breakable(name)))),
      cells.map(cell => element('td', { class: 'number' }, String(cell))));
  }
}
