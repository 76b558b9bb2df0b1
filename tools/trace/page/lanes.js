// The drawing: how many workers did what over time, then a lane for each worker, with an arc for each steal.
// A wheel or + and - zoom, dragging or the arrow keys move, 0 shows all.

const colours = {0: '#1a7f5a', 1: '#e0a526', 2: '#d5dbe0'};
const laneHeight = 22, laneGap = 12, plotHeight = 90, left = 150, axisHeight = 22;

function laneTop(i) { return axisHeight + plotHeight + 16 + i * (laneHeight + laneGap); }

class Lanes {
  constructor(process, canvas, under) {
    Object.assign(this, {process, canvas, under, from: 0, to: Math.max(process.ms, 1e-6)});
    this.height = laneTop(process.lanes.length) + 8;
    canvas.style.height = `${this.height}px`;
    canvas.tabIndex = 0;
    canvas.addEventListener('wheel', e => { e.preventDefault(); this.zoom(Math.exp(e.deltaY * 0.0015), this.timeAt(e.offsetX)); },
      {passive: false});
    canvas.addEventListener('pointerdown', e => { this.grabbed = {x: e.offsetX, from: this.from, to: this.to};
      canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', () => { this.grabbed = null; });
    canvas.addEventListener('pointermove', e => this.point(e));
    canvas.addEventListener('pointerleave', () => { under.textContent = ''; });
    canvas.addEventListener('keydown', e => this.key(e));
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  get width() { return Math.max(1, this.canvas.clientWidth - left - 8); }
  timeAt(x) { return this.from + (x - left) / this.width * (this.to - this.from); }
  xOf(ms) { return left + (ms - this.from) / (this.to - this.from) * this.width; }

  show(from, to) {
    const whole = this.process.ms, least = Math.min(whole, 0.001);
    const span = Math.min(whole, Math.max(least, to - from));
    this.from = Math.min(Math.max(0, from), whole - span);
    this.to = this.from + span;
    this.draw();
  }

  zoom(by, about) { this.show(about - (about - this.from) * by, about + (this.to - about) * by); }

  key(e) {
    const middle = (this.from + this.to) / 2, step = (this.to - this.from) / 8;
    const moves = {'+': () => this.zoom(0.7, middle), '=': () => this.zoom(0.7, middle), '-': () => this.zoom(1.4, middle),
      ArrowLeft: () => this.show(this.from - step, this.to - step), ArrowRight: () => this.show(this.from + step, this.to + step),
      0: () => this.show(0, this.process.ms)};
    if (moves[e.key]) { e.preventDefault(); moves[e.key](); }
  }

  point(e) {
    if (this.grabbed) {
      const moved = (this.grabbed.x - e.offsetX) / this.width * (this.grabbed.to - this.grabbed.from);
      this.show(this.grabbed.from + moved, this.grabbed.to + moved);
      return;
    }
    const i = this.process.lanes.findIndex((_, n) => e.offsetY >= laneTop(n) && e.offsetY < laneTop(n) + laneHeight);
    const at = this.timeAt(e.offsetX);
    const found = i < 0 || e.offsetX < left ? null : this.sliceAt(this.process.lanes[i].slices, at);
    this.under.textContent = found
      ? `${this.process.lanes[i].name}: ${this.process.names[found[3]]}, ${time(found[1] - found[0])} from ${time(found[0])}`
      : e.offsetX >= left ? time(at) : '';
  }

  // The last slice that began by then and has not ended: a sleep comes after the search that it is in.
  sliceAt(slices, at) {
    let i = firstAfter(slices, at) - 1;
    for (const end = Math.max(-1, i - 3); i > end; --i) if (slices[i][1] >= at) return slices[i];
    return null;
  }

  draw() {
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = this.canvas.clientWidth * scale;
    this.canvas.height = this.height * scale;
    const to = this.canvas.getContext('2d');
    to.scale(scale, scale);
    to.font = '12px system-ui, sans-serif';
    to.textBaseline = 'middle';
    this.drawAxis(to);
    this.drawUtilization(to);
    this.process.lanes.forEach((lane, i) => this.drawLane(to, lane, i));
    this.drawArcs(to);
  }

  drawAxis(to) {
    const step = niceStep((this.to - this.from) / Math.max(2, this.width / 110));
    to.fillStyle = '#5d6b66';
    to.strokeStyle = '#eef1ef';
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = this.xOf(at);
      to.beginPath(); to.moveTo(x, axisHeight - 4); to.lineTo(x, this.height); to.stroke();
      to.fillText(time(at), x + 3, axisHeight / 2);
    }
  }

  drawUtilization(to) {
    const {utilization, lanes, ms} = this.process, parts = utilization[0].length, most = lanes.length;
    const bottom = axisHeight + plotHeight, width = this.width * ms / (this.to - this.from) / parts;
    to.save();
    to.beginPath(); to.rect(left, axisHeight, this.width, plotHeight); to.clip();
    for (let i = 0; i < parts; ++i) {
      const x = this.xOf(i * ms / parts);
      if (x + width < left || x > left + this.width) continue;
      let y = bottom;
      for (const kind of [0, 1, 2]) {
        const height = utilization[kind][i] / most * plotHeight;
        to.fillStyle = colours[kind];
        to.fillRect(x, y - height, width + 0.5, height);
        y -= height;
      }
    }
    to.restore();
    to.fillStyle = '#1c2321';
    to.fillText('workers', 6, axisHeight + 8);
    to.fillStyle = '#5d6b66';
    to.fillText(`${most} at the top`, 6, axisHeight + 26);
  }

  drawLane(to, lane, i) {
    const y = laneTop(i);
    to.fillStyle = '#1c2321';
    to.fillText(lane.name, 6, y + laneHeight / 2, left - 12);
    to.save();
    to.beginPath(); to.rect(left, y, this.width, laneHeight); to.clip();
    let drawn = -1;
    for (let n = Math.max(0, firstAfter(lane.slices, this.from) - 3); n < lane.slices.length; ++n) {
      const [begin, end, kind, name] = lane.slices[n];
      if (begin > this.to) break;
      const x = this.xOf(begin), width = this.xOf(end) - x;
      if (width < 0.5 && x < drawn) continue;  // a pixel has one slice
      drawn = Math.ceil(x + width);
      to.fillStyle = colours[kind];
      to.fillRect(x, y, Math.max(width, 0.7), laneHeight);
      if (kind === 0 && width > 3) { to.fillStyle = 'rgba(255,255,255,.55)'; to.fillRect(x, y, 1, laneHeight); }
      if (width > 60) this.label(to, this.process.names[name], Math.max(x, left) + 5, y, Math.min(x + width, left + this.width), kind);
    }
    to.restore();
  }

  label(to, text, x, y, right, kind) {
    to.save();
    to.beginPath(); to.rect(x, y, Math.max(0, right - x - 4), laneHeight); to.clip();
    to.fillStyle = kind === 0 ? '#fff' : '#1c2321';
    to.fillText(text, x, y + laneHeight / 2);
    to.restore();
  }

  drawArcs(to) {
    const {arcs} = this.process;
    const shown = arcs.filter(arc => arc[0] >= this.from && arc[0] <= this.to);
    to.strokeStyle = `rgba(140, 40, 120, ${Math.min(0.8, Math.max(0.12, 60 / Math.max(1, shown.length)))})`;
    for (const [at, victim, thief] of shown) {
      const x = this.xOf(at), down = thief > victim;
      const y0 = laneTop(victim) + (down ? laneHeight : 0), y1 = laneTop(thief) + (down ? 0 : laneHeight);
      to.beginPath();
      to.moveTo(x, y0);
      to.quadraticCurveTo(x - Math.min(26, 8 + Math.abs(y1 - y0) / 3), (y0 + y1) / 2, x, y1);
      to.stroke();
    }
  }
}

// How many slices begin by then.
function firstAfter(slices, at) {
  let low = 0, high = slices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices[middle][0] <= at) low = middle + 1; else high = middle;
  }
  return low;
}

function niceStep(least) {
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map(n => n * power).find(n => n >= least) || least;
}

function time(ms) {
  const digits = value => Number(value.toPrecision(5)).toString();
  return ms >= 1000 ? `${digits(ms / 1000)} s` : ms >= 1 || ms === 0 ? `${digits(ms)} ms` : `${digits(ms * 1000)} µs`;
}
