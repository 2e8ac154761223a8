import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt, loadConfig, programFolder } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { launcher, oka, okaWith, temporaryFolder } from '../../support/cli.ts';

const graph = { id: 'g', sha256: '0'.repeat(64) };

/** A home with one finished run and one that waits. */
async function furnished(dir: string): Promise<void> {
  await oka('init', '--dir', dir);
  const home = homeAt(dir);
  const stores = await openStores(home, await loadConfig(home), 'run', { clock: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
  const events: NewEvent[] = [
    {
      type: 'run.started',
      run: 'r1',
      data: { title: 'Count the apples', graph, nodes: [{ id: 'count', title: 'Count' }] },
    },
    {
      type: 'call.started',
      run: 'r1',
      data: { call: 'c1', node: 'count', tool: 'shell', class: 'read', input: { line: 'ls' } },
    },
    { type: 'call.ended', run: 'r1', data: { call: 'c1', node: 'count', status: 'ok', settles: 'done' } },
    { type: 'run.ended', run: 'r1', data: { status: 'done', reason: 'seven' } },
    {
      type: 'run.started',
      run: 'r2',
      data: { title: 'Send \u001B[31mthem\u001B[0m', graph, nodes: [{ id: 'send', title: 'Send' }] },
    },
    { type: 'wait.opened', run: 'r2', data: { wait: 'w1', node: 'send', for: { kind: 'question', text: 'To whom?' } } },
  ];
  for (const event of events) await stores.ledger.append(event);
  await stores.close();
}

describe('oka without a command', () => {
  it('says in ten lines how a home stands and what to do next, and is the help where there is no home', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    expect((await oka('--dir', dir)).out).toContain('Usage: oka <command>');
    await furnished(dir);
    const { code, out } = await oka('--dir', dir);
    expect(code).toBe(0);
    expect(out.split('\n').length).toBeLessThanOrEqual(11);
    expect(out).toMatch(/needs you Send .*waits for your answer: To whom\?/);
    expect(out).toContain('finished  Count the apples: done');
    expect(out).toMatch(/not running[^]*\nNext: oka up\n$/);
    expect(JSON.parse((await oka('--dir', dir, '--json')).out)).toMatchObject({ dir });
    writeFileSync(join(dir, '.oka/STOP'), '');
    expect((await oka('--dir', dir)).out).toMatch(/everything is stopped\n[^]*Next: rm .*STOP\n$/);
  });
});

describe('oka init', () => {
  it('makes everything once and changes nothing the second time', async () => {
    using folder = temporaryFolder();
    const first = JSON.parse((await oka('init', '--dir', folder.dir, '--json')).out) as { made: string[] };
    expect(first.made).toEqual(
      expect.arrayContaining(['.oka/rules/', '.oka/rules/POLICY.md', 'workspace/inbox/', 'INSTALL_REQUIREMENTS.md']),
    );
    expect(lstatSync(join(folder.dir, 'INSTALL_REQUIREMENTS.md')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(folder.dir, 'INSTALL_REQUIREMENTS.md'))).toBe(true);
    writeFileSync(join(folder.dir, '.oka/rules/POLICY.md'), 'mine');
    expect(JSON.parse((await oka('init', '--dir', folder.dir, '--json')).out)).toMatchObject({ made: [] });
    expect(readFileSync(join(folder.dir, '.oka/rules/POLICY.md'), 'utf8')).toBe('mine');
  });
});

describe('oka status', () => {
  it('shows active goals, what they wait for, and the size of the ledger', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const { code, out } = await oka('status', '--dir', folder.dir);
    expect(code).toBe(0);
    expect(out).toContain('6 events');
    expect(out).toContain('waits for your answer: To whom?');
    expect(out).not.toContain('Count the apples');
    expect(out).not.toContain('\u001B');
    for (const line of out.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('lists what was not accepted from the inbox, with the reason', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const rejected = join(folder.dir, 'workspace', 'inbox', 'rejected');
    mkdirSync(rejected, { recursive: true });
    for (let i = 10; i < 22; i++) {
      writeFileSync(join(rejected, `t${i}.md`), '');
      writeFileSync(
        join(rejected, `t${i}.md.reason.md`),
        `# t${i}.md was not accepted\n\nit is empty\u001B[2J\n\nMore.\n`,
      );
    }
    const { out } = await oka('status', '--dir', folder.dir);
    expect(out).toContain('12 not accepted, in workspace/inbox/rejected');
    expect(out).toMatch(/t10\.md: it is empty/);
    expect(out).toContain('and 2 more');
    expect(out).not.toContain('\u001B');
  });

  it('is exact even when the snapshot is missing, and changes nothing', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    rmSync(join(folder.dir, '.oka/active_task_graph.json'));
    const status = JSON.parse((await oka('status', '--dir', folder.dir, '--json')).out) as {
      goals: { run: string }[];
      ended: { run: string }[];
      worker: unknown;
    };
    expect(status).toMatchObject({
      worker: null,
      goals: [{ run: 'r2', status: 'blocked' }],
      ended: [{ run: 'r1', status: 'done' }],
    });
    expect(existsSync(join(folder.dir, '.oka/active_task_graph.json'))).toBe(false);
  });

  it('names the process that holds the pen', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const home = homeAt(folder.dir);
    const stores = await openStores(home, await loadConfig(home));
    try {
      expect(JSON.parse((await oka('status', '--dir', folder.dir, '--json')).out)).toMatchObject({
        worker: { pid: process.pid },
      });
      expect(await oka('rebuild', '--dir', folder.dir)).toMatchObject({
        code: 3,
        err: expect.stringContaining(`process ${process.pid}`),
      });
    } finally {
      await stores.close();
    }
    expect(JSON.parse((await oka('status', '--dir', folder.dir, '--json')).out)).toMatchObject({ worker: null });
  });
});

