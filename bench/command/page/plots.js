// Plots, by Chart.js where the page has it.

const colours = ['#1a7f5a', '#4563c4', '#c2571a', '#8a3fa8', '#b3261e', '#7a8b00', '#0f8b9d', '#6b6b6b', '#d9a406'];

// A place for a plot and what it says; false where there is nothing to draw it with.
function figure(parent, caption) {
  if (typeof Chart === 'undefined') return undefined;
  const made = element('figure');
  const canvas = element('canvas');
  const frame = element('div', undefined, 'canvas');
  frame.append(canvas);
  made.append(frame, element('figcaption', caption));
  parent.append(made);
  return canvas;
}

function plots(parent) {
  const made = element('div', undefined, 'plots');
  parent.append(made);
  return made;
}

function axis(title, kind) {
  return {
    type: kind || 'linear', title: {display: true, text: title},
    ...(kind === 'logarithmic' ? {ticks: {callback: value => Number.isInteger(Math.log10(value)) ||
      [2, 5].includes(value / 10 ** Math.floor(Math.log10(value))) ? value : ''}} : {beginAtZero: true})
  };
}

// Bars of several series side by side over the same labels.
function bars(parent, caption, labels, series, yTitle, kind) {
  const canvas = figure(parent, caption);
  if (!canvas) return;
  new Chart(canvas, {
    type: 'bar',
    data: {labels, datasets: series.map((one, i) => (
      {label: one.label, data: one.values, backgroundColor: colours[i % colours.length]}))},
    options: {animation: false, maintainAspectRatio: false, scales: {y: axis(yTitle, kind)},
      plugins: {legend: {display: series.length > 1}}}
  });
}

// One bar for each label, its parts on top of each other.
function stacked(parent, caption, labels, series, yTitle) {
  const canvas = figure(parent, caption);
  if (!canvas) return;
  new Chart(canvas, {
    type: 'bar',
    data: {labels, datasets: series.map((one, i) => (
      {label: one.label, data: one.values, backgroundColor: colours[i % colours.length]}))},
    options: {animation: false, maintainAspectRatio: false, scales: {x: {stacked: true}, y: {...axis(yTitle), stacked: true}}}
  });
}

// Points and lines over numbers: series of {label, points: [{x, y}], line, dashed}.
function curves(parent, caption, series, xTitle, yTitle, kind) {
  const canvas = figure(parent, caption);
  if (!canvas) return;
  new Chart(canvas, {
    type: 'scatter',
    data: {datasets: series.map((one, i) => ({
      label: one.label, data: one.points, showLine: Boolean(one.line), pointRadius: one.line ? 0 : 3,
      borderColor: one.colour || colours[i % colours.length], backgroundColor: one.colour || colours[i % colours.length],
      borderDash: one.dashed ? [6, 4] : [], borderWidth: 2}))},
    options: {animation: false, maintainAspectRatio: false, scales: {x: axis(xTitle, kind), y: axis(yTitle, kind)}}
  });
}
