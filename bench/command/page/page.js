// The sections of the page, each drawn if the report has what it shows.

const report = JSON.parse(document.getElementById('report').textContent);
const programs = report.programs;
const workers = report.workers;
const most = Math.max(...workers);
const names = programs.map(p => p.name);
const peers = report.peers.filter(p => !p.is_variant);
const variants = report.peers.filter(p => p.is_variant);

function showWhere() {
  const {machine, build} = report;
  document.getElementById('where').textContent =
    `${machine.cpu}, ${machine.cores} processors, ${machine.kernel}. Nopal ${build.version} at ${build.commit || 'no commit'}, ` +
    `${build.compiler} ${build.flags}. ${report.date}. Medians of ${report.repeats} interleaved runs, each in a process of its own; ` +
    `Ts is the serial elision of the same text, or a serial function with one real call per node where a fork's cost is measured.` +
    (report.interrupted_by ? ` Ended by ${report.interrupted_by}: what had been measured by then is here.` : '');
}

const timed = of => of ? {text: seconds(of.median_seconds), note: `±${(of.spread * 100).toFixed(0)}%`} : '';

function showTimes() {
  const at = section('Time and speedup');
  table(at, ['program', 'size', 'grain', 'Ts', 'Ts, plain calls', ...workers.flatMap(w =>
    [`T${w}`, w === 1 ? 'T1/Ts' : `Ts/T${w}`])],
  programs.map(p => [p.name, count(p.size), p.grain ? count(p.grain) : '', timed(elided(p)), timed(plain(p)),
    ...workers.flatMap(w => {
      const times = relative(p, own(p, w));
      return [timed(own(p, w)), ratio(w === 1 ? times : times && 1 / times)];
    })]));
  const row = plots(at);
  if (workers.includes(1)) {
    bars(row, 'The price of forks that nobody steals: T1/Ts.', names,
      [{label: 'T1/Ts', values: programs.map(p => relative(p, own(p, 1))), spreads: programs.map(p => own(p, 1).spread)}],
      'T1 / Ts', 'linear', 1);
  }
  bars(row, `Speedup on ${most} workers over the serial program: Ts/T${most}.`, names,
    [{label: `Ts/T${most}`, values: programs.map(p => 1 / relative(p, own(p, most))), spreads: programs.map(p => own(p, most).spread)}],
    `Ts / T${most}`, 'linear', 1);
  if (workers.length > 1) {
    const speedup = p => workers.map(w => ({x: w, y: 1 / relative(p, own(p, w)), spread: own(p, w).spread}));
    curves(row, 'Measured speedup against the number of workers P.', [
      ...programs.map(p => ({label: p.name, line: true, points: speedup(p)})),
      {label: 'linear', line: true, dashed: true, colour: '#888', points: workers.map(w => ({x: w, y: w}))}],
    'P', 'Ts / T_P', 'logarithmic');
  }
  at.append(element('p', 'The short lines are half the distance between the quartiles to either side; the line across is 1, the serial program.', 'note'));
}

// Time over Ts of Nopal and every peer on `count` workers; the best is marked.
// Ratios to Ts for each number of workers; the best of a row stands out.
function ratioTables(at, first, others) {
  for (const w of workers) {
    table(at, [`T${w}/Ts`, first, ...others.map(o => o.name)], ratioRows(w, others));
    at.append(element('p', ''));
  }
}

function ratioRows(count, others) {
  return programs.map(p => {
    const values = [own(p, count), ...others.map(o => column(p, 'peer', o.name, count))].map(c => relative(p, c));
    const best = Math.min(...values.filter(v => v !== undefined));
    return [p.name, ...values.map(v => v === undefined ? '' : {text: ratio(v), className: v <= best * 1.005 ? 'best' : ''})];
  });
}

function showPeers() {
  if (!peers.length) return;
  const at = section('Against other libraries',
    'Time as a multiple of Ts: less is better. Same algorithm, same cut-off, same number of threads, runs interleaved.');
  ratioTables(at, 'Nopal', peers);
  const row = plots(at);
  for (const w of workers) {
    const of = peer => ({label: peer.title, values: programs.map(p => relative(p, column(p, 'peer', peer.name, w))),
      spreads: programs.map(p => (column(p, 'peer', peer.name, w) || {}).spread)});
    bars(row, `Time on ${w} worker${w === 1 ? '' : 's'} as a multiple of Ts, on a logarithmic scale.`, names,
      [{label: 'Nopal', values: programs.map(p => relative(p, own(p, w))), spreads: programs.map(p => own(p, w).spread)},
        ...peers.map(of)], `T${w} / Ts`, 'logarithmic', 1);
  }
  showLosses(at);
  for (const p of peers) at.append(element('p', `${p.name}: ${p.title} ${p.version}; ${p.idiom}; ${p.compiler}.`, 'note'));
}

