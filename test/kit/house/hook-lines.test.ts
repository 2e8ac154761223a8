/** The hooks of docs/HOOKS.md, in a home, around a real run. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, temporaryFolder } from '../../support/cli.ts';

const page = readFileSync(new URL('../../../docs/HOOKS.md', import.meta.url), 'utf8');
const documented = Object.fromEntries(
  [...page.matchAll(/<!-- hook: (\w+) -->\n\n```sh\n(.*)\n```/g)].map(([, name, line]) => [name, line]),
);
const graph = {
  id: 'hooked',
  mode: 'flex',
  nodes: [
    { kind: 'transform', id: 'five', value: 5 },
    { kind: 'typed_condition', id: 'more', needs: ['five'], left: '{{five}}', operator: 'gt', right: 3 },
    { kind: 'tool', id: 'read', needs: ['more'], tool: 'files.read', input: { path: "it's not there" } },
  ],
};

async function homeWith(dir: string, hooks: object): Promise<(name: string) => string> {
  await oka('init', '--dir', dir);
  const config = join(dir, '.oka/rules/config.json');
  writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), hooks }));
  writeFileSync(join(dir, 'hooked.json'), JSON.stringify(graph));
  return (name) => readFileSync(join(dir, 'workspace/desk', name), 'utf8');
}

describe('hooks of a home', () => {
  it('archive, count and notify as the page says', async () => {
    expect(Object.keys(documented)).toEqual(['after_node', 'after_run', 'on_error']);
    using folder = temporaryFolder();
    const desk = await homeWith(folder.dir, documented);
    await oka('graph', 'run', join(folder.dir, 'hooked.json'), '--dir', folder.dir, '--id', 'one');
    const archived = desk('archive/one.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(archived).toMatchObject([
      { hook: 'after_node', run: 'one', graph: 'hooked', node: 'five', kind: 'transform', home: folder.dir },
      { node: 'more', kind: 'typed_condition', status: 'done' },
    ]);
    expect(desk('metrics/oka.prom')).toBe('oka_runs_total{status="failed"} 1\n');
    expect(readdirSync(join(folder.dir, 'workspace/desk/notices'))).toEqual(['one-read.json']);
    expect(JSON.parse(desk('notices/one-read.json'))).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/not there/),
    });
  });

  it('a veto ends the run before its first step, and its reason is recorded', async () => {
    using folder = temporaryFolder();
    await homeWith(folder.dir, { before_run: 'grep -q \'"graph":"hooked"\' && echo "veto: not this graph"' });
    const { code, out, err } = await oka(
      'graph',
      'run',
      join(folder.dir, 'hooked.json'),
      '--dir',
      folder.dir,
      '--id',
      'one',
    );
    expect([code, `${out}${err}`]).toEqual([1, expect.stringContaining('the hook before_run: not this graph')]);
  });
});
