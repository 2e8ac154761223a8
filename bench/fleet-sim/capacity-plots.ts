/** The two plots of docs/FLEET-CAPACITY.md, as SVG that reads on light and dark paper. */
import { type Cell, LOADS, type Needed, WORKERS } from './capacity.ts';

const INK = '#6b7280';
const FITS = '#2f9e6e';
const COLOURS: Record<string, string> = {
  workers: '#d9a514',
  'home that gives tasks': '#c2410c',
  'stream of tasks': '#7c3aed',
  'stream of runs': '#7c3aed',
  'stream of results': '#7c3aed',
  'object store': '#2563eb',
  cluster: '#be185d',
};

/** One square for each size and load, in the colour of what is too busy. */
export function tablePlot(cells: readonly Cell[], title: string): string {
  const [wide, high, left, top] = [96, 44, 110, 62];
  const squares = cells.map(({ workers, tasksPerMinute, first, simulated }) => {
    const [x, y] = [left + LOADS.indexOf(tasksPerMinute) * wide, top + WORKERS.indexOf(workers) * high];
    const fill = first === null ? FITS : (COLOURS[first] ?? INK);
    const label = first === null ? 'fits' : `${Math.round(simulated.delivered * 100)} % in time`;
    const words = `${workers} workers, ${tasksPerMinute} tasks a minute: ${first ?? 'fits'}`;
    return [
      `<rect x="${x}" y="${y}" width="${wide - 4}" height="${high - 4}" rx="4" fill="${fill}"><title>${words}</title></rect>`,
      text(x + wide / 2 - 2, y + high / 2 + 2, label, 'middle', '#ffffff'),
    ].join('');
  });
  const columns = LOADS.map((load, index) =>
    text(left + index * wide + wide / 2 - 2, top - 8, numberOf(load), 'middle'),
  );
  const rows = WORKERS.map((count, index) =>
    text(left - 10, top + index * high + high / 2 + 2, numberOf(count), 'end'),
  );
  const found = [...new Set(cells.flatMap(({ first }) => first ?? []))];
  const legend = [['fits', FITS], ...found.map((name) => [name, COLOURS[name] ?? INK])].map(
    ([name = '', fill], index) => {
      const [x, y] = [left + index * 150, top + WORKERS.length * high + 16];
      return `<rect x="${x}" y="${y - 10}" width="12" height="12" rx="2" fill="${fill}"/>${text(x + 18, y, name)}`;
    },
  );
  return svg(left + LOADS.length * wide + 10, top + WORKERS.length * high + 34, [
    text(10, 20, title),
    text(left, 38, 'tasks a minute'),
    text(10, 38, 'workers'),
    ...columns,
    ...rows,
    ...squares,
    ...legend,
  ]);
}

/** Lines over the load, both axes by powers of ten. */
export function neededPlot(needed: readonly Needed[], title: string): string {
  const [left, top, wide, high] = [60, 50, 560, 240];
  const most = Math.ceil(Math.log10(Math.max(...needed.flatMap(({ workers, streams }) => [workers, streams]))));
  const xOf = (load: number): number => left + (Math.log10(load) / Math.log10(LOADS.at(-1) ?? 10)) * wide;
  const yOf = (count: number): number => top + high - (Math.log10(count) / most) * high;
  const lines = (
    [
      ['workers', '#d9a514'],
      ['streams', '#2563eb'],
      ['clusters', '#be185d'],
      ['homes', '#c2410c'],
    ] as const
  ).map(([name, colour], index) => {
    const points = needed.map((each) => `${xOf(each.tasksPerMinute).toFixed(1)},${yOf(each[name]).toFixed(1)}`);
    const words = name === 'homes' ? 'homes that give tasks' : name;
    return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(' ')}"/>${text(left + 12 + index * 130, top + high + 46, words, 'start', colour)}`;
  });
  const across = LOADS.map((load) => text(xOf(load), top + high + 20, numberOf(load), 'middle'));
  const up = Array.from({ length: most + 1 }, (_, power) => {
    const y = yOf(10 ** power);
    const rule = `<line x1="${left}" x2="${left + wide}" y1="${y}" y2="${y}" stroke="${INK}" stroke-opacity="0.3"/>`;
    return `${rule}${text(left - 8, y + 4, numberOf(10 ** power), 'end')}`;
  });
  return svg(left + wide + 40, top + high + 60, [
    text(10, 20, title),
    text(left, 38, 'how many are needed, by tasks a minute'),
    ...up,
    ...across,
    ...lines,
  ]);
}

function svg(width: number, height: number, parts: readonly string[]): string {
  const font = 'font-family="system-ui, sans-serif" font-size="13"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${font}>\n${parts.join('\n')}\n</svg>\n`;
}

function text(x: number, y: number, words: string, anchor = 'start', fill = INK): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${fill}">${words}</text>`;
}

const numberOf = (value: number): string => value.toLocaleString('en-US');
