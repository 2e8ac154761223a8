/** How often the kernel has killed a process for want of memory where this one lives: its container or service, else its machine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Null where the kernel does not say. `root` is the top of the file system. */
export function countMemoryKills(root = '/'): number | null {
  for (const file of eventFiles(root)) {
    const [, count] = /^oom_kill (\d+)$/m.exec(read(file)) ?? [];
    if (count !== undefined) return Number(count);
  }
  return null;
}

/** The nearest first. In a container the folder of its own group is the top one. */
function eventFiles(root: string): string[] {
  const groups = read(join(root, 'proc/self/cgroup'));
  const [, own] = /^0::(.*)$/m.exec(groups) ?? [];
  const [, older] = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(groups) ?? [];
  const tops = join(root, 'sys/fs/cgroup');
  return [
    ...(older === undefined ? [] : [older, '/'].map((path) => join(tops, 'memory', path, 'memory.oom_control'))),
    ...(own === undefined ? [] : [own, '/'].map((path) => join(tops, path, 'memory.events'))),
    join(root, 'proc/vmstat'),
  ];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // another kernel, or a mount that hides it
  }
}
