/** What graphs remember and how they ran, through the command line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, temporaryFolder } from '../../support/cli.ts';

const bounds = { timeout_seconds: 60, max_retries: 0 };
const visits = {
  id: 'visits',
  nodes: [
    { kind: 'read_state', id: 'before', key: 'last guest', default: 'nobody', ...bounds },
    { kind: 'write_state', id: 'now', key: 'last guest', value: '{{input.guest}}', needs: ['before'], ...bounds },
    { kind: 'read_prior_runs', id: 'earlier', limit: 5, fields: ['run', 'output'], needs: ['now'], ...bounds },
  ],
};

async function home(
  dir: string,
): Promise<(...words: string[]) => Promise<{ code: number | null; data: unknown; out: string }>> {
  await oka('init', '--dir', dir);
  writeFileSync(join(dir, 'visits.json'), JSON.stringify(visits));
  return async (...words) => {
    const { code, out, err } = await oka(...words, '--dir', dir, ...(words.includes('--text') ? [] : ['--json']));
    return { code, out: out + err, data: out.startsWith('{') ? JSON.parse(out) : null };
  };
}

describe('a graph that remembers', () => {
  it('is run, shown, corrected and looked back at by commands', async () => {
    using folder = temporaryFolder();
    const run = await home(folder.dir);
    const file = join(folder.dir, 'visits.json');
    expect(await run('graph', 'validate', file)).toMatchObject({ code: 0, data: { valid: true } });
    for (const guest of ['Ada', 'Bob'])
      expect(
        await run('graph', 'run', file, '--id', `for-${guest}`, '--input', JSON.stringify({ guest })),
      ).toMatchObject({ code: 0 });

    expect(await run('graph', 'state', 'show', 'visits')).toMatchObject({
      data: { graph: 'visits', values: [{ key: 'last guest', value: 'Bob', run: 'for-Bob', node: 'now' }] },
    });
    expect(await run('graph', 'state', 'get', file, 'last guest')).toMatchObject({ code: 0, data: { value: 'Bob' } });
    expect(await run('graph', 'state', 'get', 'visits', 'other')).toMatchObject({ code: 1, data: { found: false } });

    expect(await run('graph', 'state', 'set', 'visits', 'last guest', '"Cy"', '--expect', '"Ada"')).toMatchObject({
      code: 3,
    });
    expect(await run('graph', 'state', 'set', 'visits', 'last guest', '"Cy"', '--expect', '"Bob"')).toMatchObject({
      code: 0,
    });
    expect(await run('graph', 'run', file, '--id', 'for-Di', '--input', '{"guest":"Di"}')).toMatchObject({
      data: {
        output: {
          runs: [
            { run: 'for-Bob', output: { runs: [{ run: 'for-Ada', output: { runs: [] } }] } },
            { run: 'for-Ada', output: { runs: [] } },
          ],
        },
      },
    });
    expect(await run('graph', 'state', 'delete', 'visits', 'last guest')).toMatchObject({
      code: 0,
      data: { deleted: true },
    });
    expect(await run('graph', 'state', 'delete', 'visits', 'last guest')).toMatchObject({
      code: 1,
      data: { deleted: false },
    });
    const history = (await run('graph', 'state', 'history', 'visits', 'last guest')).data as {
      changes: { value?: unknown }[];
    };
    expect(history.changes.map(({ value }) => value)).toEqual(['Ada', 'Bob', 'Cy', 'Di', undefined]);

    expect(await run('graph', 'runs', 'visits', '2')).toMatchObject({
      data: { runs: [{ run: 'for-Di', status: 'done', input: { guest: 'Di' } }, { run: 'for-Bob' }] },
    });
    expect(await run('graph', 'state', 'checkpoints', 'visits')).toMatchObject({
      data: {
        run: 'for-Di',
        checkpoints: [
          { node: 'before', status: 'done', output: { key: 'last guest', value: 'Cy' }, known: ['before'] },
          { node: 'now', state: { key: 'last guest', value: 'Di' }, known: ['before', 'now'] },
          { node: 'earlier', known: ['before', 'now', 'earlier'] },
        ],
      },
    });
  });

  it('reads as text, too', async () => {
    using folder = temporaryFolder();
    const run = await home(folder.dir);
    const show = async (...words: string[]): Promise<string> => (await oka('graph', ...words, '--dir', folder.dir)).out;
    expect(await show('state', 'show', 'visits')).toBe('visits remembers nothing.\n');
    expect(await show('runs', 'visits')).toBe('visits has not run yet.\n');
    expect(await show('state', 'set', 'visits', 'n', '1')).toBe('visits remembers "n".\n');
    expect(await show('state', 'show', 'visits')).toMatch(/^n\s+1 /);
    expect(await show('state', 'get', 'visits', 'n')).toBe('1\n');
    expect(await show('state', 'delete', 'visits', 'n')).toBe('visits no longer remembers "n".\n');
    expect(await show('state', 'history', 'visits')).toContain('(removed)');
    expect(await run('graph', 'state', 'get', 'visits')).toMatchObject({ code: 2 });
    expect(await run('graph', 'state', 'set', 'visits', 'n', '{')).toMatchObject({ code: 2 });
    expect(await run('graph', 'state', 'checkpoints', 'visits')).toMatchObject({ code: 2 });
  });
});
