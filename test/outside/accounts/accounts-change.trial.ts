/** Events that oka adds, changes and removes, against a real Radicale: once, as approved, and only where it may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallPreview, Outcome } from '../../../src/core/schema/tool.ts';
import { calendarAccount, type TriedAccounts, tryAccounts } from '../../support/accounts.ts';
import { type CalendarServer, hasRadicale, openCalendarServer } from '../../support/calendar-server.ts';
import { calendarOf, eventOf } from '../../support/ics.ts';

if (hasRadicale === null) console.error('SKIPPED: changing calendars; there is no Radicale (apt-get install radicale)');

type Listed = { event: string; version: string; title: string; start: string; people?: { who: string }[] };
type Done = { event: string; version?: string };

const ZONE = 'Europe/Berlin';
/** Radicale puts lines into another order. */
const linesOf = (objects: Record<string, string>) =>
  Object.entries(objects).map(([name, ics]) => [name, ics.split('\r\n').toSorted()]);
const may = { change: { calendars: ['Team'] } };
const lunch = { calendar: 'Team', title: 'Lunch', start: '2028-03-06T12:00', end: '2028-03-06T13:00', zone: ZONE };
const weekly = calendarOf(
  [
    eventOf(
      'UID:weekly',
      'SUMMARY:Standup',
      'DTSTART;TZID=Europe/Berlin:20280306T090000',
      'DURATION:PT1H',
      'RRULE:FREQ=WEEKLY',
      'ORGANIZER:mailto:boss@x.test',
      'ATTENDEE:mailto:ann@home.test',
      'ATTENDEE;CN=Bob:mailto:bob@x.test',
    ),
  ],
  ['Europe/Berlin'],
);

