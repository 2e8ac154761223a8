import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GraphText, removeGraphFile, replaceGraphText } from '../../../src/kit/graphs/edit-graph.ts';
import { oka, type Ran, temporaryFolder } from '../../support/cli.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const report = {
  id: 'report',
  nodes: [{ kind: 'tool', id: 'look', tool: 'files.list', input: {}, ...bounds }],
};

type Home = { file: string; text: () => string; run: (...words: string[]) => Promise<Ran>; json: Json };
type Json = <T>(...words: string[]) => Promise<T>;
type Versions = { current: string; versions: { version: string; cause: string; current: boolean }[] };

async function homeWith(dir: string, graph: object = report): Promise<Home> {
  await oka('init', '--dir', dir);
  const file = join(dir, 'workspace/graphs/report.json');
  mkdirSync(join(dir, 'workspace/graphs'), { recursive: true });
  writeFileSync(file, `${JSON.stringify(graph, null, '\t')}\n`);
  const run = (...words: string[]): Promise<Ran> => oka(...words, '--dir', dir);
  const json: Json = async (...words) => JSON.parse((await run(...words, '--json')).out) as never;
  return { file, text: () => readFileSync(file, 'utf8'), run, json };
}

describe('the versions of a graph', () => {
  it('are saved when it runs, is patched and is rolled back to, each once', async () => {
    using folder = temporaryFolder();
    const { text, run, json } = await homeWith(folder.dir);
    const first = text();
    expect((await run('graph', 'versions', 'report')).out).toContain('No version of report was saved yet');
    await run('graph', 'run', 'report');
    await run('graph', 'run', 'report');
    const patched = await run('graph', 'patch', 'report', 'look', 'timeout_seconds', '30');
    expect(patched).toMatchObject({ code: 0 });
    expect(patched.out).toMatch(/- nodes\.look\.timeout_seconds: 20\n.*\+ nodes\.look\.timeout_seconds: 30/);
    expect(text()).toBe(first.replace('20', '30'));
    const two = await json<Versions>('graph', 'versions', 'report');
    expect(two.versions.map(({ cause, current }) => [cause, current])).toEqual([
      ['run', false],
      ['patched', true],
    ]);
    const [old] = two.versions;
    expect(await run('graph', 'diff', 'report')).toMatchObject({
      code: 1,
      out: expect.stringContaining('+ nodes.look.timeout_seconds: 30'),
    });
    await run('graph', 'rollback', 'report', old?.version.slice(0, 8) ?? '');
    expect(text()).toBe(first);
    const three = await json<Versions>('graph', 'versions', 'report');
    expect(three.versions.map(({ cause, version }) => [cause, version === old?.version])).toEqual([
      ['run', true],
      ['patched', false],
      ['rolled_back', true],
    ]);
    expect(await run('graph', 'rollback', 'report', 'zzzz')).toMatchObject({ code: 2 });
    await run('rebuild');
    expect(await json('graph', 'versions', 'report')).toEqual(three);
    expect((await run('verify')).code).toBe(0);
  });

  it('include one that was only edited by hand, which a patch does not lose', async () => {
    using folder = temporaryFolder();
    const { file, text, run, json } = await homeWith(folder.dir);
    await run('graph', 'patch', 'report', 'look', 'title', '"One"');
    writeFileSync(file, text().replace('One', 'Two'));
    const edited = text();
    await run('graph', 'patch', 'report', 'look', 'title', '"Three"');
    const { versions } = await json<Versions>('graph', 'versions', 'report');
    expect(versions.map(({ cause }) => cause)).toEqual(['edited', 'patched', 'edited', 'patched']);
    await run('graph', 'rollback', 'report');
    expect(text()).toBe(edited);
  });

  it('bring back a graph whose file is gone', async () => {
    using folder = temporaryFolder();
    const { file, text, run } = await homeWith(folder.dir);
    await run('graph', 'run', 'report');
    const before = text();
    const { rmSync } = await import('node:fs');
    rmSync(file);
    expect((await run('graph', 'versions', 'report')).out).toContain('was deleted');
    expect(await run('graph', 'rollback', 'report')).toMatchObject({ code: 0 });
    expect(text()).toBe(before);
  });

  it('that contained a secret are not rolled back to with a placeholder in its place', async () => {
    using folder = temporaryFolder();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { text, run } = await homeWith(folder.dir, { ...report, title: token });
    await run('graph', 'patch', 'report', 'look', 'title', '"x"');
    const after = text();
    expect(await run('graph', 'rollback', 'report')).toMatchObject({
      code: 3,
      err: expect.stringContaining('contained a secret'),
    });
    expect(text()).toBe(after);
    expect(readFileSync(join(folder.dir, '.oka/run_ledger.jsonl'), 'utf8')).not.toContain(token);
  });
});

describe('oka graph patch', () => {
  it('writes nothing in a dry run, nor when the graph would have a problem that it did not have', async () => {
    using folder = temporaryFolder();
    const { text, run } = await homeWith(folder.dir);
    const before = text();
    expect(await run('graph', 'patch', 'report', 'look', 'title', '"x"', '--dry-run')).toMatchObject({ code: 0 });
    expect(await run('graph', 'patch', 'report', 'look', 'needs', '["nobody"]')).toMatchObject({
      code: 1,
      out: expect.stringContaining('there is no node "nobody"'),
    });
    expect(await run('graph', 'patch', 'report', 'look', 'colour', '1')).toMatchObject({ code: 1 });
    expect(await run('graph', 'patch', 'report', 'look', 'title', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining(`'"x"'`),
    });
    expect(text()).toBe(before);
    expect(readdirSync(join(folder.dir, 'workspace/graphs'))).toEqual(['report.json']);
  });

  it('mends one problem of several', async () => {
    using folder = temporaryFolder();
    const [look] = report.nodes;
    const { run } = await homeWith(folder.dir, { ...report, nodes: [{ ...look, needs: ['x'], tool: 'no.such' }] });
    expect(await run('graph', 'patch', 'report', 'look', 'needs', '--unset')).toMatchObject({
      code: 0,
      out: expect.stringContaining('there is no tool "no.such"'),
    });
  });

  it('does not overwrite what an editor has written meanwhile', () => {
    using folder = temporaryFolder();
    const file = join(folder.dir, 'g.json');
    writeFileSync(file, 'edited');
    expect(() => replaceGraphText({ file, text: 'read before' }, 'patched')).toThrow(/meanwhile/);
    expect(() => replaceGraphText({ file, text: null }, 'patched')).toThrow(/exists already/);
    expect(() => removeGraphFile({ file, text: 'read before', value: {} })).toThrow(/meanwhile/);
    expect(readFileSync(file, 'utf8')).toBe('edited');
    expect(existsSync(`${file}.tmp`)).toBe(false);
    const gone = join(folder.dir, 'gone.json'); // somebody else has deleted it
    for (const change of [removeGraphFile, (read: GraphText) => replaceGraphText(read, 'patched')])
      expect(() => change({ file: gone, text: 'read before', value: {} })).toThrow(/meanwhile/);
  });
});
