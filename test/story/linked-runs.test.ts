import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, okaWith, type Ran, temporaryFolder } from '../support/cli.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const append = (id: string, content: string, rest: object = {}): object => ({
  kind: 'tool',
  id,
  tool: 'files.write',
  input: { path: `${id}.txt`, content, append: true },
  ...bounds,
  ...rest,
});

/** Writes a line, reads a file, writes another line: fails while that file is not there. */
const report = (file: string): object => ({
  id: 'report',
  nodes: [
    append('first', 'for {{input.who}}\n'),
    { kind: 'tool', id: 'read', tool: 'files.read', needs: ['first'], input: { path: file }, ...bounds },
    append('note', '{{read.content}}', { needs: ['read'] }),
  ],
});

type Workplace = {
  run: (...words: string[]) => Promise<Ran>;
  json: (...words: string[]) => Promise<unknown>;
  save: (graph: object) => string;
  desk: (name: string) => string;
};

async function homeIn(dir: string): Promise<Workplace> {
  await oka('init', '--dir', dir);
  mkdirSync(join(dir, 'workspace/graphs'), { recursive: true });
  const file = join(dir, 'workspace/graphs/report.json');
  const run: Workplace['run'] = (...words) => oka(...words, '--dir', dir);
  return {
    run,
    json: async (...words) => JSON.parse((await run(...words, '--json')).out) as unknown,
    save: (graph) => {
      writeFileSync(file, JSON.stringify(graph));
      return file;
    },
    desk: (name) => readFileSync(join(dir, 'workspace/desk', name), 'utf8'),
  };
}

describe('oka graph resume', () => {
  it('continues a failed run with the graph as it was patched, and repeats nothing', async () => {
    using folder = temporaryFolder();
    const { run, json, save, desk } = await homeIn(folder.dir);
    const failed = await run('graph', 'run', save(report('missing.txt')), '--id', 'r', '--input', '{"who":"Ada"}');
    expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('missing.txt') });
    save(report('first.txt'));
    expect(await json('graph', 'resume', 'r')).toMatchObject({ run: 'r-again', status: 'done' });
    expect([desk('first.txt'), desk('note.txt')]).toEqual(['for Ada\n', 'for Ada\n']);
    expect(await json('explain', 'r-again')).toMatchObject({
      link: { kind: 'resume', run: 'r' },
      actions: [{ node: 'read' }, { node: 'note' }],
    });
    expect((await run('replay', 'r-again', '--mode', 'decision')).code).toBe(0);
    expect(await run('graph', 'resume', 'r')).toMatchObject({
      code: 3,
      err: expect.stringContaining('r-again, which continued r, is done'),
    });
  });

  it('continues the run that continued it, when that has failed, too', async () => {
    using folder = temporaryFolder();
    const { run, json, save, desk } = await homeIn(folder.dir);
    await run('graph', 'run', save(report('missing.txt')), '--id', 'r', '--input', '{"who":"Ada"}');
    expect(await json('graph', 'resume', 'r')).toMatchObject({ run: 'r-again', status: 'failed' });
    save(report('first.txt'));
    expect(await json('graph', 'resume', 'r')).toMatchObject({ run: 'r-again-again', status: 'done' });
    expect(desk('first.txt')).toBe('for Ada\n');
  });

  it('is refused where a step that is done has changed, and says which', async () => {
    using folder = temporaryFolder();
    const { run, save } = await homeIn(folder.dir);
    await run('graph', 'run', save(report('missing.txt')), '--id', 'r', '--input', '{"who":"Ada"}');
    const changed = report('first.txt') as { nodes: { input: object }[] };
    Object.assign(changed.nodes[0] ?? {}, append('first', 'other'));
    save(changed);
    expect(await run('graph', 'resume', 'r')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/first is done, and has changed: input[^]*--from <node>/),
    });
    expect((await run('show', 'r-again')).code).toBe(2);
  });
});

