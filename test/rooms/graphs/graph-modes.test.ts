import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, temporaryFolder } from '../../support/cli.ts';

const write = { kind: 'transform', id: 'a', value: '{{input.x}}' };
const call = { kind: 'tool', id: 'b', tool: 'files.list', input: { path: '.' }, needs: ['a'] };

describe('the mode of a graph', () => {
  it('may be tightened for a run, and loosened only by force, which is recorded', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka('init', '--dir', dir);
    const file = join(dir, 'g.json');
    const graph = { id: 'g', nodes: [write, { ...call, timeout_seconds: 5, max_retries: 0 }] };
    writeFileSync(file, JSON.stringify(graph));
    const run = (...words: string[]) => oka('graph', 'run', file, ...words, '--json', '--dir', dir);
    expect(await run('--mode', 'strict')).toMatchObject({
      code: 3,
      err: expect.stringContaining('nodes.1.idempotency_key: mode strict needs idempotency_key'),
    });
    expect((await run('--mode', 'strict')).err).toContain('Say what makes two calls the same one');
    expect(await run('--mode', 'flex')).toMatchObject({ code: 2, err: expect.stringContaining('flex is looser') });
    expect(await run('--mode', 'flex', '--force', '--id', 'loose')).toMatchObject({ code: 0 });
    const log = await oka('log', '--json', '--dir', dir);
    expect(log.out).toContain('"loosened_from":"bounded"');
    writeFileSync(
      file,
      JSON.stringify({
        ...graph,
        nodes: [write, { ...call, timeout_seconds: 5, max_retries: 0, idempotency_key: 'k' }],
      }),
    );
    expect(await run('--mode', 'strict')).toMatchObject({ code: 0 });
  });

  it('validate prints each problem with its place, its rule and what to do', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    const file = join(folder.dir, 'g.json');
    writeFileSync(file, JSON.stringify({ id: 'g', mode: 'bounded', nodes: [write, { ...call, max_retries: 0 }] }));
    const { code, out } = await oka('graph', 'validate', file, '--dir', folder.dir);
    expect([code, out]).toEqual([
      1,
      'g has 1 problem:\n  nodes.1.timeout_seconds: mode bounded needs timeout_seconds (mode.bounded)\n    Say how long one attempt may take, such as "timeout_seconds": 60.\n',
    ]);
  });
});
