// Sections whose data comes from other measurements than the timed runs.

function showKnary() {
  const knary = report.knary;
  if (!knary) return;
  const {fit_measured: fit} = knary;
  const at = section('knary: speedup against parallelism',
    'Trees of known work T1 and span T∞. Both axes are divided by the parallelism T1/T∞, so that the bounds P and T1/T∞ are the two lines ' +
    `that meet at 1. Fit of T_P = c1 T1/P + c∞ T∞ with least relative error to the ${fit.points} measured points: c1 = ${fit.work_constant.toFixed(3)}, ` +
    `c∞ = ${fit.span_constant.toFixed(3)}, R² = ${fit.r_squared.toFixed(4)}, mean relative error ${(fit.mean_relative_error * 100).toFixed(1)}%.`);
  const place = p => ({x: p.machine_size, y: p.speedup});
  const of = predicted => knary.points.filter(p => p.predicted === predicted).map(place);
  const xs = knary.points.map(p => p.machine_size);
  const [low, high] = [Math.min(...xs), Math.max(...xs, 1)];
  curves(plots(at), 'Normalized speedup. Points on more workers than this machine has are predictions of the simulation.', [
    {label: 'measured', points: of(false)}, {label: 'predicted', points: of(true)},
    {label: 'linear speedup', line: true, dashed: true, colour: '#888', points: [{x: low, y: low}, {x: 1, y: 1}]},
    {label: 'no more than the parallelism', line: true, dashed: true, colour: '#444', points: [{x: 1, y: 1}, {x: high, y: 1}]}],
  'normalized machine size P / (T1/T∞)', 'normalized speedup (T1/T_P) / (T1/T∞)', 'logarithmic');
}

function showPredictions() {
  const simulation = report.simulation;
  if (!simulation) return;
  const at = section('Beyond this machine');
  at.append(element('p', 'Predictions, not measurements: a simulation of the scheduler on recorded fork-join graphs, with costs measured on this machine. ' +
    'Caches, memory bandwidth and distance between sockets are not modelled, most of it in favour of the prediction.', 'prediction'));
  const {programs: simulated, validations} = simulation;
  const counts = simulated.length ? simulated[0].predictions.map(p => p.workers) : [];
  table(at, ['predicted', 'size', 'T1', 'T∞', 'parallelism', ...counts.map(w => `Ts/T${w}`)], simulated.map(p =>
    [p.program, count(p.size), seconds(p.work_seconds), seconds(p.span_seconds), ratio(p.parallelism),
      ...p.predictions.map(q => ratio(q.speedup_median))]));
  const linear = {label: 'linear', line: true, dashed: true, colour: '#888', points: counts.map(w => ({x: w, y: w}))};
  curves(plots(at), 'Predicted speedup over the serial elision at the recorded sizes.', [...simulated.map(p => (
    {label: p.program, line: true, points: p.predictions.map(q => ({x: q.workers, y: q.speedup_median}))})), linear],
  'workers', 'Ts / T_P', 'logarithmic');
  at.append(element('p', 'Predicted and measured on this machine:'));
  table(at, ['program', 'workers', 'measured', 'predicted', 'error'], validations.map(v =>
    [v.program, v.workers, seconds(v.measured_seconds), seconds(v.predicted_seconds), `${(v.error * 100).toFixed(1)}%`]));
  at.append(element('p', 'Costs measured on this machine:'));
  table(at, ['step', 'ns'], Object.entries(simulation.costs_ns).map(([name, ns]) => [name.replaceAll('_', ' '), ns.toFixed(1)]));
}

function showOverhead() {
  const steps = report.fork_steps;
  if (!steps) return;
  const at = section('Where the time of an eager fork goes',
    'Fibonacci numbers on one thread with ever more of an eager fork and its join done, nanoseconds per fork; least of many short runs. ' +
    'The steps overlap in the processor, so what one adds depends on those before.');
  const serial = steps[0].seconds;
  table(at, ['step', 'ns per fork', 'added', 'times serial'], steps.map((s, i) =>
    [s.name, (s.seconds * 1e9).toFixed(2), i === 0 ? '' : ((s.seconds - steps[i - 1].seconds) * 1e9).toFixed(2), ratio(s.seconds / serial)]));
  bars(plots(at), 'The same.', steps.map(s => s.name), [{label: 'ns', values: steps.map(s => s.seconds * 1e9)}], 'ns per fork');
}
