// The table of all tests: sections, search, order and pages.

const PAGE = 100;
// Verdicts that say no more than their section.
const PLAIN = ['green', 'red', 'improved', 'no baseline'];
const TREND = { width: 110, height: 22 };

function fragment(parts) {
  return '#' + Object.entries(parts).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
}

class Overview {
  constructor(report) {
    this.report = report;
    this.data = report.overview;
    this.state = { text: '', section: '', testbed: '', metric: '', sort: '', descending: false, page: 0 };
    this.table = document.getElementById('tests');
    this.lists = this.readLists();
    const all = Array.from({ length: this.data.count }, (_, row) => row);
    this.words = all.map(row => this.searched(row));
    this.all = all;
    this.counts = new Map();
    for (const address of all.map(row => this.shortAddress(row))) this.counts.set(address, (this.counts.get(address) || 0) + 1);
    this.columns = this.allColumns();
    this.rank = new Map(report.sections.map((section, place) => [section.name, place]));
    this.modules = new ModuleTable(this);
    this.head();
    this.controls();
  }

  readLists() {
    const { count, metrics, testbeds, commits, metric, testbed, commit, ...columns } = this.data;
    const lists = Object.entries(columns).map(([name, column]) => [name, wholeColumn(column, count)]);
    return {
      ...Object.fromEntries(lists),
      metric: wholeTexts(metric, metrics, count),
      testbed: wholeTexts(testbed, testbeds, count),
      commit: wholeTexts(commit, commits, count),
    };
  }

  at(name, row) {
    return this.lists[name][row];
  }

  metric(row) {
    return this.lists.metric[row];
  }

  testbed(row) {
    return this.lists.testbed[row];
  }

  // The name in the record, which a shown name may lack characters of.
  id(row) {
    return this.at('id', row) ?? this.at('name', row);
  }

  // Of each test that these rows are of, what its newest run took: each series of a run has the time of the whole test.
  took(rows) {
    const tests = new Map();
    for (const row of rows) {
      const test = `${this.id(row).split('/')[0]}\n${this.testbed(row)}`;
      tests.set(test, Math.max(tests.get(test) || 0, this.at('spent_ms', row) || 0));
    }
    return [...tests.values()];
  }

  // What tells its history from others.
  parts(row) {
    const { name, unit, better } = this.metric(row);
    return { test: this.id(row), metric: name, testbed: this.testbed(row), unit, better };
  }

  shortAddress(row) {
    const { test, metric, testbed } = this.parts(row);
    return fragment({ test, metric, testbed });
  }

  // Whether another history differs in the unit or the direction alone.
  hasTwin(row) {
    return this.counts.get(this.shortAddress(row)) > 1;
  }

  address(row) {
    return this.hasTwin(row) ? fragment(this.parts(row)) : this.shortAddress(row);
  }

  sectionTitle(row) {
    return this.report.sections.find(section => section.name === this.at('section', row)).title;
  }

  searched(row) {
    const words = [this.at('name', row), this.metric(row).name, this.testbed(row), this.at('verdict', row) || '', this.sectionTitle(row)];
    return words.join('\n').toLowerCase();
  }

  // Each: key, heading, value to sort by, cell, and whether the worst is the largest.
  allColumns() {
    const { data } = this;
    // From or to 0 is farther than any ratio, whose logarithm is below 710.
    const distance = row => this.at('from', row) ? 999 : Math.abs(Math.log(this.at('ratio', row) ?? 1));
    const columns = [
      { key: 'section', title: 'Verdict', value: row => this.rank.get(this.at('section', row)) - distance(row) / 1e3, show: row => this.verdictCell(row) },
      { key: 'name', title: 'Test', value: row => this.at('name', row), show: row => this.nameCell(row) },
      { key: 'now', title: 'Now', number: true, value: row => this.at('now', row), show: row => quantity(this.at('now', row), this.metric(row).unit) },
      { key: 'ratio', title: 'Ratio', number: true, value: row => this.at('ratio', row), show: row => this.ratioCell(row) },
      { key: 'course', title: 'Course', value: null, show: row => this.trend(row) },
      { key: 'change', title: 'Last change', number: true, value: row => this.at('change_s', row), show: row => this.changeCell(row) },
      { key: 'detects', title: 'Detects from', number: true, value: row => this.at('detects', row), show: row => this.detects(row) },
      { key: 'runs', title: 'Runs', number: true, value: row => this.at('runs', row), show: row => String(this.at('runs', row)) },
      { key: 'newest_s', title: 'Newest', number: true, value: row => this.at('newest_s', row), show: row => minute(this.at('newest_s', row)) },
      { key: 'spent_ms', title: 'Took', number: true, value: row => this.at('spent_ms', row), show: row => duration(this.at('spent_ms', row)) },
    ];
    const metric = { key: 'metric', title: 'Metric', value: row => this.metric(row).name, show: row => this.metric(row).name };
    const testbed = { key: 'testbed', title: 'Testbed', value: row => this.testbed(row), show: row => this.testbed(row) };
    if (data.testbeds.length > 1) columns.splice(2, 0, testbed);
    if (data.metrics.length > 1) columns.splice(2, 0, metric);
    return columns;
  }

