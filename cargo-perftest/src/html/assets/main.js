// What the address asks for.

function chooseColours() {
  const select = document.getElementById('theme');
  // A page of a file may have no storage.
  const stored = act => { try { return act(); } catch { return null; } };
  const apply = theme => { document.documentElement.dataset.theme = theme; };
  select.value = stored(() => localStorage.getItem('perftest-theme')) || '';
  apply(select.value);
  select.addEventListener('change', () => {
    apply(select.value);
    stored(() => localStorage.setItem('perftest-theme', select.value));
  });
}

class Pages {
  constructor() {
    this.report = JSON.parse(document.getElementById('report').textContent);
    this.overview = new Overview(this.report);
    this.scrolled = 0;
    this.about();
    addEventListener('hashchange', () => this.go());
    this.go();
  }

  about() {
    const { report } = this;
    const total = this.overview.took(this.overview.all).reduce((sum, ms) => sum + ms, 0);
    const counts = report.sections.filter(section => section.tests).map(section => `${section.tests.toLocaleString('en')} ${section.title}`);
    document.getElementById('project').textContent = report.project;
    document.getElementById('about').textContent = counts.length ? `${counts.join(', ')}. The newest runs took ${duration(total)} together${this.commits()}.` : '';
    document.getElementById('made').textContent = `Made ${minute(report.made_s)} by perftest ${report.version}. Times are those of this browser's time zone.`;
    document.getElementById('problems').append(...report.problems.map(problem => element('li', {}, problem)));
  }

  // The commits of the newest runs, the one of most tests first.
  commits() {
    const { overview } = this;
    const tests = new Map();
    for (const row of overview.all) {
      const commit = overview.at('commit', row);
      if (commit) tests.set(commit, (tests.get(commit) || 0) + 1);
    }
    const commits = [...tests].sort(([, one], [, other]) => other - one).map(([commit]) => commit);
    if (!commits.length) return '';
    const further = commits.length > 3 ? ` and ${commits.length - 3} more` : '';
    return `, of ${commits.length === 1 ? 'commit' : 'commits'} ${commits.slice(0, 3).join(', ')}${further}`;
  }

  go() {
    const address = new URLSearchParams(location.hash.slice(1));
    const { count } = this.overview.data;
    const isOnly = count === 1 && !location.hash;
    if (address.has('test') || isOnly) this.open(isOnly ? 0 : this.find(address), address.get('test'));
    else this.showAll(address.get('section') || '');
  }

  find(address) {
    const { overview } = this;
    const same = overview.all.filter(row => overview.id(row) === address.get('test'));
    const isIt = row => Object.entries(overview.parts(row)).every(([key, value]) => !address.has(key) || address.get(key) === value);
    return same.find(isIt) ?? same[0];
  }

  showAll(section) {
    const [all, one] = [document.getElementById('overview'), document.getElementById('test')];
    const wasHidden = all.hidden;
    one.hidden = true;
    one.replaceChildren();
    all.hidden = false;
    document.title = `${this.report.project}: performance tests`;
    const known = this.report.sections.some(it => it.name === section) ? section : '';
    if (known !== this.overview.state.section) this.overview.change({ section: known });
    else this.overview.show();
    if (!wasHidden) return;
    scrollTo(0, this.scrolled);
    // The focus goes back to where the test was opened.
    const opened = document.querySelector(`#tests tr[data-row="${this.opened}"] a`);
    if (opened) opened.focus({ preventScroll: true });
  }

  open(row, name) {
    const [all, one] = [document.getElementById('overview'), document.getElementById('test')];
    if (!all.hidden) this.scrolled = scrollY;
    this.opened = row;
    all.hidden = true;
    one.hidden = false;
    const block = row == null ? null : document.getElementById(`test-${row}`);
    if (!block) {
      // The block of a test may not have come yet.
      const isComing = row != null && document.readyState === 'loading';
      if (isComing) document.addEventListener('DOMContentLoaded', () => this.go(), { once: true });
      const words = isComing ? 'Reading ..' : `No test of this report is called ${name}.`;
      one.replaceChildren(element('p', {}, words), element('p', {}, element('a', { href: '#section=' }, 'all tests')));
      return;
    }
    const view = new TestView(this.overview, row, JSON.parse(block.textContent));
    one.replaceChildren(...view.content);
    document.title = view.title;
    scrollTo(0, 0);
    view.heading.focus({ preventScroll: true });
  }
}

chooseColours();
new Pages();
