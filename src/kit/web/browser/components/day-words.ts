/** Moments as people say them: "tomorrow at 7:30", "on Friday at 7:30". Pure. */
import { locale, t } from '../words.ts';

const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' });
const day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });

/** The day of a moment, counted from today: 0 is today, -1 yesterday. In the zone of the reader. */
export function daysFrom(now: Date, moment: Date): number {
  const midnight = (at: Date): number => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
  return Math.round((midnight(moment) - midnight(now)) / 86_400_000);
}

export function momentInWords(at: string, now = new Date()): string {
  const moment = new Date(at);
  const days = daysFrom(now, moment);
  const time = timeOfDay.format(moment);
  if (days === -1) return t('yesterday at {}', time);
  if (days === 0) return t('today at {}', time);
  if (days === 1) return t('tomorrow at {}', time);
  return t('on {} at {}', (days > 1 && days < 7 ? weekday : day).format(moment), time);
}
