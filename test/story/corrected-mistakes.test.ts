import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { launcher, oka, okaProcess, temporaryFolder } from '../support/cli.ts';
import { isThorough } from '../support/thorough.ts';

it('with --stay a mistake is told once and waited for; when it is mended work begins, and stopping ends with 0', async () => {
  const { dir, file, right } = await spoiled();
  const up = started('up', '--alone', '--stay', '--dir', dir);
  await until(() => up.said().includes('POLICY.md'));
  expect(await oka('status', '--health', '--dir', dir)).toMatchObject({ code: 1, out: 'no worker is running\n' });
  saved(file, right);
  await until(async () => (await oka('status', '--health', '--dir', dir)).code === 0);
  expect(JSON.parse((await oka('status', '--health', '--json', '--dir', dir)).out)).toMatchObject({ healthy: true });
  await until(() => ledger(dir).includes('"type":"task.received"'));
  await until(() => welcomes(dir).length === 0);
  up.child.kill('SIGTERM');
  expect(await once(up.child, 'close')).toEqual([0, null]);
  expect(up.said().match(/POLICY\.md is not valid|POLICY\.md:/g)).toHaveLength(1);
});

/** What is left of the welcome task in the inbox. */
const welcomes = (dir: string): string[] =>
  readdirSync(join(dir, 'workspace/inbox'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('welcome'));

it.runIf(isThorough)(
  'with --stay a damaged ledger is reported once and waited for; when it is restored work begins',
  async () => {
    const { dir } = await home();
    const file = join(dir, '.oka/run_ledger.jsonl');
    const first = started('worker', '--dir', dir);
    await until(() => ledger(dir).includes('"type":"sandbox.chosen"'));
    first.child.kill('SIGTERM');
    await once(first.child, 'close');
    const right = ledger(dir);
    saved(file, right.replace('"at":"20', '"at":"30'));
    for (const snapshot of ['active_task_graph.json', 'state'])
      rmSync(join(dir, '.oka', snapshot), { recursive: true });
    expect(okaProcess('worker', '--dir', dir)).toMatchObject({ code: 3, err: expect.stringContaining('oka verify') });
    const up = started('up', '--alone', '--stay', '--dir', dir);
    await until(() => up.said().includes('is damaged at seq 1'));
    await sleep(5000); // the time of another attempt
    saved(file, right);
    await until(() => ledger(dir).length > right.length);
    expect(up.said().match(/is damaged at seq 1/g)).toHaveLength(1);
    up.child.kill('SIGTERM');
    expect(await once(up.child, 'close')).toEqual([0, null]);
  },
);

it('a mistake in the policy of a running worker is logged once, with what is valid meanwhile', async () => {
  const { dir } = await home();
  const file = join(dir, '.oka/rules/POLICY.md');
  const worker = started('worker', '--dir', dir);
  await until(() => ledger(dir).includes('"type":"sandbox.chosen"'));
  saved(file, readFileSync(file, 'utf8').replace('version: 1', 'version: ['));
  await until(() => worker.said().includes('The previous policy remains active'));
  await sleep(1500);
  expect(worker.said().match(/POLICY\.md: /g)).toHaveLength(1);
});

it('a mistake at the first start is reported once, with its line, also by status, and waited for', async () => {
  const { dir } = await home();
  const file = join(dir, '.oka/rules/config.json');
  saved(file, '{\n  "inbox": {\n    "parallel": 0\n  }\n}\n');
  const up = started('up', '--dir', dir);
  await until(() => up.said().includes('It starts as soon as the mistake above is corrected.'));
  expect(up.said().match(/line 3, inbox\.parallel: /g)).toHaveLength(1);
  expect((await oka('status', '--dir', dir)).out).toMatch(
    /^ {2}rules .*config\.json is not valid:\n +line 3, inbox\.par/m,
  );
  saved(file, withParallel(1));
  await until(() => ledger(dir).includes('"type":"worker.started"'));
  expect((await oka('status', '--dir', dir)).out).not.toContain('rules');
  up.child.kill('SIGTERM');
  expect(await once(up.child, 'close')).toEqual([0, null]);
});

it.runIf(isThorough)('the same mistake ends a worker that nobody supervises', async () => {
  const { dir } = await spoiled();
  expect(okaProcess('worker', '--dir', dir)).toMatchObject({ code: 3, err: expect.stringContaining('POLICY.md') });
});

it('a proxy with --stay waits for its policy, too', async () => {
  const { dir, file, right } = await spoiled();
  const egress = started('egress', '--listen', '127.0.0.1:0', '--stay', '--dir', dir);
  await until(() => egress.said().includes('POLICY.md'));
  saved(file, right);
  await until(() => egress.said().includes('Listening on'));
  egress.child.kill('SIGTERM');
  await once(egress.child, 'close');
});

it('settings that are changed while nothing is under way hold from a new worker on; a mistake in them changes nothing', async () => {
  const { dir } = await home();
  const up = started('up', '--alone', '--dir', dir);
  const workers = (): number => ledger(dir).match(/"type":"worker\.started"/g)?.length ?? 0;
  await until(() => existsSync(join(dir, 'workspace/outbox')) && /"type":"run\.ended"/.test(ledger(dir)));
  saved(join(dir, '.oka/rules/config.json'), withParallel(0));
  await until(() => /"name":"config\.json","reason":".*inbox\.parallel/.test(ledger(dir)));
  expect(workers()).toBe(1);
  saved(join(dir, '.oka/rules/config.json'), withParallel(2));
  await until(() => workers() === 2);
  up.child.kill('SIGTERM');
  expect(await once(up.child, 'close')).toEqual([0, null]);
});

it.runIf(isThorough)(
  'mistakes in config.json and POLICY.md never end oka up: a worker that refuses to start is started when they are corrected',
  async () => {
    const { dir } = await home();
    const [config, policy] = [join(dir, '.oka/rules/config.json'), join(dir, '.oka/rules/POLICY.md')];
    const right = readFileSync(policy, 'utf8');
    const up = started('up', '--alone', '--dir', dir);
    const workers = (): number => ledger(dir).match(/"type":"worker\.started"/g)?.length ?? 0;
    await until(() => /"type":"run\.ended"/.test(ledger(dir)));
    saved(policy, right.replace('version: 1', 'version: ['));
    await until(() => up.said().includes('The previous policy remains active'));
    saved(config, withParallel(2)); // another worker begins with these, and refuses the policy
    await until(() => up.said().includes('It starts as soon as the mistake above is corrected.'));
    saved(config, withParallel(0));
    saved(policy, right);
    await sleep(1500);
    expect([workers(), up.child.exitCode]).toEqual([1, null]);
    saved(config, withParallel(3));
    await until(() => workers() === 2);
    up.child.kill('SIGTERM');
    expect(await once(up.child, 'close')).toEqual([0, null]);
  },
);

it.skipIf(process.getuid?.() === 0)(
  'a folder that cannot be written is told with its owner and the remedy',
  async () => {
    const { dir } = await home();
    chmodSync(join(dir, 'workspace/desk'), 0o500);
    const { code, err } = okaProcess('up', '--dir', dir);
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/desk belongs to uid \d+ and is not open to uid \d+\n +sudo chown/),
    ]);
  },
);

async function home(): Promise<{ dir: string }> {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  await oka('init', '--dir', folder.dir);
  saved(join(folder.dir, '.oka/rules/config.json'), withParallel(1));
  return folder;
}

/** Without memory, which none of these tests needs. */
const withParallel = (parallel: number): string =>
  JSON.stringify({ inbox: { parallel }, memory: { cap: 0, vectors: false } });

async function spoiled(): Promise<{ dir: string; file: string; right: string }> {
  const { dir } = await home();
  const file = join(dir, '.oka/rules/POLICY.md');
  const right = readFileSync(file, 'utf8');
  saved(file, right.replace('version: 1', 'version: one'));
  return { dir, file, right };
}

/** As editors do it. */
function saved(file: string, content: string): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

const ledger = (dir: string): string => {
  const file = join(dir, '.oka/run_ledger.jsonl');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

function started(...args: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => void (said += text.toString()));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, said: () => said };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}
