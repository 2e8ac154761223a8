import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { oka, temporaryFolder } from '../support/cli.ts';

const YEAR = new Date().getUTCFullYear();

/** A home, its schedules and a command line there. */
async function openHome(dir: string) {
  await oka('init', '--dir', dir);
  const run = (...words: string[]) => oka(...words, '--dir', dir);
  const json = async (...words: string[]): Promise<never> => JSON.parse((await run(...words, '--json')).out) as never;
  const file = (name: string): string => join(dir, 'workspace/schedules', name);
  const write = (name: string, text: string): void => {
    mkdirSync(join(dir, 'workspace/schedules'), { recursive: true });
    writeFileSync(file(name), text);
  };
  const events = async (type: Event['type']): Promise<Event[]> =>
    Array.fromAsync(readEvents(homeAt(dir).ledgers.run, { type }));
  return { run, json, file, write, events };
}

const runbook = (fields: string, step = 'echo x >> ran.txt'): string =>
  `---\ntimezone: UTC\n${fields}\n---\n# Report\n\n\`\`\`bash\n${step}\n\`\`\`\n`;

describe('oka schedule', () => {
  it('shows the next five times before it saves a task, which is edited where it is then', async () => {
    using folder = temporaryFolder();
    const { run, json, file, write } = await openHome(folder.dir);
    const words = ['schedule', 'add', 'Sum up the week', '--every', 'monday 08:00', '--timezone', 'Europe/Berlin'];
    const dry = await run(...words, '--dry-run');
    expect(dry.out).toMatch(
      /Next times \(Europe\/Berlin\):\n(  Mon \d{4}-\d\d-\d\d 08:00 \+0[12]:00\n){5}Nothing was saved/,
    );
    expect(existsSync(file('sum-up-the-week.md'))).toBe(false);
    expect((await run(...words)).out).toContain('Saved as workspace/schedules/sum-up-the-week.md');
    expect(readFileSync(file('sum-up-the-week.md'), 'utf8')).toContain('every: "monday 08:00"\n');
    expect(await run(...words)).toMatchObject({ code: 3, err: expect.stringContaining('exists already') as string });
    write('bad.md', runbook('every: someday'));
    expect(await json('schedule', 'list')).toMatchObject({
      clock: true,
      schedules: [{ schedule: 'sum-up-the-week', every: 'monday 08:00', on: true, next: { length: 5 } }],
      refused: [{ file: 'bad.md', reason: expect.stringContaining('"someday" is not understood') as string }],
    });
    const list = await run('schedule', 'list');
    expect(list.out).toMatch(/sum-up-the-week .*\n  monday 08:00 \(Europe\/Berlin\): next Mon /);
    expect(await run('schedule', 'add', 'x', '--every', 'never')).toMatchObject({ code: 3 });
    expect(await run('schedule', 'add', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('does not say when') as string,
    });
  });

  it('tick without a worker records what has come, runs it here, and finds nothing the second time', async () => {
    using folder = temporaryFolder();
    const { run, json, write, events } = await openHome(folder.dir);
    write('once.md', runbook(`at: ${new Date(Date.now() - 120_000).toISOString().slice(0, 16)}`));
    write('later.md', runbook(`at: ${YEAR + 1}-01-01T08:00`));
    expect(await json('schedule', 'tick')).toMatchObject({
      answer: { due: 1 },
      runs: [{ status: 'done' }],
    });
    expect(await json('schedule', 'tick')).toMatchObject({ answer: { due: 0 }, runs: [] });
    expect((await events('slot.came')).map((event) => event.type === 'slot.came' && event.data.how)).toEqual([
      'caught_up',
    ]);
    expect(readFileSync(join(folder.dir, 'workspace/desk/ran.txt'), 'utf8')).toBe('x\n');
    for (const _ of [1, 2, 3]) // also within one second each is a run of its own
      expect((await run('schedule', 'trigger', 'later')).out).toContain('later was triggered: 1 run');
    expect(readFileSync(join(folder.dir, 'workspace/desk/ran.txt'), 'utf8')).toBe('x\nx\nx\nx\n');
    expect(await run('schedule', 'trigger', 'nothing')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no schedule') as string,
    });
  });

  it('switches one or all of them, deletes one, and backfills each time once after showing the count', async () => {
    using folder = temporaryFolder();
    const { run, json, file, write, events } = await openHome(folder.dir);
    write('daily.md', runbook('every: daily at 8:00'));
    for (const act of ['off', 'on'] as const)
      expect((await run('schedule', act, 'daily')).out).toBe(`daily is ${act}\n`);
    await run('schedule', 'stop');
    expect(await json('schedule', 'list')).toMatchObject({ clock: false, schedules: [{ on: true }] });
    await run('schedule', 'start');
    const span = ['schedule', 'backfill', 'daily', '2026-01-05', '2026-01-06'];
    const asked = await run(...span);
    expect([asked.code, asked.out]).toEqual([
      1,
      expect.stringMatching(/would run 2 times, for .*-01-05 08:00 .* to .*-01-06 08:00/),
    ]);
    expect(await json(...span, '--yes')).toMatchObject({
      answer: { runs: { length: 2 } },
      runs: [{ status: 'done' }, { status: 'done' }],
    });
    expect(await json(...span, '--yes')).toMatchObject({ answer: { runs: [], done_before: 2 } });
    await run('schedule', 'delete', 'daily');
    expect([existsSync(file('daily.md')), existsSync(file('.before/daily.md'))]).toEqual([false, true]);
    const changes = (await events('schedule.changed')).map(
      (event) => event.type === 'schedule.changed' && `${event.data.schedule} ${event.data.change}`,
    );
    expect(changes).toEqual(['daily added', 'daily off', 'daily on', 'null off', 'null on', 'daily removed']);
  });

  it('for graphs is the same below oka graph', async () => {
    using folder = temporaryFolder();
    const { run, json, file } = await openHome(folder.dir);
    mkdirSync(join(folder.dir, 'workspace/graphs'));
    const node = { kind: 'tool', id: 'w', tool: 'files.write', input: { path: 'n.txt', content: 'n={{input.n}}' } };
    const graph = { id: 'count', nodes: [{ ...node, timeout_seconds: 10, max_retries: 0 }] };
    writeFileSync(join(folder.dir, 'workspace/graphs/count.json'), JSON.stringify(graph));
    await run(
      'graph',
      'schedule',
      'add',
      'count',
      '--every',
      'daily at 6:00',
      '--input',
      '{"n": 7}',
      '--id',
      'mornings',
    );
    expect(JSON.parse(readFileSync(file('mornings.json'), 'utf8'))).toMatchObject({ graph: 'count', input: { n: 7 } });
    expect(await json('graph', 'schedule', 'list')).toMatchObject({
      schedules: [{ schedule: 'mornings', kind: 'graph' }],
    });
    expect(await json('graph', 'schedule', 'trigger', 'mornings')).toMatchObject({ runs: [{ status: 'done' }] });
    expect(readFileSync(join(folder.dir, 'workspace/desk/n.txt'), 'utf8')).toBe('n=7');
  });

  it('whose last three runs failed is named by oka status and in TODOS.md, and switched off if it says so', async () => {
    using folder = temporaryFolder();
    const { run, json, write } = await openHome(folder.dir);
    write('flaky.md', runbook('every: daily at 8:00\npause_after_failures: 3', 'exit 3'));
    for (const day of ['05', '06', '07'])
      await run('schedule', 'backfill', 'flaky', `2026-01-${day}`, `2026-01-${day}`, '--yes');
    expect((await run('status')).out).toMatch(/schedules .*1 to check.*\n    flaky: its last 3 runs failed/);
    await run('schedule', 'tick');
    expect(await json('schedule', 'list')).toMatchObject({ schedules: [{ on: false, failures: 3 }] });
    expect((await run('status')).out).toContain('so it was switched off');
    await run('maintain', '--once');
    expect(readFileSync(join(folder.dir, '.oka/brain/TODOS.md'), 'utf8')).toMatch(
      /Schedules to check[\s\S]*flaky.*its last 3 runs failed/,
    );
  });

  it('the first time that oka schedule add promises is one that a tick finds, however late it comes', async () => {
    using folder = temporaryFolder();
    const { run, json, events } = await openHome(folder.dir);
    expect((await run('schedule', 'add', 'Say hello', '--every', 'every 2 hours')).code).toBe(0);
    const [added] = await events('schedule.changed');
    expect(added).toMatchObject({ data: { schedule: 'say-hello', change: 'added' } });
    expect(await json('schedule', 'tick')).toMatchObject({ answer: { due: 0 } });
    expect(await events('schedule.changed')).toHaveLength(1);
  });

  it('does not run in a copy of its home until a person has said which one is the home', async () => {
    using folder = temporaryFolder();
    const first = join(folder.dir, 'first');
    const copy = join(folder.dir, 'copy');
    mkdirSync(first);
    const original = await openHome(first);
    original.write('once.md', runbook(`at: ${YEAR + 1}-01-01T08:00`));
    await original.run('schedule', 'tick');
    cpSync(first, copy, { recursive: true });
    const copied = await openHome(copy);
    const said = `this home was copied: it also worked in ${realpathSync(first)}, where it still is`;
    expect(await copied.run('schedule', 'tick')).toMatchObject({
      code: 3,
      err: expect.stringContaining(said) as string,
    });
    expect((await copied.run('status')).out.replaceAll(/\s+/g, ' ')).toContain(said);
    expect((await original.run('schedule', 'tick')).code).toBe(0);
    expect((await copied.run('schedule', 'start')).code).toBe(0);
    expect((await copied.run('schedule', 'tick')).code).toBe(0);
    expect((await copied.run('status')).out).not.toContain('copied');
    renameSync(copy, `${copy}-moved`);
    const moved = await openHome(`${copy}-moved`);
    expect((await moved.run('schedule', 'tick')).code).toBe(0);
    writeFileSync(join(`${copy}-moved`, '.oka', 'place.json'), '{"machine":"0123456789abcdef","dir":"/home/x"}\n');
    vi.stubEnv('OKA_CONTAINER', '0'); // in a container nothing is claimed about the machine
    const { err } = await moved.run('schedule', 'tick');
    vi.unstubAllEnvs();
    const hasId = ['/etc/machine-id', '/var/lib/dbus/machine-id'].some((file) => existsSync(file));
    expect(err.includes('it also worked on another machine, in /home/x')).toBe(hasId);
  });

  it('is previewed by oka check and oka add', async () => {
    using folder = temporaryFolder();
    const { run } = await openHome(folder.dir);
    const file = join(folder.dir, 'weekly.md');
    writeFileSync(file, runbook('every: monday 08:00'));
    expect((await run('add', file)).out).toMatch(/Added: Report\nNext times:\n(  Mon .* 08:00 \+00:00\n){5}/);
    expect((await run('check', file)).out).toMatch(/Next times \(UTC\):\n(  Mon .* 08:00 \+00:00\n){5}/);
  });
});
