/** A chart of values by day. The library is loaded when the first chart is shown; the numbers are in a table beside it. */
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../../../../kit/web/browser/html.ts';
import { formatDay } from './figure-format.ts';

type DaySeries = { name: string; values: readonly (number | null)[] };
type Props = {
  label: string;
  days: readonly string[];
  series: readonly DaySeries[];
  format: (value: number | null) => string;
  /** Called with the day of a point that was clicked. */
  onDay: (date: string) => void;
};
type Plot = { destroy: () => void; setSize: (size: { width: number; height: number }) => void };

const HEIGHT = 140;
const COLOURS = ['--accent', '--warn', '--good', '--bad', '--soft'];

export function DayChart(props: Props): VNode {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const shown = JSON.stringify([props.days, props.series]);
  useEffect(() => {
    let plot: Plot | null = null;
    let isOver = false;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = async (): Promise<void> => {
      const holder = place.current;
      if (holder === null) return;
      const drawn = await drawChart(holder, latest.current, (date) => latest.current.onDay(date));
      if (isOver) return drawn.destroy();
      plot?.destroy();
      plot = drawn;
    };
    const resize = new ResizeObserver(() => plot?.setSize({ width: widthOf(place.current), height: HEIGHT }));
    const redraw = (): void => void draw();
    redraw();
    if (place.current !== null) resize.observe(place.current);
    dark.addEventListener('change', redraw);
    return () => {
      isOver = true;
      resize.disconnect();
      dark.removeEventListener('change', redraw);
      plot?.destroy();
    };
  }, [shown]);
  return html`<div class="chart" role="img" aria-label=${props.label} ref=${place}></div>`;
}

async function drawChart(holder: HTMLElement, props: Props, onDay: (date: string) => void): Promise<Plot> {
  addStyle();
  const { default: uPlot } = await import('uplot');
  const { days, series, format } = props;
  const [ink, line] = [colourOf('--soft'), colourOf('--line')];
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const plot = new uPlot(
    {
      width: widthOf(holder),
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
      axes: [
        { ...axis, size: 28, grid: { show: false }, values: (_plot, at) => at.map((n) => labelOf(days, n)) },
        { ...axis, size: 56, values: (_plot, at) => at.map((value) => format(value)) },
      ],
      series: [
        {},
        ...series.map(({ name }, index) => ({
          label: name,
          stroke: colourOf(COLOURS[index % COLOURS.length] ?? '--accent'),
          width: 2,
          points: { show: true, size: 5 },
        })),
      ],
    },
    [days.map((_, n) => n), ...series.map(({ values }) => [...values])],
    holder,
  );
  plot.over.addEventListener('click', () => {
    const date = days[plot.cursor.idx ?? -1];
    if (date !== undefined) onDay(date);
  });
  return plot;
}

const labelOf = (days: readonly string[], n: number): string => {
  const date = Number.isInteger(n) ? days[n] : undefined;
  return date === undefined ? '' : formatDay(date);
};

const widthOf = (holder: HTMLElement | null): number => Math.max(120, holder?.clientWidth ?? 300);

/** A variable of the style sheet as a colour that a canvas understands. */
function colourOf(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function addStyle(): void {
  const { href } = new URL('../../../../npm/uplot/dist/uPlot.min.css', import.meta.url);
  if (document.querySelector(`link[href="${CSS.escape(href)}"]`) !== null) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  document.head.append(link);
}
