/** Processor time of processes that this one has started, and of the whole machine, as the kernel counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of /proc: a hundred a second on every Linux that Node runs on. */
const TICK_MS = 10;

type Entry = { pid: number; parent: number; name: string; ms: number };

/** Milliseconds of all processes below this one whose name is given, with those that they have started and ended. */
export function treeCpuMs(name: string): number {
  const entries = readEntries();
  const mine = descendantsOf(process.pid, entries).filter((each) => each.name === name);
  const all = new Set(mine.flatMap((each) => [each, ...descendantsOf(each.pid, entries)]));
  return [...all].reduce((sum, { ms }) => sum + ms, 0);
}

/** Milliseconds of one process and everything below it. */
export function processCpuMs(pid: number): number {
  const entries = readEntries();
  const own = entries.filter((each) => each.pid === pid);
  return [...own, ...descendantsOf(pid, entries)].reduce((sum, { ms }) => sum + ms, 0);
}

/** Milliseconds in which a core of this machine was busy, whoever used it. */
export function machineBusyMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync('/proc/stat', 'utf8')
    .slice('cpu '.length, 200)
    .trim()
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}

function descendantsOf(pid: number, entries: readonly Entry[]): Entry[] {
  return entries
    .filter(({ parent }) => parent === pid)
    .flatMap((child) => [child, ...descendantsOf(child.pid, entries)]);
}

function readEntries(): Entry[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readEntry(Number(name)) : []));
}

function readEntry(pid: number): Entry[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid, parent: Number(fields[1]), name: text.slice(text.indexOf('(') + 1, end), ms: ticks * TICK_MS }];
  } catch {
    return []; // it has ended meanwhile
  }
}
