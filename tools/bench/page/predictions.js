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
  const overhead = report.overhead;
  if (!overhead) return;
  const at = section('9. Where the time of fib goes', overhead.text);
  table(at, ['part', 'instructions per fork', 'seconds', 'of T1'], overhead.parts.map(p =>
    [p.name, p.instructions === undefined ? '' : p.instructions.toFixed(1), p.seconds === undefined ? '' : seconds(p.seconds),
      p.fraction === undefined ? '' : `${(p.fraction * 100).toFixed(0)}%`]));
}