describe('oka graph replay', () => {
  it('runs the graph once more with the same input, from a node on if one is named', async () => {
    using folder = temporaryFolder();
    const { run, json, save, desk } = await homeIn(folder.dir);
    await run('graph', 'run', save(report('first.txt')), '--id', 'r', '--input', '{"who":"Ada"}');
    expect(await json('graph', 'replay', 'r')).toMatchObject({ run: 'r-replay', status: 'done' });
    expect([desk('first.txt'), desk('note.txt')]).toEqual(['for Ada\n'.repeat(2), 'for Ada\n'.repeat(3)]);
    expect(await json('graph', 'replay', 'r', '--from', 'note')).toMatchObject({ run: 'r-replay-2', status: 'done' });
    expect([desk('first.txt'), desk('note.txt')]).toEqual(['for Ada\n'.repeat(2), 'for Ada\n'.repeat(4)]);
    expect(await run('graph', 'replay', 'r', '--from', 'nowhere')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no node "nowhere"'),
    });
  });

  it('runs the graph as the run had it, unless the latest is asked for', async () => {
    using folder = temporaryFolder();
    const { run, json, save } = await homeIn(folder.dir);
    await run('graph', 'run', save(report('missing.txt')), '--id', 'r', '--input', '{"who":"Ada"}');
    save(report('first.txt'));
    expect(await json('graph', 'replay', 'r')).toMatchObject({ status: 'failed' });
    expect(await json('graph', 'replay', 'r', '--at', 'latest')).toMatchObject({ status: 'done' });
    await run('graph', 'run', 'report', '--input', '{"who":"Eve"}');
    const { out } = await run('graph', 'versions', 'report', '--json');
    const [, version = ''] = [...out.matchAll(/"version":"([0-9a-f]{64})"/g)].at(-1) ?? [];
    expect(await json('graph', 'replay', 'r', '--at', version.slice(0, 8))).toMatchObject({ status: 'done' });
    expect(await run('graph', 'replay', 'r', '--at', 'soon')).toMatchObject({ code: 2 });
  });

  it('says how many runs it would replay, and replays them when a person says yes', async () => {
    using folder = temporaryFolder();
    const { run, json, save } = await homeIn(folder.dir);
    const file = save(report('missing.txt'));
    for (const id of ['r', 's']) await run('graph', 'run', file, '--id', id, '--input', '{"who":"Ada"}');
    expect(await run('graph', 'build', 'say hello')).toMatchObject({ code: 3 }); // no model is set; its run has failed
    const bulk = ['graph', 'replay', '--status', 'failed', '--since', '1d', '--at', 'latest'];
    expect(await run(...bulk)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/2 runs would be replayed: r, s[^]*--yes/),
    });
    save(report('first.txt'));
    expect(await okaWith({ answers: ['no'] }, ...bulk, '--dir', folder.dir)).toMatchObject({ code: 1 });
    const said = await okaWith({ answers: ['y'] }, ...bulk, '--dir', folder.dir);
    expect(said).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Replay 2 runs\?[^]*r-replay done[^]*s-replay done/),
    });
    expect(await json('graph', 'replay', '--status', 'cancelled')).toEqual({ replayed: false, count: 0, runs: [] });
    expect(existsSync(join(folder.dir, 'workspace/desk/note.txt'))).toBe(true);
  });
});

describe('oka graph fork', () => {
  it('starts at a node with another input, in a copy of the desk as it was then, and leaves the desk alone', async () => {
    using folder = temporaryFolder();
    const { run, json, save, desk } = await homeIn(folder.dir);
    const later = append('note', 'changed since\n');
    await run(
      'graph',
      'run',
      save({ id: 'report', nodes: [append('first', 'for {{input.who}}\n'), { ...later, needs: ['first'] }] }),
      '--id',
      'r',
      '--input',
      '{"who":"Ada"}',
    );
    await run('graph', 'replay', 'r');
    const before = [desk('first.txt'), desk('note.txt')];
    const input = JSON.stringify({ path: 'other.txt', content: 'of the fork' });
    expect(await json('graph', 'fork', 'r', 'note', '--input', input)).toMatchObject({ run: 'r-fork', status: 'done' });
    const fork = (name: string): string => join(folder.dir, 'workspace/forks/r-fork', name);
    expect(readFileSync(fork('first.txt'), 'utf8')).toBe('for Ada\n');
    expect(readFileSync(fork('other.txt'), 'utf8')).toBe('of the fork');
    expect(existsSync(fork('note.txt'))).toBe(false);
    expect([desk('first.txt'), desk('note.txt')]).toEqual(before);
    expect(existsSync(join(folder.dir, 'workspace/desk/other.txt'))).toBe(false);
    expect(await json('explain', 'r-fork')).toMatchObject({
      link: { kind: 'fork', run: 'r', node: 'note' },
      actions: [{ node: 'note', input: { path: 'other.txt' } }],
    });
  });

  it('of a command runs it in the copy, and what it reads there is not that of the desk', async () => {
    using folder = temporaryFolder();
    const { run, json, save, desk } = await homeIn(folder.dir);
    const shell = (id: string, line: string, needs: string[] = []): object => ({
      kind: 'tool',
      id,
      tool: 'shell',
      input: { line },
      needs,
      ...bounds,
    });
    const read = {
      kind: 'tool',
      id: 'read',
      tool: 'files.read',
      needs: ['count'],
      input: { path: 'n.txt' },
      ...bounds,
    };
    const file = save({
      id: 'report',
      nodes: [shell('start', 'echo 1 > n.txt'), shell('count', 'echo more >> n.txt; pwd > at.txt', ['start']), read],
    });
    expect((await run('graph', 'run', file, '--id', 'r')).code).toBe(0);
    const line = JSON.stringify({ line: 'echo fork >> n.txt; echo $HOME > home.txt' });
    expect(await json('graph', 'fork', 'r', 'count', '--input', line, '--id', 'f')).toMatchObject({
      status: 'done',
      output: { content: '1\nfork\n' },
    });
    expect(desk('n.txt')).toBe('1\nmore\n');
    const at = join(folder.dir, 'workspace/forks/f');
    expect(readFileSync(join(at, 'home.txt'), 'utf8').trim()).toBe(at);
    expect(existsSync(join(at, 'at.txt'))).toBe(false);
    expect(await json('graph', 'fork', 'f', 'read', '--id', 'g')).toMatchObject({
      status: 'done',
      output: { content: '1\nfork\n' },
    });
    expect(await json('diff', 'r', 'f')).toMatchObject({
      runs: [
        { run: 'r', cost: { calls: 3 } },
        { run: 'f', cost: { calls: 2 } },
      ],
      paths: [
        ['start', 'count', 'read'],
        ['count', 'read'],
      ],
      outputs: [{ node: 'read', output: [{ content: '1\nmore\n' }, { content: '1\nfork\n' }] }],
      files: [{ path: 'at.txt', content: [expect.any(String), null] }, { path: 'home.txt' }, { path: 'n.txt' }],
    });
    expect(await json('diff', 'f', 'g')).toMatchObject({ outputs: [], files: [] });
    const shown = await run('diff', 'r', 'f');
    expect(shown.code).toBe(1);
    expect(shown.out).toMatch(/start → count → read[^]*read in f: [^]*at\.txt: only after r\n[^]*n\.txt: differs/);
    expect(await run('graph', 'fork', 'r', 'count', '--id', 'f')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is there already'),
    });
  });
});

