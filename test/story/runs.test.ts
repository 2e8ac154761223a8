import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launcher, oka, okaWith, type Ran, temporaryFolder } from '../support/cli.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const note = {
  id: 'note',
  title: 'Write a note',
  nodes: [
    { kind: 'tool', id: 'look', tool: 'files.list', input: {}, ...bounds },
    {
      kind: 'tool',
      id: 'write',
      tool: 'files.write',
      needs: ['look'],
      input: { path: 'note.txt', content: 'for {{input.who}}' },
      ...bounds,
    },
    { kind: 'tool', id: 'ask', tool: 'human.ask', needs: ['write'], input: { question: 'Send it?' }, ...bounds },
  ],
};

/** A home with a graph file, and the command line on it. Its policy asks before anything is written. */
async function homeWith(
  dir: string,
  graph: object,
): Promise<{ file: string; run: (...args: string[]) => Promise<Ran> }> {
  await oka('init', '--dir', dir);
  const policy = join(dir, '.oka/rules/POLICY.md');
  writeFileSync(policy, readFileSync(policy, 'utf8').replace('write_local: allow', 'write_local: ask'));
  const file = join(dir, 'graph.json');
  writeFileSync(file, JSON.stringify(graph));
  return { file, run: (...args) => oka(...args, '--dir', dir) };
}

