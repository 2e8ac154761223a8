import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { oka, type Ran, temporaryFolder } from '../../support/cli.ts';

const folder = temporaryFolder();
const run = (...words: string[]): Promise<Ran> => oka(...words, '--dir', folder.dir);

beforeAll(async () => {
  await run('init');
  const file = join(folder.dir, 'graph.json');
  const node = {
    kind: 'tool',
    id: 'look',
    tool: 'files.list',
    input: { path: '.' },
    timeout_seconds: 5,
    max_retries: 0,
  };
  writeFileSync(file, JSON.stringify({ id: 'g', nodes: [node] }));
  for (const id of ['report-1', 'report-2', 'photos']) await run('graph', 'run', file, '--id', id);
  return () => folder[Symbol.dispose]();
});

describe('the name of a run', () => {
  it('may be a beginning that no other run has', async () => {
    expect((await run('show', 'pho')).out).toContain('done');
    expect((await run('explain', 'pho')).out).toContain('photos');
    expect((await run('replay', 'report-2')).code).toBe(0);
    expect((await run('log', '--run', 'pho', '--json')).out).toContain('"run":"photos"');
  });

  it('that fits several runs is refused with their names', async () => {
    expect(await run('show', 'report')).toMatchObject({
      code: 2,
      err: expect.stringContaining('report-1 or report-2'),
    });
    expect((await run('undo', 'rep')).code).toBe(2);
  });

  it.each(['undo', 'cancel', 'pause', 'resume', 'show', 'explain', 'replay', 'again'])(
    'that no run has is wrong usage of oka %s',
    async (verb) => {
      const { code, err } = await run(verb, 'nonsense');
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('there is no run "nonsense"') });
    },
  );
});
