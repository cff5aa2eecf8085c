// The view of one history.

function copyButton(text) {
  const button = element('button', { type: 'button', class: 'copy', click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'copied';
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
    }
  } }, 'copy');
  return button;
}

function unitWords(unit, better) {
  return `${unit || 'no unit'}, ${better} is better`;
}

// Other histories of the same test: metrics, testbeds, units.
function siblings(overview, row) {
  const same = overview.all.filter(other => overview.id(other) === overview.id(row));
  if (same.length < 2) return null;
  const words = other => {
    const { metric, testbed, unit, better } = overview.parts(other);
    return overview.hasTwin(other) ? `${metric} in ${unitWords(unit, better)}, on ${testbed}` : `${metric} on ${testbed}`;
  };
  const link = other => element('li', {}, element('a', {
    href: overview.address(other), 'aria-current': other === row ? 'page' : null,
  }, words(other)));
  return element('ul', { class: 'siblings', 'aria-label': 'Histories of this test' }, same.map(link));
}

function evidence(data) {
  const { verdict, profile } = data;
  if (!verdict) return [element('p', { class: 'headline' }, 'No run of this history has a verdict.')];
  const lines = verdict.lines.flatMap(([name, text]) => [element('dt', {}, name), element('dd', {}, text)]);
  const link = profile && element('p', {}, element('a', { href: profile.href, target: '_blank', rel: 'noopener' }, profile.words));
  return [element('p', { class: 'headline' }, verdict.headline), element('dl', { class: 'evidence' }, lines), ...(link ? [link] : [])];
}

function commandList(data) {
  const command = ([purpose, text]) => element('li', {}, element('span', {}, purpose), element('code', {}, text), copyButton(text));
  return [element('h2', {}, 'See it again'), element('ol', { class: 'commands' }, data.commands.map(command))];
}

// Changes, epochs, alarms and acceptances in the order of their runs.
function eventList(data, runs) {
  const { unit } = data;
  const range = change => {
    const words = `${quantity(change.before, unit)} to ${quantity(change.after, unit)}`;
    const by = change.lower == null ? ratioWords(change.after / change.before) : `${ratioWords(change.lower)} to ${ratioWords(change.upper)}`;
    return `${words}, ${by}`;
  };
  const events = [
    ...data.changes.map(change => [change.run, 'change', `${change.effect}: ${range(change)}; suspects: ${change.suspects}`]),
    ...data.temporary.map(change => [change.run, 'for a while', `until ${minute(runs.seconds[change.to])}: ${range(change)}`]),
    ...data.epochs.map(epoch => [epoch.run, 'epoch', epoch.words]),
    ...data.alarms.map(alarm => [alarm.run, 'alarm', `${alarm.threshold}: ${alarm.by}, beyond its ${alarm.side} limit`]),
  ].sort(([one], [other]) => other - one);
  const row = ([run, kind, words]) => element('tr', {}, element('td', {}, minute(runs.seconds[run])), element('td', {}, kind), element('td', {}, words));
  const accepted = data.accepted.map(it => element('tr', {}, element('td', {}, minute(it.given_s)), element('td', {}, 'accepted'),
    element('td', {}, `up to ${ratioWords(it.ratio)} the old level${it.until_s ? ` until ${minute(it.until_s)}` : ''}: ${it.reason}`)));
  if (!events.length && !accepted.length) return [];
  return [element('h2', {}, 'What happened'), element('div', { class: 'scroll' },
    element('table', { id: 'events' }, element('tbody', {}, [...accepted, ...events.map(row)])))];
}

function notes(data, runs, limit) {
  const { backwards, fresh_processes: fresh } = data;
  return [
    backwards ? `The clock went backwards: ${counted(backwards, 'run')} began before the run that was recorded before ${backwards === 1 ? 'it' : 'them'}. The plot is in the order of the record.` : null,
    fresh ? `Not shown: ${fresh} fresh ${fresh === 1 ? 'process' : 'processes'}.` : null,
    runs.count >= limit ? `The newest ${counted(runs.count, 'run')} ${runs.count === 1 ? 'is' : 'are'} in this report; --limit takes more if there are.` : null,
    runs.decided.some(value => value != null) ? 'A run is plotted at the median of its first process; its value is that of all processes of its verdict.' : null,
    data.formerly ? `Formerly ${data.formerly}.` : null,
    data.searched ? `Changes were sought in ${data.searched}.` : null,
  ].filter(Boolean).map(words => element('p', { class: 'about' }, words));
}

class TestView {
  constructor(overview, row, data) {
    const { report } = overview;
    const runs = readRuns(data.runs);
    this.history = new HistoryPlot(data, runs);
    const section = overview.at('section', row);
    this.title = overview.at('name', row);
    this.heading = element('h1', { tabindex: -1 }, element('bdi', {}, breakable(this.title)));
    this.content = [
      element('p', {}, element('a', { href: '#section=', class: 'back' }, '\u2190 all tests')),
      this.heading,
      element('p', { class: 'about' }, badge(section, overview.sectionTitle(row)), ` \u00b7 ${data.metric} in ${unitWords(data.unit, data.better)} \u00b7 ${data.testbed}`),
      siblings(overview, row),
      ...evidence(data),
      element('h2', {}, 'History'), this.history.root,
      ...notes(data, runs, report.limit),
      ...eventList(data, runs),
      ...comparisonPlots(data, runs.count >= report.limit),
      ...commandList(data),
      element('h2', {}, 'Runs'), new RunTable(data, runs).root,
    ].filter(Boolean);
  }
}
