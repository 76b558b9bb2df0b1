// What reducers cost: the figures of "Memory-mapping support for reducer hyperobjects" (SPAA 2012), measured here.

// Nanoseconds of one kind of updates, or undefined.
function updateTime(of, views, kind, places, workers) {
  const found = of.updates.find(u => u.views === views && u.kind === kind && u.places === places && u.workers === workers);
  return found && found.median_ns;
}

const nanoseconds = value => value === undefined ? '' : value.toFixed(2);
const quotient = (a, b) => a === undefined || b === undefined ? undefined : a / b;

function showReducers() {
  const of = report.reducers;
  if (!of) return;
  const at = section('Reducers',
    'The views of a strand are found by the slot of each reducer. Where the report was made by a build with the library\'s variants, a hash map of ' +
    'views per strand, the usual way, is beside it. add-n, min-n and max-n update n reducers in turn in a loop whose halves are forked; ' +
    `${count(of.updates_per_run)} updates in each run, medians of ${of.repeats} runs. The figures are numbered as those of the paper.`);
  table(at, ['n from 4 to 1,024, least times', 'measured', 'wanted'], of.bars.map(bar =>
    [bar.what, {text: ratio(bar.measured), className: bar.holds ? 'best' : 'over'}, `${bar.at_most ? 'at most' : 'at least'} ${bar.bar}`]));
  const row = plots(at);
  const places = [...new Set(of.updates.filter(u => u.kind === 'add').map(u => u.places))].sort((a, b) => a - b);
  showLookup(at, row, of);
  showUpdates(at, row, of, places);
  showLookupOverhead(at, row, of, places);
  showReduceOverhead(at, row, of, places);
  showReducerSpeedups(at, row, of, places);
  showSearches(at, row, of);
}

// Figure 1.
function showLookup(at, row, of) {
  const plain = updateTime(of, 'slots', 'array', 4, 1);
  const ways = [['memory, a load and a store', plain], ['reducer, slots', updateTime(of, 'slots', 'add', 4, 1)],
    ['reducer, hash map', updateTime(of, 'hashed', 'add', 4, 1)], ['atomic addition', updateTime(of, 'slots', 'atomic', 4, 1)],
    ['spin lock', updateTime(of, 'slots', 'lock', 4, 1)]].filter(([, ns]) => ns !== undefined);
  at.append(element('p', 'Figure 1: additions to four places on one worker.'));
  table(at, ['way', 'ns', 'relative to memory'], ways.map(([name, ns]) => [name, nanoseconds(ns), ratio(ns / plain)]));
  bars(row, 'Figure 1: time of an addition relative to one in plain memory, four places.', ways.map(([name]) => name),
    [{label: 'relative time', values: ways.map(([, ns]) => ns / plain)}], 'relative to memory');
}

const viewKinds = of => of.has_hashed ? ['slots', 'hashed'] : ['slots'];
const viewTitle = views => views === 'slots' ? 'slots' : 'hash map';

// Figure 5.
function showUpdates(at, row, of, places) {
  const on = [...new Set([1, Math.max(...of.workers)])];
  const names = ['add', 'min', 'max'].flatMap(kind => places.map(n => [kind, n]));
  at.append(element('p', 'Figure 5: nanoseconds per update.'));
  table(at, ['', ...on.flatMap(w => [...viewKinds(of).map(v => `${viewTitle(v)}, P=${w}`), ...(of.has_hashed ? ['quotient'] : [])])],
    names.map(([kind, n]) => [`${kind}-${n}`, ...on.flatMap(w => {
      const times = viewKinds(of).map(v => updateTime(of, v, kind, n, w));
      return [...times.map(nanoseconds), ...(of.has_hashed ? [ratio(quotient(times[1], times[0]))] : [])];
    })]));
  for (const w of on) {
    bars(row, `Figure 5: time per update on ${w} worker${w === 1 ? '' : 's'}.`, names.map(([kind, n]) => `${kind}-${n}`),
      viewKinds(of).map(v => ({label: viewTitle(v), values: names.map(([kind, n]) => updateTime(of, v, kind, n, w))})), 'ns per update');
  }
}

