/** Moments as people say them: "tomorrow at 7:30", "on Friday at 7:30". Pure. */

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

/** The day of a moment, counted from today: 0 is today, -1 yesterday. In the zone of the reader. */
export function daysFrom(now: Date, moment: Date): number {
  const midnight = (at: Date): number => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
  return Math.round((midnight(moment) - midnight(now)) / 86_400_000);
}

export function momentInWords(at: string, now = new Date()): string {
  const moment = new Date(at);
  const days = daysFrom(now, moment);
  const names: Readonly<Record<number, string>> = { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' };
  const name = names[days] ?? (days > 1 && days < 7 ? `on ${weekday.format(moment)}` : `on ${day.format(moment)}`);
  return `${name} at ${timeOfDay.format(moment)}`;
}
