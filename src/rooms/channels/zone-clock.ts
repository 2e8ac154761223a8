/** Times of the day in a time zone. Pure. */

/** Minutes since midnight there, and the date. */
export function timeIn(zone: string | undefined, now: number): { minutes: number; date: string } {
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...(zone === undefined ? {} : { timeZone: zone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? '0';
  return {
    minutes: Number(of('hour')) * 60 + Number(of('minute')),
    date: `${of('year')}-${of('month')}-${of('day')}`,
  };
}

export function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Whether it is between two times of the day, which may be on both sides of midnight. */
export function isBetween({ from, to }: { from: string; to: string }, minutes: number): boolean {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  return begin <= end ? minutes >= begin && minutes < end : minutes >= begin || minutes < end;
}