describe.skipIf(hasRadicale === null)('an event of a calendar', () => {
  let server: CalendarServer;
  let tried: TriedAccounts;
  beforeAll(async () => {
    server = await openCalendarServer();
    tried = tryAccounts({ work: calendarAccount(server, may) }, server.password);
  });
  afterAll(async () => {
    tried[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });
  const fill = (): void => {
    server.fill('Team', { 'weekly.ics': weekly });
    server.fill('Private', {
      'p.ics': calendarOf([eventOf('UID:p', 'SUMMARY:Old', 'DTSTART:20280306T080000Z', 'DTEND:20280306T090000Z')]),
    });
  };
  const list = async (from: string, to = from): Promise<Listed[]> =>
    (await tried.ask<{ events: Listed[] }>('calendar.list', { from, to, zone: ZONE, details: true })).events;
  const one = async (from: string, title: string): Promise<{ event: string; version: string }> => {
    const found = (await list(from)).find((each) => each.title === title);
    if (found === undefined) throw new Error(`${title} is not there`);
    return { event: found.event, version: found.version };
  };
  const preview = async (tool: string, input: object): Promise<CallPreview> =>
    (await tried.tool(tool).preview?.(input as never, AbortSignal.timeout(60_000))) ?? { changes: [], contents: [] };
  const seen = (tool: string, input: object): Promise<Outcome | null> | undefined =>
    tried.tool(tool).witness?.({ run: 'r', call: 'c', input: input as never });

  it('is shown as it will be, whoever is invited first, and is there once, whoever asks for it twice', async () => {
    fill();
    const input = { ...lunch, place: 'Roma', notes: 'Bring the plan.', invite: ['Eve@evil.test'] };
    const { changes, contents } = await preview('calendar.add', input);
    expect(changes).toEqual([
      'Invited: eve@evil.test (whether you have written to them is not known)',
      'Calendar: Team, of the account work (/ann/team/)',
      'A new event',
      'Title: Lunch',
      expect.stringContaining('When: Mon 2028-03-06 '),
      'Where: Roma',
      'This server sends no invitations: nobody is notified.',
      'It can be undone, as long as nobody changes it.',
    ]);
    expect(contents).toMatchObject([{ path: 'The notes', text: 'Bring the plan.' }]);
    expect(server.objects('Team')).toEqual({ 'weekly.ics': weekly });
    const both = await Promise.all([tried.ask<Done>('calendar.add', input), tried.ask<Done>('calendar.add', input)]);
    expect(both[0]).toEqual(both[1]);
    expect(Object.keys(server.objects('Team'))).toHaveLength(2);
    expect((await list('2028-03-06')).map(({ title, start }) => [title, start])).toContainEqual([
      'Lunch',
      'Mon 2028-03-06 12:00 +01:00',
    ]);
    expect(await one('2028-03-06', 'Lunch')).toEqual(both[0]);
  });

  it('is changed in what was said and nothing else; what was changed since is neither shown nor written', async () => {
    fill();
    await tried.ask('calendar.add', lunch);
    const found = await one('2028-03-06', 'Lunch');
    const input = { ...found, start: '2028-03-06T12:30', zone: ZONE };
    const { changes } = await preview('calendar.change', input);
    expect(changes.filter((line) => line.startsWith('When'))).toHaveLength(2);
    expect(changes).toContain('Title: Lunch');
    const changed = await tried.ask<Done>('calendar.change', input);
    expect((await list('2028-03-06')).find(({ title }) => title === 'Lunch')).toMatchObject({
      start: 'Mon 2028-03-06 12:30 +01:00',
      end: 'Mon 2028-03-06 13:30 +01:00',
      version: changed.version,
    });
    const late = { ...found, title: 'Dinner' };
    await expect(preview('calendar.change', late)).rejects.toThrow('somebody has changed it');
    await expect(tried.ask('calendar.change', late)).rejects.toThrow('somebody has changed it');
    await expect(tried.ask('calendar.remove', found)).rejects.toThrow('somebody has changed it');
    expect(await tried.ask('calendar.change', input)).toEqual(changed); // it was carried out already
    await expect(tried.ask('calendar.change', { ...found })).rejects.toThrow('nothing would be changed');
  });

  it('of a series is changed and removed by itself; the others stay', async () => {
    fill();
    const input = { ...(await one('2028-03-13', 'Standup')), start: '2028-03-13T11:00', zone: ZONE };
    const { changes } = await preview('calendar.change', input);
    expect(changes).toEqual(
      expect.arrayContaining([
        'Invited already: Bob <bob@x.test>',
        'It is changed: this time of the series alone',
        'boss@x.test has invited to this event; it is changed in your calendar, and not in theirs.',
      ]),
    );
    await tried.ask('calendar.change', input);
    await tried.ask('calendar.remove', await one('2028-03-20', 'Standup'));
    const starts = async () =>
      (await list('2028-03-06', '2028-03-31')).filter(({ title }) => title === 'Standup').map(({ start }) => start);
    expect(await starts()).toEqual([
      'Mon 2028-03-06 09:00 +01:00',
      'Mon 2028-03-13 11:00 +01:00',
      'Mon 2028-03-27 09:00 +02:00',
    ]);
    const { event, version } = await one('2028-03-27', 'Standup');
    const all = { event: event.replace(/\/2028[^/]+\//, '/-/'), version };
    expect((await preview('calendar.remove', all)).changes).toContain('It is removed: all of the series');
    await tried.ask('calendar.remove', all);
    expect(server.objects('Team')).toEqual({});
  });

  it('of a calendar that a person has not given away is left alone, and the answer says what would allow it', async () => {
    fill();
    const before = server.objects('Private');
    const found = await one('2028-03-06', 'Old');
    const allowed = /may not change the calendar Private.*"change": \{ "calendars": \["Team","Private"\] \}/s;
    for (const [tool, input] of [
      ['calendar.add', { ...lunch, calendar: 'Private' }],
      ['calendar.change', { ...found, title: 'x' }],
      ['calendar.remove', found],
    ] as const) {
      await expect(preview(tool, input)).rejects.toThrow('may not change the calendar Private');
      await expect(tried.ask(tool, input)).rejects.toThrow(allowed);
    }
    for (const object of ['..%2Fprivate%2Fp.ics', '%2e%2e', '..', '..%5Cprivate%5Cp.ics', 'p.ics%0D%0A', '%']) {
      const elsewhere = { ...found, event: `work/-/team/${object}` };
      await expect(tried.ask('calendar.remove', elsewhere), object).rejects.toThrow('is nothing in the calendar Team');
    }
    await expect(tried.ask('calendar.remove', { ...found, event: 'work/-/team/../private/p.ics' })).rejects.toThrow(
      'names no event',
    );
    using none = tryAccounts({ work: calendarAccount(server) }, server.password);
    await expect(none.ask('calendar.add', lunch)).rejects.toThrow('"change": { "calendars": ["Team"] }');
    expect([server.objects('Private'), server.objects('Team')]).toEqual([before, { 'weekly.ics': weekly }]);
  });

  it('is again what it was once its changes are undone, however many; what somebody changed since stays', async () => {
    fill();
    const calls: { tool: string; input: object; output: Done }[] = [];
    const act = async (tool: string, input: object): Promise<Done> => {
      const output = await tried.ask<Done>(tool, input);
      calls.push({ tool, input, output });
      return output;
    };
    const undo = async (isDry: boolean) => {
      const all = [];
      for (const { tool, input, output } of calls.toReversed())
        all.push(await tried.tool(tool).undo?.({ run: 'r', input: input as never, output }, isDry));
      return all;
    };
    const before = server.objects('Team');
    const added = await act('calendar.add', lunch);
    const changed = await act('calendar.change', { ...added, title: 'Dinner' });
    const again = await act('calendar.change', { ...changed, place: 'Roma' });
    await act('calendar.change', { ...(await one('2028-03-13', 'Standup')), title: 'Moved' });
    await act('calendar.remove', await one('2028-03-20', 'Standup'));
    const { event, version } = await one('2028-03-27', 'Standup');
    await act('calendar.remove', { event: event.replace(/\/2028[^/]+\//, '/-/'), version });
    expect(Object.keys(server.objects('Team'))).toHaveLength(1);
    const after = server.objects('Team');
    const expected = [
      { what: 'the event "Standup" in work/Team', how: 'restored' },
      { what: 'the event "Standup" in work/Team', how: 'restored' },
      { what: 'the event "Standup" in work/Team', how: 'restored' },
      { what: 'the event "Dinner" in work/Team', how: 'restored' },
      { what: 'the event "Lunch" in work/Team', how: 'restored' },
      { what: 'the event "Lunch" in work/Team', how: 'removed' },
    ];
    expect((await undo(true)).map((each) => each?.how)).toEqual(expected.map(({ how }) => how));
    expect(server.objects('Team')).toEqual(after);
    expect(await undo(false)).toEqual(expected);
    expect(linesOf(server.objects('Team'))).toEqual(linesOf(before));
    calls.length = 0;
    const third = await act('calendar.add', { ...lunch, title: 'Third' });
    const name = again.event.split('/').at(-1);
    expect(third.event).not.toContain(name);
    await act('calendar.change', { ...third, title: 'Fourth' });
    const file = third.event.split('/').at(-1) ?? '';
    const edited = server.objects('Team')[file]?.replace('SUMMARY:Fourth', 'SUMMARY:Mine') ?? '';
    server.fill('Team', { [file]: edited });
    expect(await undo(false)).toMatchObject([
      { how: 'left', why: 'it was changed since' },
      { how: 'left', why: 'it was changed since' },
    ]);
    expect(server.objects('Team')).toEqual({ [file]: edited });
    server.fill('Team', {});
    expect(await undo(false)).toMatchObject([{ how: 'left', why: 'it was removed since' }, { how: 'removed' }]);
    expect(server.objects('Team')).toEqual({});
  });

  it('is found after a crash by its name and its mark', async () => {
    fill();
    const stopped = { status: 'failed', error: 'work stopped before the event was written' };
    expect(await seen('calendar.add', lunch)).toMatchObject(stopped);
    const added = await tried.outcome('calendar.add', lunch);
    expect(await seen('calendar.add', lunch)).toEqual(added);
    const change = { ...(await one('2028-03-06', 'Lunch')), title: 'Dinner' };
    expect(await seen('calendar.change', change)).toMatchObject(stopped);
    const changed = await tried.outcome('calendar.change', change);
    expect(await seen('calendar.change', change)).toEqual(changed);
    const other = { ...change, title: 'Breakfast' };
    expect(await seen('calendar.change', other)).toMatchObject(stopped);
    const remove = await one('2028-03-06', 'Dinner');
    expect(await seen('calendar.remove', remove)).toMatchObject(stopped);
    await tried.ask('calendar.remove', remove);
    expect(await seen('calendar.remove', remove)).toMatchObject({ status: 'ok' });
    server.fill('Team', { [remove.event.split('/').at(-1) ?? '']: weekly });
    expect(await seen('calendar.change', change)).toBeNull(); // it was begun, and something else is there: nobody knows
    await server.setDown(true);
    expect(await tried.outcome('calendar.add', { ...lunch, title: 'Down' })).toMatchObject({ status: 'failed' });
    await server.setDown(false);
  });
});