describe('oka log', () => {
  it('reads like a story in 80 columns and lets no escape code through', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const { out } = await oka('log', '--dir', folder.dir);
    expect(out.split('\n')).toHaveLength(8);
    expect(out).toContain('2026-01-02');
    expect(out).toContain('03:04:05');
    expect(out).toContain('Began: Count the apples');
    expect(out).toContain('Ended, done: seven');
    expect(out).not.toContain('\u001B');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('filters by run, type, seq and limit', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const seqs = async (...args: string[]): Promise<number[]> =>
      (await oka('log', '--json', '--dir', folder.dir, ...args)).out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(await seqs('--run', 'r1')).toEqual([1, 2, 3, 4]);
    expect(await seqs('--type', 'run.*')).toEqual([1, 4, 5]);
    expect(await seqs('--type', 'call.ended')).toEqual([3]);
    expect(await seqs('--since', '5')).toEqual([5, 6]);
    expect(await seqs('--limit', '2')).toEqual([5, 6]);
    expect(await seqs('--limit', '0', '--run', 'r2')).toEqual([5, 6]);
    expect(await seqs('--type', 'run.*', '--limit', '1')).toEqual([5]);
    expect(await seqs('--pen', 'maintenance')).toEqual([]);
  });

  it('follows new events and ends with 130 on Ctrl-C', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const child = spawn(process.execPath, [launcher, 'log', '--follow', '--json', '--limit', '1', '--dir', folder.dir]);
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await until(() => out.includes('"seq":6'));
    const home = homeAt(folder.dir);
    const stores = await openStores(home, await loadConfig(home));
    await stores.ledger.append({ type: 'run.paused', run: 'r2', data: { reason: 'lunch' } });
    await stores.close();
    await until(() => out.includes('"seq":7'));
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(130);
    expect(out.trim().split('\n')).toHaveLength(2);
  });
});

describe('Ctrl-C', () => {
  it.each([['runs'], ['find', 'lunch'], ['explain', 'r2'], ['again', 'r2'], ['metrics'], ['verify']])(
    'one is enough while oka %s %s reads the ledgers',
    async (...words) => {
      using folder = temporaryFolder();
      await furnished(folder.dir);
      const given = words.filter((word) => word !== undefined);
      const { code, out, err } = await okaWith({ signal: AbortSignal.abort() }, ...given, '--dir', folder.dir);
      expect({ code, out, err }).toEqual({ code: 130, out: '', err: '' });
    },
  );
});