describe('oka graph run', () => {
  it('asks before it writes, goes on when answered from other processes, and ends done', async () => {
    using folder = temporaryFolder();
    const { file, run } = await homeWith(folder.dir, note);
    const asked = await run('graph', 'run', file, '--id', 'n1', '--input', '{"who":"Ada"}');
    expect(asked).toMatchObject({ code: 4, out: expect.stringContaining('oka approve n1.write.0.w0') });
    expect(existsSync(join(folder.dir, 'workspace/desk/note.txt'))).toBe(false);
    expect(await run('answer', 'n1.write.0.w0', 'maybe')).toMatchObject({
      code: 2,
      err: expect.stringContaining('yes or no'),
    });
    expect(await run('answer', 'n1.write.0.w0', 'yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Send it?'),
    });
    expect(readFileSync(join(folder.dir, 'workspace/desk/note.txt'), 'utf8')).toBe('for Ada');
    expect(await run('answer', 'n1.ask.0.w0', 'not', 'yet')).toMatchObject({
      code: 0,
      out: expect.stringContaining('"not yet"'),
    });
    expect(await run('graph', 'run', file, '--id', 'n1', '--input', '{"who":"Eve"}')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is a run "n1" already'),
    });
    expect(await run('answer', 'n1.ask.0.w0', 'again')).toMatchObject({
      code: 3,
      err: expect.stringContaining('nothing waits'),
    });
    expect(await run('replay', 'n1', '--mode', 'decision')).toMatchObject({
      code: 0,
      out: expect.stringContaining('the same'),
    });
    expect((await run('explain', 'n1')).out).toMatch(/Timeline[^]*Calls[^]*files\.write \(write_local\) ok/);
    expect((await run('verify')).code).toBe(0);
  });

  it('fails with the reason when a person says no, and a resumed run keeps what was done', async () => {
    using folder = temporaryFolder();
    const { file, run } = await homeWith(folder.dir, note);
    await run('graph', 'run', file, '--id', 'n1', '--input', '{"who":"Ada"}');
    expect(await run('answer', 'n1.write.0.w0', 'no')).toMatchObject({
      code: 0,
      out: expect.stringContaining('denied'),
    });
    const again = JSON.parse((await run('resume', 'n1', '--json')).out) as {
      run: string;
      status: string;
      steps: { done: number };
      waits: { wait: string }[];
    };
    expect(again).toMatchObject({
      run: 'n1-again',
      status: 'blocked',
      steps: { done: 1 },
      waits: [{ wait: 'n1-again.write.0.w0' }],
    });
    const link = { kind: 'resume', run: 'n1' };
    expect(JSON.parse((await run('explain', 'n1-again', '--json')).out)).toMatchObject({ link });
    expect(JSON.parse((await run('show', 'n1-again', '--json')).out)).toMatchObject({ goal: { link } });
    expect((await run('show', 'n1-again')).out).toContain('resumes run n1');
    const listed = (await run('runs', '--json')).out.trimEnd().split('\n');
    expect(listed.map((line) => (JSON.parse(line) as { link?: object }).link)).toEqual([undefined, link]);
    expect(await run('cancel', 'n1-again')).toMatchObject({ code: 0, out: expect.stringContaining('cancelled') });
    expect(await run('resume', 'n1-again')).toMatchObject({
      code: 3,
      err: expect.stringContaining('nothing to resume'),
    });
  });

  it('refuses a graph with problems, naming all of them', async () => {
    using folder = temporaryFolder();
    const { file, run } = await homeWith(folder.dir, {
      id: 'bad',
      nodes: [{ kind: 'tool', id: 'a', tool: 'no.such', needs: ['b'] }],
    });
    const { code, out } = await run('graph', 'validate', file);
    expect(code).toBe(1);
    expect(out).toMatch(/there is no node "b"[^]*there is no tool "no\.such"[^]*timeout_seconds/);
    expect(await run('graph', 'run', file)).toMatchObject({ code: 3, err: expect.stringContaining('no.such') });
    writeFileSync(file, '{"id":"x"}');
    expect(await run('graph', 'show', file)).toMatchObject({ code: 3, err: expect.stringContaining('nodes') });
  });

  it('prints the nodes that ran, in order, and leaves no run when the graph does not compile', async () => {
    using folder = temporaryFolder();
    const list = { kind: 'tool', tool: 'files.list', input: {}, ...bounds };
    const { run } = await homeWith(folder.dir, {});
    const file = join(folder.dir, 'workspace/graphs/choose.json');
    mkdirSync(join(folder.dir, 'workspace/graphs'), { recursive: true });
    const choose = {
      id: 'choose',
      nodes: [
        { ...list, id: 'end' },
        { ...list, id: 'first' },
        { ...list, id: 'never' },
        { kind: 'map', id: 'all', over: '{{input.names}}', each: { ...list, id: 'one' } },
      ],
      edges: [
        { from: 'first', to: 'all' },
        { from: 'all', to: 'end' },
        { from: 'first', to: 'never', when: { field: 'branch', equals: 'never' } },
      ],
    };
    writeFileSync(file, JSON.stringify(choose));
    const input = join(folder.dir, 'input.json');
    writeFileSync(input, '{"names":["a","b"]}');
    for (const given of [input, `@${input}`, '{"names":["a","b"]}']) {
      const { code, out } = await run('graph', 'run', 'choose', '--input', given, '--json');
      expect(code).toBe(0);
      const { run: id, status, output, path } = JSON.parse(out) as Record<string, unknown>;
      expect({ status, path }).toEqual({ status: 'done', path: ['first', 'all', 'end'] });
      expect([id, output]).toEqual([expect.stringMatching(/^choose-/), expect.anything()]);
    }
    const piped = ['graph', 'run', 'choose', '--input', '-', '--json', '--dir', folder.dir];
    expect((await okaWith({ input: '{"names":[]}' }, ...piped)).out).toContain('"path":["first","all","end"]');
    expect(await run('graph', 'run', 'choose', '--input', 'no-such')).toMatchObject({ code: 2 });
    const before = (await run('runs', '--json')).out;
    writeFileSync(file, JSON.stringify({ ...choose, edges: [{ from: 'first', to: 'nowhere' }] }));
    expect(await run('graph', 'run', 'choose')).toMatchObject({ code: 3, err: expect.stringContaining('nowhere') });
    expect((await run('runs', '--json')).out).toBe(before);
    expect(await run('graph', 'show', 'chose')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean: choose'),
    });
  });

  it('can be paused from another process while it runs, and resumed', async () => {
    using folder = temporaryFolder();
    const slow = {
      id: 'slow',
      nodes: [
        { kind: 'wait', id: 'rest', for: { kind: 'timer', until: new Date(Date.now() + 600_000).toISOString() } },
      ],
    };
    const { file, run } = await homeWith(folder.dir, slow);
    const child = spawn(process.execPath, [
      launcher,
      'graph',
      'run',
      file,
      '--id',
      's1',
      '--json',
      '--dir',
      folder.dir,
    ]);
    await until(async () => (await run('status', '--json')).out.includes('"status":"blocked"'));
    const exited = once(child, 'exit'); // it may end before the command that pauses it does
    expect(await run('pause', 's1')).toMatchObject({ code: 0, out: 'Paused. Continue with: oka resume s1\n' });
    const [code] = (await exited) as [number];
    expect(code).toBe(4);
    expect((await run('log', '--type', 'intake.*')).out).toContain('Was asked to pause');
    expect((await run('status', '--json')).out).toContain('"status":"paused"');
  });

  it('stops within two seconds when .oka/STOP appears, and does not start while it is there', async () => {
    using folder = temporaryFolder();
    const slow = {
      id: 'slow',
      nodes: [
        { kind: 'wait', id: 'rest', for: { kind: 'timer', until: new Date(Date.now() + 600_000).toISOString() } },
      ],
    };
    const { file, run } = await homeWith(folder.dir, slow);
    const child = spawn(process.execPath, [launcher, 'graph', 'run', file, '--id', 's1', '--dir', folder.dir]);
    await until(async () => (await run('status', '--json')).out.includes('"status":"blocked"'));
    writeFileSync(join(folder.dir, '.oka/STOP'), '');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(4);
    expect(await run('resume', 's1')).toMatchObject({ code: 3, err: expect.stringContaining('STOP') });
  });
});

describe('oka simulate', () => {
  it('shows the calls and the verdicts and does nothing', async () => {
    using folder = temporaryFolder();
    const { file, run } = await homeWith(folder.dir, note);
    const { calls } = JSON.parse((await run('simulate', file, '--json', '--input', '{"who":"Ada"}')).out) as {
      calls: object[];
    };
    expect(calls).toMatchObject([
      { node: 'look', verdict: 'allow' },
      { node: 'write', verdict: 'ask', class: 'write_local' },
      { node: 'ask', verdict: 'allow' },
    ]);
    expect(existsSync(join(folder.dir, '.oka/run_ledger.jsonl'))).toBe(false);
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition, { timeout: 60_000, interval: 50 }).toBe(true);
}
