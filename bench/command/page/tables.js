// Elements and numbers, as the page's sections use them.
'use strict';

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Three to four digits whatever the magnitude.
function seconds(value) {
  if (value >= 1) return value.toFixed(3) + ' s';
  if (value >= 1e-3) return (value * 1e3).toPrecision(3) + ' ms';
  return (value * 1e6).toPrecision(3) + ' us';
}

function ratio(value) {
  if (value === undefined) return '';
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

const count = value => value === undefined ? '' : Math.round(value).toLocaleString('en');

let sections = 0;

// A section with its heading, numbered and what it shows; returns it.
function section(title, text) {
  const made = element('section');
  made.append(element('h2', `${++sections}. ${title}`));
  if (text) made.append(element('p', text));
  document.getElementById('main').append(made);
  return made;
}

// A cell is text, or {text, className, note}.
function table(parent, heading, rows) {
  const made = element('table');
  const head = element('tr');
  for (const cell of heading) head.append(element('th', cell));
  made.append(head);
  for (const row of rows) {
    const line = element('tr');
    for (const cell of row) {
      const plain = typeof cell !== 'object';
      const at = element('td', plain ? cell : cell.text, plain ? '' : cell.className);
      if (!plain && cell.note) at.append(' ', element('small', cell.note));
      line.append(at);
    }
    made.append(line);
  }
  const scroll = element('div', undefined, 'scroll');
  scroll.append(made);
  parent.append(scroll);
}

// The column of a program with this variant, peer and number of workers, or undefined.
function column(program, variant, peer, workers) {
  return program.columns.find(c => c.variant === variant && c.peer === peer && c.workers === workers);
}

const own = (program, workers) => column(program, 'parallel', '', workers);
const elided = program => column(program, 'elided', '', 0);
const plain = program => column(program, 'plain', '', 0);
const relative = (program, of) => of && of.median_seconds / program.serial_seconds;
