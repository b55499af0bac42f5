// Draws the curves of the page: one frame a chart, steps or seconds from left to right.
'use strict';
const {runs, charts, moments} = JSON.parse(document.getElementById('curves').textContent);
const view = {x: 'steps', hidden: new Set(), log: new Set()};
const axes_of_x = {steps: 'step', seconds: 'seconds of training'};
const height = 244, left = 54, right = 10, top_ = 8, bottom = 38;  // pixels; the last four around the frame
const readout = document.getElementById('readout');

// element('p', {class: 'a'}, child...) and the same within an <svg>.
const make = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const element = (name, attributes = {}, ...children) => make(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  make(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

const shown = (chart) => chart.curves.filter((curve) => !view.hidden.has(curve.run));
const colors = 8;
// With several runs each has a color, and its tables have dashes; with one run, each table has a color.
const labels = (chart) => [...new Set(chart.curves.map((curve) => curve.label))];
const colored_by_label = (chart) => chart.stacked || runs.length === 1;
const color = (chart, curve) =>
  `var(--color-${(colored_by_label(chart) ? labels(chart).indexOf(curve.label) : curve.run) % colors})`;
const dash = (chart, label) => colored_by_label(chart) ? '' : ['', '6 3', '2 3', '9 3 2 3'][labels(chart).indexOf(label) % 4];
// Four digits that count, as in the tables: 0.25, 1000, 30,000, 3.4e6. Adding 0 makes -0 a 0.
const short = (number) => number !== 0 && (Math.abs(number) >= 1e6 || Math.abs(number) < 1e-3)
  ? number.toExponential(3).replace(/\.?0*e\+?/, 'e')
  : (number + 0).toLocaleString('en', {maximumSignificantDigits: 4, useGrouping: 'min2'});

// Round values from low to high, about `count` of them; with `log`, low and high are exponents of ten.
function ticks(low, high, count, log) {
  if (log && high - low < 2) {
    return [1, 2, 5].flatMap((digit) => [0, 1, 2].map((more) => Math.floor(low) + more + Math.log10(digit)))
      .filter((at) => at >= low && at <= high);
  }
  const power = 10 ** Math.floor(Math.log10((high - low) / count));
  const stride = [1, 2, 5, 10].map((digit) => digit * power).find((each) => (high - low) / each <= count) ?? power;
  const even = log ? Math.max(1, Math.ceil(stride)) : stride;
  const list = [];
  for (let at = Math.ceil(low / even) * even; at <= high + even * 1e-9; at += even) list.push(at);
  return list;
}

// Lowest and highest of the numbers; empty if there are none.
function extent(numbers) {
  let low = Infinity, high = -Infinity;
  for (const number of numbers) {
    if (number === null) continue;
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return low > high ? [] : [low, high];
}

// The same with room around a single value, never equal: values that differ only in their last digits are drawn as one.
function range(numbers) {
  const [low, high] = extent(numbers);
  if (low === undefined) return [0, 1];
  const room = Math.abs(low) * .05 || .5;
  const flat = high - low <= Math.max(Math.abs(low), Math.abs(high)) * 1e-12;  // ticks() would not end
  return flat ? [low - room, high + room] : [low, high];
}

// Maps values to pixels of a frame of this width.
function scales(chart, width) {
  const log = view.log.has(chart);
  const value = (number) => number === null || (log && !(number > 0)) ? null : log ? Math.log10(number) : number;
  const [first, last] = range(charts.flatMap(shown).flatMap((curve) => extent(curve[view.x])));
  let [low, high] = chart.stacked ? [0, 1] : range(shown(chart).flatMap((curve) => curve.values.map(value)));
  const room = chart.stacked ? 0 : (high - low) * .04;
  low -= room;
  high += room;
  const x = (number) => left + (number - first) / (last - first) * (width - left - right);
  const y = (number) => height - bottom - (number - low) / (high - low) * (height - top_ - bottom);
  return {log, value, first, last, low, high, x, y};
}

function axes(chart, width, scale) {
  const group = svg('g');
  for (const at of ticks(scale.low, scale.high, 5, scale.log)) {
    group.append(svg('path', {class: 'grid', d: `M${left} ${scale.y(at)}H${width - right}`}),
      svg('text', {x: left - 6, y: scale.y(at) + 4, 'text-anchor': 'end'}, short(scale.log ? 10 ** at : at)));
  }
  for (const at of ticks(scale.first, scale.last, Math.max(2, width / 80), false)) {
    const end = scale.x(at) > width - 30;
    group.append(svg('text', {x: end ? width - right : scale.x(at), y: height - 21, 'text-anchor': end ? 'end' : 'middle'},
      short(at)));
  }
  group.append(svg('text', {x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle'}, axes_of_x[view.x]));
  return group;
}

// Frequent events are ticks on the lower edge, resumes and stops are lines.
function marks(chart, scale) {
  const group = svg('g');
  const drawn = new Set(shown(chart).map((curve) => curve.run));
  moments.forEach((list, run) => {
    if (!drawn.has(run)) return;
    const stroke = runs.length > 1 ? `var(--color-${run % colors})` : 'var(--faint)';
    for (const moment of list) {
      const at = moment[view.x === 'steps' ? 'step' : 'seconds'];
      if (at < scale.first || at > scale.last) continue;
      const from = moment.frequent ? height - bottom - 5 : top_;
      group.append(svg('path', {class: moment.frequent ? 'save' : 'mark', stroke, d: `M${scale.x(at)} ${from}V${height - bottom}`},
        svg('title', {}, `${runs.length > 1 ? runs[run] + ': ' : ''}${moment.text}, step ${moment.step}`)));
    }
  });
  return group;
}

function lines(chart, scale) {
  const group = svg('g');
  for (const curve of shown(chart)) {
    const style = {stroke: color(chart, curve), 'stroke-dasharray': dash(chart, curve.label)};
    const few = curve.values.length <= 40;
    let path = '', pen = 'M';
    curve.values.forEach((number, at) => {
      const value = scale.value(number);
      if (value === null) return pen = 'M';
      const place = `${scale.x(curve[view.x][at]).toFixed(1)} ${scale.y(value).toFixed(1)}`;
      path += pen + place;
      pen = 'L';
      const [cx, cy] = place.split(' ');
      if (few) group.append(svg('circle', {cx, cy, r: 2.5, fill: style.stroke}));
    });
    group.append(svg('path', {class: 'curve', d: path, ...style}));
  }
  return group;
}

// The curves one on top of the other, as areas.
function areas(chart, scale) {
  const group = svg('g');
  const curves = shown(chart);
  let below = curves.length ? curves[0].values.map(() => 0) : [];
  for (const curve of curves) {
    const above = below.map((sum, at) => sum + (curve.values[at] ?? 0));
    const edge = (sums) => sums.map((sum, at) => `${scale.x(curve[view.x][at]).toFixed(1)} ${scale.y(sum).toFixed(1)}`);
    group.append(svg('path', {d: `M${edge(above).join('L')}L${edge(below).reverse().join('L')}Z`, fill: color(chart, curve),
      'fill-opacity': .8}));
    below = above;
  }
  return group;
}

// The point of a curve nearest to x.
function nearest(curve, x) {
  const places = curve[view.x];
  let low = 0, high = places.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < x) low = middle + 1; else high = middle;
  }
  return low > 0 && x - places[low - 1] < places[low] - x ? low - 1 : low;
}

function read_out(chart, frame, width, scale, event) {
  const box = frame.getBoundingClientRect();
  const x = scale.first + ((event.clientX - box.left) / box.width * width - left) / (width - left - right) * (scale.last - scale.first);
  const curves = shown(chart).filter((curve) => curve.values.length);
  if (!curves.length) return;
  const points = curves.map((curve) => nearest(curve, x));
  const distance = (at) => Math.abs(curves[at][view.x][points[at]] - x);
  const best = points.map((_, at) => at).reduce((a, b) => distance(b) < distance(a) ? b : a);
  const cross = scale.x(curves[best][view.x][points[best]]);
  frame.querySelector('.cross').setAttribute('d', `M${cross} ${top_}V${height - bottom}`);
  readout.replaceChildren(...curves.map((curve, at) => {
    const swatch = element('span', {class: 'swatch', style: `border-color: ${color(chart, curve)}`});
    const name = runs.length > 1 && !chart.stacked ? `${runs[curve.run]} ${curve.label}` : curve.label;
    return element('div', {}, swatch, `${name} ${curve.values[points[at]] ?? 'not finite'} at step ${curve.steps[points[at]]}`);
  }));
  readout.hidden = false;
  readout.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - readout.offsetWidth - 4))}px`;
  readout.style.top = `${Math.max(4, event.clientY - readout.offsetHeight - 14)}px`;
}

function draw(chart, holder) {
  const width = Math.max(240, holder.clientWidth);
  const scale = scales(chart, width);
  const frame = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': chart.title},
    axes(chart, width, scale), marks(chart, scale), (chart.stacked ? areas : lines)(chart, scale), svg('path', {class: 'cross', d: ''}));
  frame.addEventListener('pointermove', (event) => read_out(chart, frame, width, scale, event));
  frame.addEventListener('pointerdown', (event) => read_out(chart, frame, width, scale, event));
  frame.addEventListener('pointerleave', () => {
    readout.hidden = true;
    frame.querySelector('.cross').setAttribute('d', '');
  });
  holder.replaceChildren(frame);
}

// A button that stays down or up.
function toggle(pressed, change, ...children) {
  const button = element('button', {type: 'button', 'aria-pressed': pressed}, ...children);
  button.addEventListener('click', () => {
    pressed = !pressed;
    button.setAttribute('aria-pressed', pressed);
    change(pressed);
  });
  return button;
}

// One curve also has a legend: nothing else says that it is of training, dev or test.
function legend(chart) {
  return labels(chart).map((label) => {
    const stroke = colored_by_label(chart) ? color(chart, {label}) : 'currentColor';
    const sample = svg('svg', {width: 24, height: 8, style: 'display: inline; width: 24px; vertical-align: middle'},
      svg('path', {class: 'curve', d: 'M1 4H23', style: `stroke: ${stroke}; stroke-width: 3`, 'stroke-dasharray': dash(chart, label)}));
    return element('small', {}, sample, ' ' + label);
  });
}

const little = document.getElementById('little');
little.hidden = !charts.some((chart) => chart.little);
little.firstElementChild.textContent += ': ' + charts.filter((chart) => chart.little).map((chart) => chart.title).join(', ');
const charts_of = {main: document.getElementById('charts'), little: little.lastElementChild};
const redraws = charts.map((chart) => {
  const holder = element('div');
  const redraw = () => draw(chart, holder);
  const caption = element('figcaption', {}, element('b', {}, chart.title), ...legend(chart));
  const [low, high] = extent(chart.curves.flatMap((curve) => extent(curve.values)));
  if (!chart.stacked && low > 0 && high > 10 * low) {
    caption.append(toggle(false, (log) => { view.log[log ? 'add' : 'delete'](chart); redraw(); }, 'log'));
  }
  charts_of[chart.little ? 'little' : 'main'].append(element('figure', {}, caption, holder));
  new ResizeObserver(redraw).observe(holder);
  return redraw;
});
const redraw_all = () => redraws.forEach((redraw) => redraw());

const controls = document.getElementById('controls');
if (runs.length > 1) {
  runs.forEach((name, run) => controls.append(toggle(true, (on) => { view.hidden[on ? 'delete' : 'add'](run); redraw_all(); },
    element('span', {class: 'swatch', style: `border-color: var(--color-${run % colors})`}), name)));
}
if (charts.length) {
  const by = Object.keys(axes_of_x).map((x) => {
    const button = element('button', {type: 'button', 'aria-pressed': view.x === x}, x);
    button.addEventListener('click', () => {
      view.x = x;
      by.forEach((each) => each.setAttribute('aria-pressed', each === button));
      redraw_all();
    });
    return button;
  });
  controls.append(element('span', {class: 'by'}, 'over ', ...by),
    element('small', {}, 'Dashed lines: the run was resumed or stopped. Marks on the axis: it was saved, or an evaluation was the best so far.'));
}
