/** Events as calendar servers keep them (iCalendar). */

/** With what CRLF and folding need; `zones` are those whose rules stand in it. */
export const calendarOf = (events: readonly string[], zones: readonly (keyof typeof ZONES)[] = []): string =>
  `${[
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//oka//test//EN',
    ...zones.map((name) => zoneRules(name)),
    ...events,
    'END:VCALENDAR',
  ]
    .join('\n')
    .replaceAll('\n', '\r\n')}\r\n`;

export const eventOf = (...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'].join('\n');

type Rules = { standard: Rule; summer?: Rule };
type Rule = { name: string; from: string; to: string; rule?: string };

const EU = { summer: 'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', winter: 'FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU' };
const US = { summer: 'FREQ=YEARLY;BYMONTH=3;BYDAY=2SU', winter: 'FREQ=YEARLY;BYMONTH=11;BYDAY=1SU' };

const ZONES = {
  'Europe/Berlin': {
    standard: { name: 'CET', from: '+0200', to: '+0100', rule: EU.winter },
    summer: { name: 'CEST', from: '+0100', to: '+0200', rule: EU.summer },
  },
  'America/New_York': {
    standard: { name: 'EST', from: '-0400', to: '-0500', rule: US.winter },
    summer: { name: 'EDT', from: '-0500', to: '-0400', rule: US.summer },
  },
  'Europe/London': {
    standard: { name: 'GMT', from: '+0100', to: '+0000', rule: EU.winter },
    summer: { name: 'BST', from: '+0000', to: '+0100', rule: EU.summer },
  },
  'Asia/Tokyo': { standard: { name: 'JST', from: '+0900', to: '+0900' } },
  'Asia/Kolkata': { standard: { name: 'IST', from: '+0530', to: '+0530' } },
} satisfies Record<string, Rules>;

export const zoneNames = Object.keys(ZONES) as (keyof typeof ZONES)[];

function zoneRules(name: keyof typeof ZONES): string {
  const { standard, summer }: Rules = ZONES[name];
  const part = (kind: string, hour: string, each: Rule): string[] => [
    `BEGIN:${kind}`,
    `DTSTART:19700101T${hour}0000`,
    `TZOFFSETFROM:${each.from}`,
    `TZOFFSETTO:${each.to}`,
    `TZNAME:${each.name}`,
    ...(each.rule === undefined ? [] : [`RRULE:${each.rule}`]),
    `END:${kind}`,
  ];
  const isLondon = name === 'Europe/London';
  const hours = name === 'America/New_York' ? ['02', '02'] : isLondon ? ['02', '01'] : ['03', '02'];
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${name}`,
    ...part('STANDARD', hours[0] ?? '', standard),
    ...(summer === undefined ? [] : part('DAYLIGHT', hours[1] ?? '', summer)),
    'END:VTIMEZONE',
  ].join('\n');
}
