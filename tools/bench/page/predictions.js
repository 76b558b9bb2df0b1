// Sections whose data comes from other measurements than the timed runs.

function showKnary() {
  const knary = report.knary;
  if (!knary) return;
  const at = section('7. knary: speedup against parallelism',
    `Trees of known work T1 and span T∞. Both axes are divided by the parallelism T1/T∞, so that the bounds P and T1/T∞ are the two lines ` +
    `that meet at 1. Fit of T_P = c1 T1/P + c∞ T∞ with least relative error: c1 = ${knary.fit.c1.toFixed(3)}, ` +
    `c∞ = ${knary.fit.cinf.toFixed(3)}, R² = ${knary.fit.r2.toFixed(4)}, mean relative error ${(knary.fit.error * 100).toFixed(1)}%.`);
  const xs = knary.points.map(p => p.x);
  const [low, high] = [Math.min(...xs, 0.01), Math.max(...xs, 10)];
  const series = [{label: 'measured', points: knary.points.map(({x, y}) => ({x, y}))}];
  if (knary.predictions) series.push({label: 'predicted', points: knary.predictions.map(({x, y}) => ({x, y}))});
  series.push({label: 'linear speedup', line: true, dashed: true, colour: '#888', points: [{x: low, y: low}, {x: 1, y: 1}]});
  series.push({label: 'span', line: true, dashed: true, colour: '#888', points: [{x: 1, y: 1}, {x: high, y: 1}]});
  curves(plots(at), 'Normalized speedup.', series, 'normalized machine size P / (T1/T∞)',
    'normalized speedup (T1/T_P) / (T1/T∞)', 'logarithmic');
}

function showPredictions() {
  const simulation = report.simulation;
  if (!simulation) return;
  const at = section('8. Beyond this machine');
  at.append(element('p', 'Predictions, not measurements: a simulation of the scheduler on recorded fork-join graphs, with costs measured on this machine.',
    'prediction'));
  if (simulation.validation) {
    table(at, ['program', 'workers', 'measured', 'predicted', 'error'], simulation.validation.map(v =>
      [v.program, v.workers, seconds(v.measured), seconds(v.predicted), `${((v.predicted / v.measured - 1) * 100).toFixed(1)}%`]));
    at.append(element('p', ''));
  }
  table(at, ['program', 'work T1', 'span T∞', 'parallelism'], simulation.programs.map(p =>
    [p.program, seconds(p.work), seconds(p.span), ratio(p.work / p.span)]));
  const linear = {label: 'linear', line: true, dashed: true, colour: '#888', points: [{x: 1, y: 1}, {x: 256, y: 256}]};
  curves(plots(at), 'Predicted speedup over one worker.', [...simulation.programs.map(p => (
    {label: p.program, line: true, points: p.predictions.map(q => ({x: q.workers, y: q.median}))})), linear],
  'workers', 'T1 / T_P', 'logarithmic');
  table(at, ['cost', 'on this machine'], Object.entries(simulation.costs).map(([name, s]) =>
    [name.replaceAll('_', ' '), seconds(s)]));
}

function showOverhead() {
  const steps = report.fork_steps;
  if (!steps) return;
  const at = section('9. Where the time of fib goes',
    'Fibonacci numbers on one thread with ever more of a fork and its join done, nanoseconds per fork; least of many short runs. ' +
    'The steps overlap in the processor, so what one adds depends on those before.');
  const serial = steps[0].seconds;
  table(at, ['step', 'ns per fork', 'added', 'times serial'], steps.map((s, i) =>
    [s.name, (s.seconds * 1e9).toFixed(2), i === 0 ? '' : ((s.seconds - steps[i - 1].seconds) * 1e9).toFixed(2), ratio(s.seconds / serial)]));
  bars(plots(at), 'The same.', steps.map(s => s.name), [{label: 'ns', values: steps.map(s => s.seconds * 1e9)}], 'ns per fork');
}