function showLosses(at) {
  const losses = [];
  for (const p of programs) {
    for (const w of workers) {
      for (const o of peers) {
        const [mine, theirs] = [own(p, w), column(p, 'peer', o.name, w)];
        if (mine && theirs && theirs.median_seconds < mine.median_seconds * 0.99) {
          losses.push([p.name, w, o.title, ratio(mine.median_seconds / theirs.median_seconds),
            `±${((mine.spread + theirs.spread) * 100).toFixed(0)}%`]);
        }
      }
    }
  }
  at.append(element('p', losses.length ? 'Where Nopal is slower by more than a hundredth:' :
    'Nowhere is Nopal slower by more than a hundredth.'));
  if (losses.length) table(at, ['program', 'workers', 'faster', 'by a factor of', 'spread of both'], losses);
}

function showCounts() {
  const at = section('What the scheduler did', `On ${most} workers; the largest counts of the repeats, page faults a median.`);
  table(at, ['program', 'steals', 'suspensions', 'forced publishes', 'pages given back', 'page faults'],
    programs.map(p => {
      const of = own(p, most);
      return [p.name, ...['steals', 'suspensions', 'forced_publishes', 'pages_reclaimed', 'page_faults'].map(k => count(of[k]))];
    }));
}

function showSpace() {
  const at = section('Stack space',
    `D: how deeply forks nest. S1: stack pages of the serial program. S_P: the most stack pages resident at once on ${most} workers, ` +
    'counted while running. The bound is P (S1 + D); the lazy policy may keep unused pages besides, as a rule at most 4 P S1 and 112 P.');
  const budget = p => p.page_bound + 4 * most * p.serial_stack_pages + 112 * most;
  table(at, ['program', 'D', 'S1', 'S1 + D', `S_P`, 'S_P / P', 'P (S1 + D)', 'with the lazy budget'], programs.map(p => {
    const bound = budget(p);
    return [p.name, count(p.fork_depth), count(p.serial_stack_pages), count(p.fork_depth + p.serial_stack_pages),
      {text: count(p.most_stack_pages), className: p.most_stack_pages > bound ? 'over' : ''},
      ratio(p.most_stack_pages / most), count(p.page_bound), count(bound)];
  }));
  bars(plots(at), 'Stack pages against the bound.', names,
    [{label: 'S_P', values: programs.map(p => p.most_stack_pages)}, {label: 'P (S1 + D)', values: programs.map(p => p.page_bound)},
      {label: 'with the lazy budget', values: programs.map(budget)}],
    'pages', 'logarithmic');
}

function showMemory() {
  const at = section('Memory of the process',
    `The most resident during the run less what was resident before it, KiB, on ${most} workers; and stacks in use at once.`);
  table(at, ['program', 'serial', 'Nopal', ...peers.map(p => p.name), 'stacks'], programs.map(p =>
    [p.name, elided(p), own(p, most), ...peers.map(o => column(p, 'peer', o.name, most))]
      .map((c, i) => i === 0 ? c : count(c && c.resident_growth_kib)).concat(count(own(p, most).stacks))));
}

function showVariants() {
  if (!variants.length) return;
  const at = section('Eager forks, other deques, joins and reclaim policies',
    'Time as a multiple of Ts. The ordinary library is the first column; the others are built or set for comparison only.');
  ratioTables(at, 'ordinary', variants);
  at.append(element('p', `Steals, stack pages given back to the system, and page faults, on ${most} workers.`));
  const counts = c => c ? ['steals', 'pages_reclaimed', 'page_faults'].map(k => count(c[k])).join(' / ') : '';
  table(at, ['program', 'ordinary', ...variants.map(v => v.name)], programs.map(p =>
    [p.name, counts(own(p, most)), ...variants.map(v => counts(column(p, 'peer', v.name, most)))]));
  for (const v of variants) at.append(element('p', `${v.name}: ${v.title}; ${v.compiler}.`, 'note'));
}

showWhere();
if (programs.length) {
  showTimes();
  showPeers();
  showCounts();
  showSpace();
  showMemory();
  showVariants();
}
showKnary();
showPredictions();
showOverhead();
showPromotion();
showReducers();