  verdictCell(row) {
    const alarms = this.at('alarms', row);
    const words = this.at('verdict', row) || 'none';
    const title = this.sectionTitle(row);
    const said = words === title || PLAIN.includes(words) ? null : element('small', {}, ` ${words}`);
    const alarm = alarms ? element('small', { class: 'alarm' }, ` ${counted(alarms, 'alarm')}`) : null;
    return [badge(this.at('section', row), title), said, alarm];
  }

  nameCell(row) {
    return element('a', { href: this.address(row) }, element('bdi', {}, breakable(this.at('name', row))));
  }

  ratioCell(row) {
    const [lower, upper] = [this.at('ratio_lower', row), this.at('ratio_upper', row)];
    if (this.at('ratio', row) == null) return this.at('from', row) ?? '-';
    const range = lower == null ? '' : ` [${ratioNumber(lower)}, ${upper == null ? 'inf' : ratioNumber(upper)}]`;
    return [ratioWords(this.at('ratio', row)), element('small', {}, range)];
  }

  changeCell(row) {
    const change = this.at('change', row);
    if (change == null) return '-';
    return [ratioWords(change), element('small', {}, ` ${day(this.at('change_s', row))}`)];
  }

  detects(row) {
    const share = this.at('detects', row);
    return share == null ? '-' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;
  }

