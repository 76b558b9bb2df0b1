// What it costs to make latent forks stealable.

const waysTold = {signal: 'latent', poll: 'latent, no signals', eager: 'eager'};

function showPromotion() {
  const of = report.promotion;
  if (!of) return;
  const at = section('What a promotion costs',
    `Two workers, medians of ${of.repeats} rounds, each kind in processes of its own.` +
    (of.forks_are_latent ? '' : ' No fork was latent here.'));
  const us = value => value < 10 ? value.toFixed(2) : value.toFixed(0);
  const spread = one => [us(one.median), us(one.p95), us(one.most)];
  if (of.bars.length) {
    table(at, ['bar', 'measured', 'wanted'], of.bars.map(bar =>
      [bar.what, {text: ratio(bar.measured), className: bar.holds ? 'best' : 'over'}, `at most ${bar.at_most}`]));
  }
  at.append(element('p', 'A fork that a thief asks for, below so many latent ones, which are all promoted; microseconds.'));
  table(at, ['latent forks', 'first in a process', 'later', 'ns per fork'], of.walks.map(w =>
    [count(w.depth), us(w.first_us), us(w.later_us), w.ns_per_frame.toFixed(0)]));
  curves(plots(at), 'A walk and its promotions.', ['first', 'later'].map(which => (
    {label: which, line: true, points: of.walks.map(w => ({x: w.depth, y: w[`${which}_us`]}))})), 'latent forks', 'us', 'logarithmic');
  at.append(element('p', 'From a thief\'s wish to the first and to all of the 20 continuations below a leaf of 100 ms; microseconds.'));
  table(at, ['forks', 'first', '95%', 'most', 'all', '95%', 'most', 'wishes', 'stolen'], of.wishes.map(w =>
    [waysTold[w.way], ...spread(w.first_us), ...spread(w.all_us), count(w.wishes), count(w.stolen)]));
  at.append(element('p', 'A loop of leaves of 3 us, stolen from at each fork: until a child runs, and from its end to the next continuation; microseconds.'));
  table(at, ['forks', 'fork', '95%', 'steal', '95%'], of.demand.map(d =>
    [waysTold[d.way], us(d.fork_us.median), us(d.fork_us.p95), us(d.steal_us.median), us(d.steal_us.p95)]));
  at.append(element('p', 'Serial work that has nothing to give, beside a hungry thief: what interruptions take, signals or not, in the least of the rounds.'));
  table(at, ['work', 'forks', 'signals per second', 'lost'], of.quiet.map(q =>
    [q.cut ? 'below code without tables' : 'serial', waysTold[q.way], q.signals_per_second.toFixed(1), `${(q.lost_share * 100).toFixed(3)}%`]));
}
