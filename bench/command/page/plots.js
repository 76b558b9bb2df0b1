// Plots, drawn as SVG.

const colours = ['#1a7f5a', '#4563c4', '#c2571a', '#8a3fa8', '#b3261e', '#7a8b00', '#0f8b9d', '#6b6b6b', '#d9a406'];
const frame = {width: 620, height: 340, left: 56, right: 608, top: 12, bottom: 250};

function plots(parent) {
  const made = element('div', undefined, 'plots');
  parent.append(made);
  return made;
}

function drawn(parent, name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function figure(parent, caption) {
  const made = element('figure');
  const svg = drawn(made, 'svg', {viewBox: `0 0 ${frame.width} ${frame.height}`, role: 'img', 'aria-label': caption});
  made.append(element('figcaption', caption));
  parent.append(made);
  return svg;
}

const usable = (value, kind) => Number.isFinite(value) && (kind !== 'logarithmic' || value > 0);

// Maps values to places from `from` to `to`, and has the values to mark.
function scale(values, kind, from, to) {
  const good = values.filter(value => usable(value, kind));
  if (!good.length) good.push(1);
  const marks = [];
  if (kind === 'logarithmic') {
    const steps = [1, 2, 5].flatMap(digit => Array.from({length: 31}, (_, i) => digit * 10 ** (i - 15))).sort((a, b) => a - b);
    const low = steps.filter(step => step <= Math.min(...good) * 1.0001).pop();
    const high = steps.find(step => step >= Math.max(...good) * 0.9999 && step > low);
    const within = steps.filter(step => step >= low && step <= high);
    marks.push(...(within.length > 10 ? within.filter(step => String(step.toExponential())[0] === '1') : within));
    const place = value => from + (to - from) * Math.log(value / low) / Math.log(high / low);
    return {place, marks, base: low};
  }
  const most = Math.max(...good, 1e-12);
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [0.1, 0.2, 0.5, 1].map(part => part * unit * 2).find(size => most / size <= 8);
  for (let i = 0; i * step < most * 1.0001 + step; ++i) marks.push(i * step);
  return {place: value => from + (to - from) * value / marks[marks.length - 1], marks, base: 0};
}

const shortly = value => value >= 1e5 || (value && value < 1e-3) ? value.toExponential(0) : String(Number(value.toPrecision(3)));

function axes(svg, y, yTitle, x, xTitle) {
  for (const mark of y.marks) {
    drawn(svg, 'line', {x1: frame.left, x2: frame.right, y1: y.place(mark), y2: y.place(mark), class: 'grid'});
    drawn(svg, 'text', {x: frame.left - 5, y: y.place(mark) + 4, 'text-anchor': 'end'}, shortly(mark));
  }
  drawn(svg, 'text', {x: -(frame.top + frame.bottom) / 2, y: 12, transform: 'rotate(-90)', 'text-anchor': 'middle'}, yTitle);
  if (!x) return;
  for (const mark of x.marks) drawn(svg, 'text', {x: x.place(mark), y: frame.bottom + 16, 'text-anchor': 'middle'}, shortly(mark));
  drawn(svg, 'text', {x: (frame.left + frame.right) / 2, y: frame.bottom + 34, 'text-anchor': 'middle'}, xTitle);
}

function legend(svg, series) {
  let [x, y] = [frame.left, frame.height - 26];
  for (const one of series) {
    const width = 26 + one.label.length * 6.2;
    if (x + width > frame.right && x > frame.left) [x, y] = [frame.left, y + 14];
    drawn(svg, 'rect', {x, y: y - 8, width: 10, height: 8, fill: one.colour});
    drawn(svg, 'text', {x: x + 14, y}, one.label);
    x += width;
  }
  svg.setAttribute('viewBox', `0 0 ${frame.width} ${Math.max(frame.height, y + 12)}`);
}

const coloured = series => series.map((one, i) => ({...one, colour: one.colour || colours[i % colours.length]}));

// The half of the middle half of the samples that lies to either side, as a fraction: `spreads`, where a series has them.
function error(svg, x, y, value, spread) {
  if (!spread) return;
  const [low, high] = [Math.max(value * (1 - spread), y.base), value * (1 + spread)].map(y.place);
  drawn(svg, 'path', {d: `M${x - 2} ${low}h4m-2 0V${high}m-2 0h4`, class: 'error'});
}

// Bars of several series side by side over the same labels: {label, values, spreads}. `line`: a value to mark across.
function bars(parent, caption, labels, given, yTitle, kind, line) {
  const series = coloured(given);
  const svg = figure(parent, caption);
  const all = series.flatMap(one => one.values.flatMap((value, i) => [value, value * (1 + (one.spreads && one.spreads[i] || 0))]));
  const y = scale(line === undefined ? all : [...all, line], kind, frame.bottom, frame.top);
  axes(svg, y, yTitle);
  const room = (frame.right - frame.left) / labels.length;
  const width = room * 0.8 / series.length;
  labels.forEach((label, i) => {
    const x = frame.left + room * i + room * 0.1;
    series.forEach((one, k) => {
      const value = one.values[i];
      if (!usable(value, kind)) return;
      const [top, bottom] = [y.place(value), y.place(y.base)];
      const bar = drawn(svg, 'rect', {x: x + width * k, y: top, width: Math.max(width - 0.5, 0.5), height: Math.max(bottom - top, 0),
        fill: one.colour});
      drawn(bar, 'title', {}, `${label}, ${one.label}: ${shortly(value)}`);
      error(svg, x + width * (k + 0.5), y, value, one.spreads && one.spreads[i]);
    });
    drawn(svg, 'text', {transform: `translate(${x + room * 0.4} ${frame.bottom + 12}) rotate(-40)`, 'text-anchor': 'end'}, label);
  });
  if (line !== undefined) drawn(svg, 'line', {x1: frame.left, x2: frame.right, y1: y.place(line), y2: y.place(line), class: 'one'});
  if (series.length > 1) legend(svg, series);
}

// One bar for each label, its parts on top of each other.
function stacked(parent, caption, labels, given, yTitle) {
  const series = coloured(given);
  const svg = figure(parent, caption);
  const parts = i => series.map(one => one.values[i] || 0);
  const y = scale(labels.map((_, i) => parts(i).reduce((a, b) => a + b, 0)), 'linear', frame.bottom, frame.top);
  axes(svg, y, yTitle);
  const room = (frame.right - frame.left) / labels.length;
  labels.forEach((label, i) => {
    const x = frame.left + room * (i + 0.1);
    let below = 0;
    parts(i).forEach((value, k) => {
      drawn(svg, 'rect', {x, y: y.place(below + value), width: room * 0.8, height: y.place(below) - y.place(below + value),
        fill: series[k].colour});
      below += value;
    });
    drawn(svg, 'text', {x: x + room * 0.4, y: frame.bottom + 16, 'text-anchor': 'middle'}, label);
  });
  legend(svg, series);
}

// Points and lines over numbers: series of {label, points: [{x, y, spread}], line, dashed}.
function curves(parent, caption, given, xTitle, yTitle, kind) {
  const series = coloured(given);
  const svg = figure(parent, caption);
  const points = series.flatMap(one => one.points).filter(p => usable(p.x, kind) && usable(p.y, kind));
  const x = scale(points.map(p => p.x), kind, frame.left, frame.right);
  const y = scale(points.flatMap(p => [p.y, p.y * (1 + (p.spread || 0))]), kind, frame.bottom, frame.top);
  axes(svg, y, yTitle, x, xTitle);
  for (const one of series) {
    const good = one.points.filter(p => usable(p.x, kind) && usable(p.y, kind));
    if (one.line) {
      drawn(svg, 'polyline', {points: good.map(p => `${x.place(p.x)},${y.place(p.y)}`).join(' '), fill: 'none', stroke: one.colour,
        'stroke-width': 1.6, 'stroke-dasharray': one.dashed ? '6 4' : 'none'});
    } else {
      for (const p of good) drawn(svg, 'circle', {cx: x.place(p.x), cy: y.place(p.y), r: 2.5, fill: one.colour});
    }
    for (const p of good) error(svg, x.place(p.x), y, p.y, p.spread);
  }
  legend(svg, series);
}
