// Runs the script of a page with as much of a document as it asks for, and prints what it made.
// Usage: node page_dom.js PAGE
const fs = require('fs');
const page = fs.readFileSync(process.argv[2], 'utf8');

class Node {
  constructor(name) { Object.assign(this, {name, attributes: {}, children: [], own: ''}); }
  set textContent(text) { this.own = String(text); }
  get textContent() { return this.own + this.children.map(c => typeof c === 'string' ? c : c.textContent).join(''); }
  append(...more) { this.children.push(...more); }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  all() { return [this, ...this.children.flatMap(c => typeof c === 'string' ? [] : c.all())]; }
}
const places = {main: new Node('main'), where: new Node('p'), report: new Node('script')};
places.report.textContent = page.match(/<script id="report"[^>]*>([^]*?)<\/script>/)[1];
globalThis.document = {createElement: name => new Node(name), createElementNS: (_, name) => new Node(name), getElementById: id => places[id]};
new Function(page.match(/<script>([^]*?)<\/script>/)[1])();

const nodes = places.main.all();
const of = name => nodes.filter(n => n.name === name);
console.log(JSON.stringify({
  headings: of('h2').map(n => n.textContent),
  captions: of('figcaption').map(n => n.textContent),
  drawings: of('svg').map(n => n.all().filter(m => ['rect', 'polyline', 'circle'].includes(m.name)).length),
  marks: nodes.filter(n => n.attributes.class === 'one').length,
  errors: nodes.filter(n => n.attributes.class === 'error').length,
  legends: of('svg').flatMap(n => n.all()).filter(n => n.name === 'text').map(n => n.textContent),
  wrong: nodes.flatMap(n => Object.entries(n.attributes)).filter(([, value]) => /NaN|undefined|Infinity/.test(value)),
}));
