/** Times in the zone of the reader. */
import { useEffect, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { html } from '../html.ts';
import { countOf, formatDecimal } from './format-figures.ts';
import { locale } from '../words.ts';

const toMinute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const toSecond = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

/** A moment: the time alone when it was today. */
export function Time({ at }: { at: string }): VNode {
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date().toDateString();
  return html`<time class="number" datetime=${at} title=${toSecond.format(moment)}>${(isToday ? timeOfDay : toMinute).format(moment)}</time>`;
}

/** How long something has taken; it counts on while it is not over. */
export function Elapsed({ from, to = null }: { from: string; to?: string | null }): VNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (to !== null) return undefined;
    const timer = setInterval(() => (document.visibilityState === 'visible' ? setNow(Date.now()) : undefined), 1000);
    return () => clearInterval(timer);
  }, [to]);
  const ms = (to === null ? now : Date.parse(to)) - Date.parse(from);
  return html`<span class="number">${formatDuration(Math.max(0, ms))}</span>`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${formatDecimal(ms / 1000)} s` : `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : countOf(Math.floor(hours / 24), 'day');
}
