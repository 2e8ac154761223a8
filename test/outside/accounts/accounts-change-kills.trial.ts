/** A task that adds an event to a real Radicale: once, with a yes, whenever its worker is killed; and undone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { calendarAccount } from '../../support/accounts.ts';
import { type CalendarServer, hasRadicale, openCalendarServer } from '../../support/calendar-server.ts';
import { okaWith } from '../../support/cli.ts';
import { openStory, type Story } from '../../support/story.ts';
import { goal, inParts, plan } from '../../support/story-model.ts';
import { call, type WireReply, type WireRequest } from '../../support/wire-server-reply.ts';

if (hasRadicale === null)
  console.error('SKIPPED: adding events across kills; there is no Radicale (apt-get install radicale)');

const lunch = {
  calendar: 'Team',
  title: 'Lunch',
  start: '2028-03-06T12:00',
  end: '2028-03-06T13:00',
  zone: 'Europe/Berlin',
};

/** Milliseconds after the yes at which the worker is killed. */
const KILLS = process.env['OKA_TEST_THOROUGH'] === '1' ? Array.from({ length: 30 }, (_, n) => n * 40) : [0, 150, 400];

describe.skipIf(hasRadicale === null)('a task that books a table', () => {
  const executor = ({ text }: WireRequest): WireReply =>
    /^event: work\/-\/team\/oka-/m.test(text)
      ? call('finish', { output: 'It is booked.' })
      : call('calendar_add', lunch);
  const open = async (server: CalendarServer): Promise<Story> => {
    server.fill('Team', {});
    const story = await openStory({
      model: inParts({
        planner: () => plan([goal('book', 'Book lunch', ['calendar.add'])], ['file: x.txt']),
        executor,
      }),
    });
    story.write(
      '.oka/rules/accounts.json',
      JSON.stringify({ accounts: { work: calendarAccount(server, { change: { calendars: ['Team'] } }) } }),
    );
    const words = ['secrets', 'set', 'MAIL_WORK', '--tool', 'accounts.work', '--host', '127.0.0.1'];
    expect((await okaWith({ input: server.password }, ...words, '--dir', story.home.dir)).code).toBe(0);
    story.drop('lunch.md', '---\nid: lunch\naccept:\n  - file: x.txt\n---\nBook lunch on March 6, 2028, at noon.\n');
    return story;
  };

  it.each(KILLS)(
    'writes nothing without a yes that has seen the event, and once when the worker is killed %i ms after it',
    async (ms) => {
      await using server = await openCalendarServer();
      await using story = await open(server);
      const worker = story.start(['worker']);
      const asked = await story.asked('approval');
      if (asked.for.kind !== 'approval') throw new Error('it asks something else');
      expect(asked.for.asked).toMatchObject({
        tool: 'calendar.add',
        changes: expect.arrayContaining(['Title: Lunch']),
      });
      expect(asked.for.asked?.grant).toBeUndefined();
      expect(server.objects('Team')).toEqual({});
      const said = story.oka('approve', asked.wait);
      await story.until('the yes', async () => (await story.eventsOf('wait.closed'))[0]);
      await sleep(ms);
      worker.kill('SIGKILL');
      await new Promise((resolve) => worker.once('exit', resolve));
      await said;
      story.work();
      const answered = new Set([asked.wait]);
      await story.until('the event', async () => {
        // Where it was stopped before it was written, it is asked about again.
        for (const { wait, for: what } of await story.waiting())
          if (what.kind === 'approval' && !answered.has(wait)) {
            answered.add(wait);
            await story.oka('approve', wait);
          }
        const ended = await story.eventsOf('call.ended');
        return ended.find(({ data }) => data.status === 'ok' && JSON.stringify(data).includes('work/-/team/oka-'));
      });
      const objects = Object.values(server.objects('Team'));
      expect(objects).toHaveLength(1);
      expect(objects[0]).toContain('SUMMARY:Lunch');
      if (ms !== KILLS.at(-1)) return;
      const run = (await story.eventsOf('task.received'))[0]?.run ?? '';
      expect((await story.oka('undo', run, '--dry-run')).out).toContain('removed   the event "Lunch" in work/Team');
      expect((await story.oka('undo', run)).out).toBe(
        '0 were restored, 1 removed\n  removed   the event "Lunch" in work/Team\n',
      );
      expect(server.objects('Team')).toEqual({});
    },
    120_000,
  );
});
