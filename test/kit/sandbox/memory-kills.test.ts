import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { countMemoryKills } from '../../../src/kit/sandbox/memory-kills.ts';
import { temporaryFolder } from '../../support/cli.ts';

function countIn(files: Readonly<Record<string, string>>): number | null {
  using folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.dir, path)), { recursive: true });
    writeFileSync(join(folder.dir, path), text);
  }
  return countMemoryKills(folder.dir);
}

const vmstat = { 'proc/vmstat': 'nr_free_pages 1\noom_kill 9\n' };
const events = (count: number): string => `low 0\noom 3\noom_kill ${count}\noom_group_kill 0\n`;

it('a service is asked by its own group, a container by the top one, a machine without groups by its own count', () => {
  const group = { 'proc/self/cgroup': '0::/user.slice/oka.service\n', ...vmstat };
  expect(countIn({ ...group, 'sys/fs/cgroup/user.slice/oka.service/memory.events': events(2) })).toBe(2);
  expect(countIn({ ...group, 'sys/fs/cgroup/memory.events': events(3) })).toBe(3);
  expect(countIn(group)).toBe(9);
  const older = { 'proc/self/cgroup': '4:memory:/docker/1a\n0::/\n', ...vmstat };
  expect(countIn({ ...older, 'sys/fs/cgroup/memory/docker/1a/memory.oom_control': 'under_oom 0\noom_kill 4\n' })).toBe(
    4,
  );
  expect(countIn({})).toBe(null);
});

/** A group of processes with little memory, where this user may make one. */
function makeGroup(): string | null {
  const isOlder = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');
  const own = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  const folder = join(isOlder ? join('/sys/fs/cgroup/memory', own) : '/sys/fs/cgroup', `oka-test-${process.pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, isOlder ? 'memory.limit_in_bytes' : 'memory.max'), String(300 * 1024 * 1024));
    return folder;
  } catch {
    return null;
  }
}

const group = process.platform === 'linux' && process.getuid?.() === 0 ? makeGroup() : null;

it.skipIf(group === null)('a command that the kernel kills for want of memory says so', () => {
  const script = `
    import { writeFileSync } from 'node:fs';
    import { shellTool } from './src/rooms/desk/tools/shell.ts';
    writeFileSync(${JSON.stringify(join(group ?? '', 'cgroup.procs'))}, String(process.pid));
    const tool = shellTool({ desk: '/tmp', env: { PATH: process.env.PATH } });
    const argv = [process.execPath, '-e', 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 20, 1))'];
    const { signal } = new AbortController();
    const call = { run: 'r', node: 'n', call: 'r.n.1', attempt: 1, tool: 'shell', class: 'read', input: { argv }, key: null, signal };
    console.log(JSON.stringify(await tool.invoke({ argv }, call)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '../../..'),
    encoding: 'utf8',
  });
  expect(stdout, stderr).toContain('it was stopped because it used too much memory');
  rmdirSync(group ?? '');
});
