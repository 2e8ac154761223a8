import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rootNotice, userFinding } from '../../src/rooms/records/root-user.ts';
import { launcher, oka, okaProcess, temporaryFolder } from '../support/cli.ts';
import { casesOf } from '../support/thorough.ts';

const SECRET = 'swordfish-in-memory';

async function home(): Promise<string> {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  await oka('init', '--dir', folder.dir);
  writeFileSync(join(folder.dir, '.oka/rules/config.json'), '{ "memory": { "cap": 0, "vectors": false } }');
  return folder.dir;
}

/** Runs a line of bash in which `oka` is the program. */
function bash(line: string, cwd: string): { code: number | null; out: string } {
  const script = `oka() { ${JSON.stringify(process.execPath)} ${JSON.stringify(launcher)} "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd, encoding: 'utf8' });
  return { code: status, out: `${stdout}${stderr}` };
}

/** A worker with everything it printed, once it works. */
async function worker(dir: string, prefix = ''): Promise<{ child: ChildProcess; out: () => string }> {
  const line = `${prefix} exec ${JSON.stringify(process.execPath)} ${JSON.stringify(launcher)} worker --dir ${JSON.stringify(dir)}`;
  const env = { ...process.env, OKA_MODEL_KEY: SECRET };
  const child = spawn('bash', ['-c', line], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => void (text += bytes.toString()));
  const file = join(dir, '.oka/run_ledger.jsonl');
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes('"sandbox.chosen"')) await sleep(50);
  return { child, out: () => text };
}

describe('a process of oka', () => {
  it('opens no debugger on SIGUSR1, and points out once that it runs as root', async () => {
    const { child, out } = await worker(await home());
    child.kill('SIGUSR1');
    await sleep(500);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(out()).not.toContain('Debugger');
    expect(out().match(/runs as root/g)?.length ?? 0).toBe(process.getuid?.() === 0 ? 1 : 0);
  });

  it.skipIf(!existsSync('/proc/self/coredump_filter'))('leaves no memory in a core dump', async () => {
    const dir = await home();
    const { child } = await worker(dir, 'ulimit -c unlimited 2>/dev/null;');
    expect(readFileSync(`/proc/${child.pid}/coredump_filter`, 'utf8').trim()).toBe('00000000');
    child.kill('SIGABRT');
    expect(await once(child, 'close')).toEqual([null, 'SIGABRT']);
    for (const core of readdirSync(dir).filter((name) => name.startsWith('core')))
      expect(readFileSync(join(dir, core)).includes(SECRET)).toBe(false);
  });

  it('makes nothing that every user may write, whatever its umask', () => {
    using folder = temporaryFolder();
    expect(bash('umask 000; oka init --dir home', folder.dir).code).toBe(0);
    for (const path of ['.oka', '.oka/rules', '.oka/rules/POLICY.md', '.oka/intake', 'workspace/inbox'])
      expect(statSync(join(folder.dir, 'home', path)).mode & 0o002, path).toBe(0);
  });

  it('refuses a home whose rules or requests every user may write, with the fix', async () => {
    const paths = ['.oka/rules/POLICY.md', '.oka/rules', '.oka/intake', '.oka/approvals', '.oka'];
    for (const path of casesOf(paths, (each) => each === '.oka/rules/POLICY.md' || each === '.oka/approvals')) {
      const dir = await home();
      if (path === '.oka/approvals') bash('mkdir .oka/approvals', dir);
      const { mode } = statSync(join(dir, path));
      chmodSync(join(dir, path), mode | 0o002);
      const { code, err } = okaProcess('worker', '--dir', dir);
      expect([code, err]).toEqual([3, expect.stringMatching(/every user of this machine can write .*\n.*chmod o-w /)]);
      expect((await oka('doctor', '--dir', dir)).out).toContain('every user of this machine can write');
      expect(bash(/chmod o-w .*/.exec(err)?.[0] ?? 'false', dir).code).toBe(0);
      expect(statSync(join(dir, path)).mode).toBe(mode);
    }
  });

  it('as root is pointed out, and in doctor', () => {
    expect([rootNotice(1000), rootNotice(0)]).toEqual([null, expect.stringContaining('runs as root')]);
    expect(userFinding(1000)).toMatchObject({ state: 'good' });
    expect(userFinding(0)).toMatchObject({ state: 'odd', fix: expect.stringContaining('account of its own') });
  });
});

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;

it.skipIf(!canMount)('a read-only home is reported as read-only, not as one of another owner', async () => {
  const dir = await home();
  writeFileSync(join(dir, 'mount.sh'), `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"`);
  for (const words of casesOf([['up'], ['worker'], ['maintain', '--once']], ([command]) => command === 'worker')) {
    const args = ['-m', 'bash', join(dir, 'mount.sh'), dir, process.execPath, launcher, ...words, '--dir', dir];
    const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    expect([words[0], status, `${stdout}${stderr}`]).toEqual([
      words[0],
      3,
      expect.stringMatching(/is on a read-only file system\n +Mount it writable/),
    ]);
  }
});
