// The parts of the page for each process that was traced.

const main = document.getElementById('main');

function add(to, kind, text, className) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  to.append(made);
  return made;
}

function key(to) {
  const row = add(to, 'div', undefined, 'key');
  for (const [colour, text] of [[colours[0], 'runs a strand'], [colours[1], 'looks for work'], [colours[2], 'sleeps'],
    ['#8c2878', 'a steal, from the victim to the thief']]) {
    const item = add(row, 'span');
    add(item, 'i').style.background = colour;
    item.append(text);
  }
}

function totals(to, process) {
  const heading = ['worker', 'in strands', '', 'looking for work', '', 'asleep', '', 'steals', 'suspended', 'sleeps', 'promoted',
    'signals', 'pages given back', 'records lost'];
  const table = add(add(to, 'div', undefined, 'scroll'), 'table');
  const head = add(table, 'tr');
  heading.forEach(text => add(head, 'th', text));
  const row = (name, t, lost, className) => {
    const line = add(table, 'tr', undefined, className);
    const part = ms => t.life > 0 ? `${(100 * ms / t.life).toFixed(0)}%` : '';
    [name, time(t.strand), part(t.strand), time(t.search), part(t.search), time(t.sleep), part(t.sleep), t.steals,
      t.suspensions, t.sleeps, t.promoted, t.questions, t.pages, lost].forEach(text => add(line, 'td', text));
  };
  process.lanes.forEach(lane => row(lane.name, lane.totals, lane.lost));
  row('all', process.totals, process.lanes.reduce((sum, lane) => sum + lane.lost, 0), 'sum');
}

// Of the forks that were noted. A name is missing where the program's file has none.
function forks(to, process) {
  if (process.forks.length === 0) return;
  const all = process.forks.reduce((sum, [, count]) => sum + count, 0);
  const table = add(add(to, 'div', undefined, 'scroll'), 'table');
  const head = add(table, 'tr');
  ['forks in', 'noted', ''].forEach(text => add(head, 'th', text));
  process.forks.slice(0, 20).forEach(([name, count]) => {
    const line = add(table, 'tr');
    [name || 'a function without a name', count, `${(100 * count / all).toFixed(0)}%`].forEach(text => add(line, 'td', text));
  });
}

for (const process of JSON.parse(document.getElementById('trace').textContent)) {
  add(main, 'h2', process.program);
  add(main, 'p', process.summary);
  process.gaps.forEach(gap => add(main, 'p', gap, 'gap'));
  add(main, 'p', `Next: ${process.advice}.`, 'next');
  key(main);
  const canvas = add(main, 'canvas');
  const under = add(main, 'div', undefined, 'under');
  const all = add(main, 'button', 'show all');
  add(main, 'p', 'A wheel zooms and dragging moves; on the keyboard + and -, the arrows, and 0 for all.' +
    (process.shortest > 0 ? ` Slices shorter than ${time(process.shortest)} are drawn with what is before them.` : ''), 'note');
  const lanes = new Lanes(process, canvas, under);
  all.addEventListener('click', () => lanes.show(0, process.ms));
  totals(main, process);
  forks(main, process);
}
