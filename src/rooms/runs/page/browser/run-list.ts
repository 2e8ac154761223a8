/** A list of any length: only the lines that can be seen are in the document, and all have the same height. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../../../../kit/web/browser/html.ts';
import { countLines, readLines } from './chosen-runs.ts';
import { wantPlaces } from './loaded-runs.ts';
import { RunLine } from './run-line.ts';

const narrow = matchMedia('(max-width: 40rem)');

/** As in runs.css: two lines of text where the screen is narrow. */
export const lineHeight = (): number => (narrow.matches ? 72 : 44);

/** Lines above and below the window that are there already when it is scrolled. */
const MARGIN = 12;

const place = signal<{ list: HTMLElement | null; top: number; height: number; line: number }>({
  list: null,
  top: 0,
  height: innerHeight,
  line: lineHeight(),
});

export function RunList(): VNode {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const measure = (): void => {
      const box = list.current?.getBoundingClientRect();
      const next = { list: list.current, top: Math.max(0, -(box?.top ?? 0)), height: innerHeight, line: lineHeight() };
      const now = place.peek();
      const isSame = Math.abs(now.top - next.top) < next.line && now.height === next.height && now.line === next.line;
      if (!isSame || now.list !== next.list) place.value = next;
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, []);
  const { top, height, line } = place.value;
  const first = Math.max(0, Math.floor(top / line) - MARGIN);
  const last = Math.ceil((top + height) / line) + MARGIN;
  const lines = readLines(first, last);
  const count = countLines();
  useEffect(() => wantPlaces(lines[0]?.line.place ?? 0, lines.at(-1)?.line.place ?? 0));
  return html`<ol ref=${list} class="run-lines long" aria-label="Runs, the latest first" style=${{ height: `${count * line}px` }}>
    ${lines.map(
      ({ at, line: { run, under } }) =>
        html`<${RunLine} key=${run === null ? `at ${at}` : `${under ?? ''}/${run.run}`} run=${run} isUnder=${under !== null} top=${at * line} at=${at} count=${count} />`,
    )}
  </ol>`;
}

/** Scrolls so far that a line can be seen. */
export function scrollToLine(at: number): void {
  const { list, line } = place.peek();
  if (list === null) return;
  const top = list.getBoundingClientRect().top + at * line;
  const bar = document.querySelector('.bar')?.getBoundingClientRect().height ?? 0;
  if (top < bar + line) scrollBy(0, top - bar - line);
  else if (top + 2 * line > innerHeight) scrollBy(0, top + 2 * line - innerHeight);
}
