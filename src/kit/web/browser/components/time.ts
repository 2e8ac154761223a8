/** Times in the zone of the reader. */
import { useEffect, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { html } from '../html.ts';

const toMinute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const toSecond = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

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
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