  trend(row) {
    const course = this.at('course', row) || '';
    const { width, height } = TREND;
    const step = (width - 6) / Math.max(1, course.length - 1);
    const corner = (digit, nth) => `${(3 + nth * step).toFixed(1)} ${(height - 3 - parseInt(digit, 36) / 35 * (height - 6)).toFixed(1)}`;
    const corners = [...course].map(corner);
    const last = (corners[corners.length - 1] || '0 0').split(' ');
    return drawn('svg', { class: 'trend', viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' },
      drawn('path', { d: corners.length ? `M${corners.join('L')}` : '' }),
      drawn('circle', { cx: last[0], cy: last[1], r: 2 }));
  }

  head() {
    const headings = this.columns.map(column => {
      const content = column.value
        ? element('button', { type: 'button', 'data-sort': column.key, click: () => this.sortBy(column.key) }, column.title)
        : column.title;
      return element('th', { scope: 'col', class: column.number ? 'number' : null }, content);
    });
    this.table.tHead.rows[0].replaceChildren(...headings);
  }

  controls() {
    const { report, state, data } = this;
    const sections = document.getElementById('sections');
    const chip = (name, title, tests, description) => element('a', {
      href: `#section=${name}`, class: 'chip', 'data-section': name, title: description,
    }, name ? badge(name, title) : title, ' ', element('b', {}, tests.toLocaleString('en')));
    const some = report.sections.filter(section => section.tests > 0);
    sections.replaceChildren(chip('', 'all', data.count, 'Every test.'),
      ...some.map(section => chip(section.name, section.title, section.tests, section.description)));
    const search = document.getElementById('search');
    search.addEventListener('input', () => this.change({ text: search.value }));
    this.select('testbed', data.testbeds);
    this.select('metric', [...new Set(data.metrics.map(metric => metric.name))]);
    const orders = this.columns.filter(column => column.value);
    const sort = document.getElementById('sort');
    sort.append(element('option', { value: '' }, 'worst first'),
      ...orders.map(column => element('option', { value: column.key }, column.title.toLowerCase())));
    sort.addEventListener('change', () => this.change({ sort: sort.value, descending: this.startsWithLargest(sort.value) }));
    document.addEventListener('keydown', event => {
      const isTyped = event.target.closest('input, select, textarea');
      if (event.key !== '/' || isTyped || document.getElementById('overview').hidden) return;
      event.preventDefault();
      search.focus();
    });
    state.page = 0;
  }

  select(name, values) {
    const select = document.getElementById(name);
    select.append(...values.map(value => element('option', { value }, value)));
    select.parentElement.hidden = values.length < 2;
    select.addEventListener('change', () => this.change({ [name]: select.value }));
  }

  sortBy(key) {
    const isSame = this.state.sort === key;
    this.change({ sort: key, descending: isSame ? !this.state.descending : this.startsWithLargest(key) });
  }

  // Of numbers the largest come first, until the heading is pressed again.
  startsWithLargest(key) {
    return Boolean(this.columns.find(column => column.key === key)?.number);
  }

  change(change) {
    Object.assign(this.state, { page: 0 }, change);
    this.show();
  }

  // Rows that are asked for, in their order.
  selected() {
    const { text, section, testbed, metric, sort, descending } = this.state;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = this.all.filter(row => (!section || this.at('section', row) === section)
      && (!testbed || this.testbed(row) === testbed)
      && (!metric || this.metric(row).name === metric)
      && words.every(word => this.words[row].includes(word)));
    const column = this.columns.find(it => it.key === sort);
    if (!column) return rows;
    const values = new Map(rows.map(row => [row, column.value(row)]));
    const order = (one, other) => {
      const [a, b] = [values.get(one), values.get(other)];
      // What is unknown comes last, whichever way.
      if (a == null || b == null) return (a == null) - (b == null);
      const by = a < b ? -1 : a > b ? 1 : 0;
      return descending ? -by : by;
    };
    return rows.sort((one, other) => order(one, other) || one - other);
  }

  show() {
    const { state, report } = this;
    const rows = this.selected();
    const first = state.page * PAGE;
    const body = rows.slice(first, first + PAGE).map(row => element('tr', { 'data-row': row },
      this.columns.map(column => {
        const tag = column.key === 'name' ? 'th' : 'td';
        const content = [column.show(row)].flat();
        return element(tag, { scope: tag === 'th' ? 'row' : null, class: column.number ? 'number' : null, 'data-label': column.title, 'data-key': column.key }, content);
      })));
    this.table.tBodies[0].replaceChildren(...body);
    this.table.querySelectorAll('[data-sort]').forEach(button => {
      const isIt = button.dataset.sort === state.sort;
      const order = state.descending ? 'descending' : 'ascending';
      button.parentElement.setAttribute('aria-sort', isIt ? order : 'none');
    });
    document.getElementById('sort').value = state.sort;
    document.querySelectorAll('.chip').forEach(chip => {
      const isIt = chip.dataset.section === state.section;
      if (isIt) chip.setAttribute('aria-current', 'true');
      else chip.removeAttribute('aria-current');
    });
    const section = report.sections.find(it => it.name === state.section);
    document.getElementById('described').textContent = section ? section.description : '';
    const found = this.data.count === 0 ? 'Nothing is recorded yet: mark a function with #[perf_test], run cargo test, and make the report again.'
      : rows.length === 0 ? 'No test has that.' : `${counted(rows.length, 'test')} of ${this.data.count.toLocaleString('en')}`;
    document.getElementById('found').textContent = found;
    this.table.hidden = rows.length === 0;
    this.pages(rows.length);
    this.modules.show(rows);
  }

  pages(count) {
    const { page } = this.state;
    const last = Math.max(0, Math.ceil(count / PAGE) - 1);
    const pages = document.getElementById('pages');
    const go = to => () => {
      this.state.page = to;
      this.show();
      this.table.scrollIntoView();
      // The buttons were made anew, so the focus goes to the new page.
      this.table.querySelector('tbody a').focus({ preventScroll: true });
    };
    const button = (words, to) => element('button', { type: 'button', disabled: to < 0 || to > last, click: go(to) }, words);
    pages.hidden = last === 0;
    pages.replaceChildren(button('before', page - 1),
      ` ${page * PAGE + 1} to ${Math.min(count, (page + 1) * PAGE)} of ${count.toLocaleString('en')} `, button('next', page + 1));
  }
}