it('oka graph fork refuses an input for a node that would not use it', async () => {
  using folder = temporaryFolder();
  const { run, save } = await homeIn(folder.dir);
  const nodes = [
    { kind: 'transform', id: 'a', value: 'x' },
    { kind: 'typed_condition', id: 'b', needs: ['a'], left: '{{a}}', operator: 'eq', right: 'x' },
    { kind: 'transform', id: 'c', needs: ['b'] },
  ];
  await run('graph', 'run', save({ id: 'report', nodes }), '--id', 'r');
  for (const node of ['a', 'b'])
    expect(await run('graph', 'fork', 'r', node, '--input', '"y"')).toMatchObject({
      code: 2,
      err: expect.stringContaining('takes no input of its own'),
    });
  expect(await run('graph', 'fork', 'r', 'c', '--input', '"y"')).toMatchObject({
    code: 0,
    out: expect.stringContaining('"y"'),
  });
});

describe('oka fork', () => {
  it('starts at a step of a task again, in a copy of the desk, and oka diff compares it with the task', async () => {
    using folder = temporaryFolder();
    const { json, desk } = await homeIn(folder.dir);
    const task = '# Count\n\n```sh id:one\necho 1 > n.txt\n```\n\n```sh id:two\necho 2 >> n.txt\n```\n';
    const file = join(folder.dir, 'count.md');
    writeFileSync(file, task);
    const { run } = (await json('run', file)) as { run: string };
    const line = JSON.stringify({ line: 'cat n.txt; echo 3 >> n.txt' });
    expect(await json('fork', run, '--from', 'two', '--input', line, '--id', 'f')).toMatchObject({ status: 'done' });
    expect(readFileSync(join(folder.dir, 'workspace/forks/f/n.txt'), 'utf8')).toBe('1\n3\n');
    expect(desk('n.txt')).toBe('1\n2\n');
    expect(await json('diff', run, 'f')).toMatchObject({
      runs: [{ run: expect.stringContaining(`${run}.execute`) }, { run: 'f' }],
      paths: [['one', 'two'], ['two']],
      outputs: [{ node: 'two' }],
      files: [{ path: 'n.txt' }],
    });
  });
});

describe('oka graph pin and oka graph run --until', () => {
  it('run a part of a graph while it is being written, with outputs that are fixed, and say so', async () => {
    using folder = temporaryFolder();
    const { run, json, save, desk } = await homeIn(folder.dir);
    save(report('missing.txt'));
    expect(await run('graph', 'pin', 'report', 'read', '{"content":"by hand"}')).toMatchObject({ code: 0 });
    expect(await json('graph', 'run', 'report', '--until', 'note')).toMatchObject({
      status: 'done',
      pinned: ['read'],
      path: ['note'],
    });
    expect(desk('note.txt')).toBe('by hand');
    expect(existsSync(join(folder.dir, 'workspace/desk/first.txt'))).toBe(false);
    const ran = await run('graph', 'run', 'report', '--input', '{"who":"Ada"}');
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('pinned, and not run: read') });
    expect(await run('graph', 'pin', 'report', 'nowhere', '1')).toMatchObject({
      code: 1,
      out: expect.stringContaining('no node "nowhere"'),
    });
    expect(await json('graph', 'pin', 'report', 'read', '--remove')).toMatchObject({ pinned: [] });
    expect((await run('graph', 'run', 'report', '--input', '{"who":"Ada"}')).code).toBe(1);
  });
});
