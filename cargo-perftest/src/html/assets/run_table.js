// The runs as a table, the newest first.

const ROWS = 50;

class RunTable {
  constructor(data, runs) {
    this.data = data;
    this.runs = runs;
    this.shown = 0;
    const titles = ['when', 'commit', 'branch', 'value', 'ratio', 'verdict', 'measured', 'baseline', 'marks'];
    this.body = element('tbody', {});
    this.more = element('button', { type: 'button', click: () => this.grow() }, '');
    const head = element('thead', {}, element('tr', {}, titles.map(title => element('th', { scope: 'col' }, title))));
    this.root = element('div', { class: 'runs' },
      element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'All runs' }, element('table', { id: 'runs' }, head, this.body)), this.more);
    this.grow();
  }

  grow() {
    const { runs } = this;
    const until = Math.min(runs.count, this.shown + ROWS);
    for (; this.shown < until; this.shown++) this.body.append(this.row(runs.count - 1 - this.shown));
    const left = runs.count - this.shown;
    this.more.textContent = `${Math.min(left, ROWS)} more of ${counted(left, 'older run')}`;
    this.more.hidden = left === 0;
  }

  row(run) {
    const { runs, data } = this;
    const counts = { 0: 'no', 1: 'yes' }[runs.counts[run]];
    const cells = [minute(runs.seconds[run]), runs.commit[run] || '?', element('bdi', {}, runs.branch[run]),
      quantity(runs.shown[run], data.unit), ratioWords(runs.ratio[run]),
      badge(runs.section[run], runs.verdict[run] === '-' ? 'none' : runs.verdict[run]),
      runs.measurements[run], counts, runs.marks[run]];
    return element('tr', { 'data-run': run, 'data-value': runs.value[run] }, cells.map(content => element('td', {}, String(content) === content || content instanceof Node ? content : String(content))));
  }
}