// Figure 6: what add-n takes beyond the same loop over an array.
function showLookupOverhead(at, row, of, places) {
  const base = places.map(n => updateTime(of, 'slots', 'array', n, 1));
  const overhead = viewKinds(of).map(v => places.map((n, i) => updateTime(of, v, 'add', n, 1) - base[i]));
  at.append(element('p', 'Figure 6: what a lookup takes, on one worker: add-n less add-base-n, the same loop over an array.'));
  table(at, ['n', 'add-base-n, ns', ...viewKinds(of).flatMap(v => [`${viewTitle(v)}, ns`, 'times add-base-n'])], places.map((n, i) =>
    [String(n), nanoseconds(base[i]), ...overhead.flatMap(o => [nanoseconds(o[i]), ratio((o[i] + base[i]) / base[i])])]));
  bars(row, 'Figure 6: overhead of a lookup.', places.map(String),
    viewKinds(of).map((v, i) => ({label: viewTitle(v), values: overhead[i]})), 'ns per update');
}

// Figures 7 and 8.
function showReduceOverhead(at, row, of, places) {
  if (!of.overheads.length) return;
  const find = (views, n) => of.overheads.find(o => o.views === views && o.places === n);
  const activities = of.overheads.map(o => o.activities.map(a => a.name)).find(a => a.length) || [];
  const part = (views, n, name) => {
    const found = find(views, n).activities.find(a => a.name === name);
    return found && found.samples_us.length ? found.us_per_steal : undefined;
  };
  const sum = (views, n) => activities.reduce((total, name) => total + (part(views, n, name) || 0), 0);
  at.append(element('p', `Figures 7 and 8: what a steal costs add-n on ${Math.max(...of.workers)} workers, microseconds. A build of its own takes the time of ` +
    'views\' creation and insertion, of the transfer of sets, and of their merges with all reductions; what the clock itself takes is subtracted.'));
  table(at, ['n', 'views', 'steals', ...activities, 'all'], places.flatMap(n => viewKinds(of).map(v => [String(n), viewTitle(v),
    count(find(v, n).steals), ...activities.map(name => nanoseconds(part(v, n, name))), nanoseconds(sum(v, n))])));
  bars(row, 'Figure 7: reduce overhead per steal.', places.map(String),
    viewKinds(of).map(v => ({label: viewTitle(v), values: places.map(n => sum(v, n))})), 'us per steal', 'logarithmic');
  stacked(row, 'Figure 8: the same with slots, by activity.', places.map(String),
    activities.map(name => ({label: name, values: places.map(n => part('slots', n, name))})), 'us per steal');
}

// Figure 9.
function showReducerSpeedups(at, row, of, places) {
  const speedup = (n, w) => quotient(updateTime(of, 'slots', 'add', n, 1), updateTime(of, 'slots', 'add', n, w));
  at.append(element('p', 'Figure 9: speedups of add-n over one worker.'));
  table(at, ['n', ...of.workers.map(w => `P=${w}`)], places.map(n => [String(n), ...of.workers.map(w => ratio(speedup(n, w)))]));
  curves(row, 'Figure 9: speedup of add-n.', places.map(n => (
    {label: `add-${n}`, line: true, points: of.workers.map(w => ({x: w, y: speedup(n, w)}))})), 'workers', 'T1 / TP');
}

// Figure 10.
function showSearches(at, row, of) {
  const time = (s, views, w) => {
    const found = s.times.find(t => t.views === views && t.workers === w);
    return found && found.median_seconds;
  };
  at.append(element('p', 'Figure 10: parallel breadth-first search with bags as reducers. Edges are counted each way; lookups are those of a run on one worker.'));
  table(at, ['graph', '|V|', '|E|', 'layers', 'reached', 'lookups', 'Ts',
    ...of.workers.flatMap(w => [`T${w}`, w === 1 ? 'T1/Ts' : `Ts/T${w}`, ...(of.has_hashed ? [`T${w}, slots / hash map`] : [])])],
  of.searches.map(s => [s.graph, count(s.vertices), count(s.edges), count(s.layers), count(s.reached), count(s.lookups), seconds(s.serial_seconds),
    ...of.workers.flatMap(w => {
      const slots = time(s, 'slots', w);
      return [seconds(slots), ratio(w === 1 ? slots / s.serial_seconds : s.serial_seconds / slots),
        ...(of.has_hashed ? [ratio(quotient(slots, time(s, 'hashed', w)))] : [])];
    })]));
  if (!of.has_hashed) return;
  bars(row, 'Figure 10: time with slots relative to that with a hash map.', of.searches.map(s => s.graph), of.workers.map(w => (
    {label: `P=${w}`, values: of.searches.map(s => quotient(time(s, 'slots', w), time(s, 'hashed', w)))})), 'slots / hash map');
}