describe('oka verify', () => {
  it('says intact with the number of events and the head', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const { code, out } = await oka('verify', '--dir', folder.dir);
    expect(code).toBe(0);
    expect(out).toMatch(/run_ledger: intact, 6 events.*\n\s+head [0-9a-f]{64}/);
  });

  it('names the first bad seq and byte and exits 1', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const file = join(folder.dir, '.oka/run_ledger.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    const offset = Buffer.byteLength(`${lines.slice(0, 2).join('\n')}\n`);
    lines[2] = lines[2]?.replace('"ok"', '"no"') ?? '';
    writeFileSync(file, lines.join('\n'));
    const { code, out } = await oka('verify', '--dir', folder.dir);
    expect(code).toBe(1);
    expect(out).toContain(`damaged at seq 3, byte ${offset}`);
    expect(JSON.parse((await oka('verify', '--json', '--dir', folder.dir)).out)).toMatchObject({
      intact: false,
      ledgers: [{ state: 'damaged', fault: { seq: 3, offset } }, { state: 'absent' }],
    });
  });
});

describe('oka rebuild', () => {
  it('brings the projections back byte for byte', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    const file = join(folder.dir, '.oka/active_task_graph.json');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, '{}');
    expect(await oka('rebuild', '--dir', folder.dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('6 events folded again'),
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('oka ledger archive', () => {
  it('moves finished runs away; log, verify and rebuild still cover them', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    expect(await oka('ledger', 'archive', '--before', '2026-02-01', '--dir', folder.dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('events 1 to 4'),
    });
    expect(readFileSync(join(folder.dir, '.oka/run_ledger.jsonl'), 'utf8').startsWith('{"seq":5,')).toBe(true);
    expect((await oka('verify', '--dir', folder.dir)).out).toContain('intact, 7 events');
    expect((await oka('log', '--dir', folder.dir)).out).toContain('Began: Count the apples');
    expect((await oka('rebuild', '--dir', folder.dir)).out).toContain('7 events folded again');
    expect(await oka('ledger', 'archive', '--before', '2026-02-01', '--dir', folder.dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing was moved'),
    });
  });
});

describe('oka doctor', () => {
  it('finds a fresh home healthy', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    expect(await oka('doctor', '--dir', folder.dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Everything needed is working'),
    });
  });

  it('says what is wrong with folders, config, policy and ledger, and how to mend each', async () => {
    using folder = temporaryFolder();
    await furnished(folder.dir);
    rmSync(join(folder.dir, 'workspace/inbox'), { recursive: true });
    writeFileSync(join(folder.dir, '.oka/rules/config.json'), '{"ledger":{"snapshot_ms":"soon"}}');
    writeFileSync(join(folder.dir, '.oka/rules/POLICY.md'), '---\nversion: 1\n---\n');
    writeFileSync(
      join(folder.dir, '.oka/run_ledger.jsonl'),
      readFileSync(join(folder.dir, '.oka/run_ledger.jsonl'), 'utf8').replace('apples', 'pears'),
    );
    const { code, out } = await oka('doctor', '--json', '--dir', folder.dir);
    const { findings } = JSON.parse(out) as { findings: { state: string; found: string; fix?: string }[] };
    const bad = findings.filter((finding) => finding.state === 'bad');
    expect(code).toBe(1);
    expect(bad.map((finding) => finding.found).join('\n')).toMatch(
      /inbox is not there[^]*ledger\.snapshot_ms[^]*defaults[^]*damaged at seq 1/,
    );
    expect(bad.every((finding) => finding.fix !== undefined)).toBe(true);
  });
});

describe('oka schema', () => {
  it('keeps the schema beside the settings up to date', async () => {
    expect(readFileSync(join(programFolder, 'share/home/rules/config.schema.json'), 'utf8')).toBe(
      (await oka('schema', 'config')).out,
    );
  });

  it('lists every concept', async () => {
    const names = JSON.parse((await oka('schema', '--json')).out) as string[];
    expect(names).toEqual(
      expect.arrayContaining(['config', 'graph', 'policy', 'task-file', 'event', 'event:run.started']),
    );
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !condition(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(condition()).toBe(true);
}
