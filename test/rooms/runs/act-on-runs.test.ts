import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, type Ran, temporaryFolder } from '../../support/cli.ts';

const ask = (id: string): object => ({
  id,
  title: `Ask ${id}`,
  nodes: [
    { kind: 'tool', id: 'ask', tool: 'human.ask', input: { question: 'Well?' }, timeout_seconds: 20, max_retries: 0 },
  ],
});

/** A home with two runs that wait for an answer, and one that is over. */
async function homeWithRuns(dir: string): Promise<(...args: string[]) => Promise<Ran>> {
  await oka('init', '--dir', dir);
  const run = (...args: string[]): Promise<Ran> => oka(...args, '--dir', dir);
  writeFileSync(join(dir, 'ask.json'), JSON.stringify(ask('ask')));
  for (const id of ['one', 'two', 'three']) await run('graph', 'run', join(dir, 'ask.json'), '--id', id);
  await run('answer', 'three.ask.0.w0', 'yes');
  return run;
}

const statuses = async (run: (...args: string[]) => Promise<Ran>): Promise<string[]> =>
  (await run('runs', '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { run: string; status: string })
    .map(({ run: name, status }) => `${name} ${status}`);

describe('acts on many runs', () => {
  it('show the list first, and then act on exactly these runs', async () => {
    using folder = temporaryFolder();
    const run = await homeWithRuns(folder.dir);
    const shown = await run('runs', 'cancel', '--status', 'blocked');
    expect(shown).toMatchObject({ code: 1, out: expect.stringContaining('Cancel would act on 2 runs') });
    expect(await statuses(run)).toEqual(['one blocked', 'two blocked', 'three done']);
    const done = await run('runs', 'cancel', '--text', 'ask', '--yes');
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('left out  three: it is done already') });
    expect(await statuses(run)).toEqual(['one cancelled', 'two cancelled', 'three done']);
  });

  it('archive and pin by name, and undo that; nothing else changes', async () => {
    using folder = temporaryFolder();
    const run = await homeWithRuns(folder.dir);
    expect(await run('runs', 'archive', 'one')).toMatchObject({ code: 1, out: expect.stringContaining('not over') });
    expect(await run('runs', 'archive', 'three')).toMatchObject({ code: 0, out: 'Archive: 1 run\n' });
    expect(await run('runs', 'pin', 'two', '--yes')).toMatchObject({ code: 0 });
    expect(await statuses(run)).toEqual(['two blocked', 'one blocked']);
    expect((await run('show', 'three', '--json')).out).toContain('"done"');
    await run('runs', 'unarchive', 'three');
    await run('runs', 'unpin', 'two');
    expect(await statuses(run)).toEqual(['one blocked', 'two blocked', 'three done']);
    expect((await run('log', '--type', 'runs.marked')).out).toMatch(/Archived three[^]*Pinned two[^]*Unarchived three/);
  });

  it('refuse to choose all runs silently, and to choose in two ways at once', async () => {
    using folder = temporaryFolder();
    const run = await homeWithRuns(folder.dir);
    expect(await run('runs', 'cancel')).toMatchObject({ code: 2, err: expect.stringContaining('say which runs') });
    expect(await run('runs', 'cancel', 'one', '--status', 'blocked')).toMatchObject({ code: 2 });
    expect(await statuses(run)).toEqual(['one blocked', 'two blocked', 'three done']);
  });
});
