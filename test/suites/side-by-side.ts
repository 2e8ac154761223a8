/**
 * Runs npm scripts that share nothing side by side, in the order given: `node test/suites/side-by-side.ts <at once> <script>…`.
 * Prints when each begins and ends, the end of the log of one that failed, what tests say that they skip, and a table of
 * times. Every log is in test-artifacts/ci. All scripts run, also after one has failed; then the exit code is 1.
 *
 * Real servers, browsers and kills share the machine, and now and then one of them is late. So when all has ended, the few
 * test files that failed run once more, with the machine to themselves. What passes then is named UNSTEADY: it does not stop
 * a change, and it is a fault to look for. What fails twice has failed. A log of a failure is shown when it is known which of
 * the two it is, those that stop the change before the others.
 *
 * Each script has a session of its own: Linux divides the processors among sessions, so that the many processes of one
 * suite hardly delay those of another, and one signal ends all processes of a suite. Two suites at once keep two cores
 * busy; with three, what a trial waits for came too late on a slower machine. What takes longest comes first.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export type Command = readonly [string, ...string[]];
export type Job = { name: string; command: Command; again?: (files: readonly string[]) => Command };
export type Ended = { name: string; log: string; seconds: number; cpuSeconds: number; failure: string | null };
export type Options = { atOnce: number; folder: string; limitMinutes: number; print: (line: string) => void };

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const LINES_OF_A_FAILURE = 200; // a test runner prints its failures last
const FILES_TRIED_AGAIN = 4; // where more have failed, it was not chance

export async function runSideBySide(jobs: readonly Job[], options: Options): Promise<Ended[]> {
  mkdirSync(options.folder, { recursive: true });
  const waiting = [...jobs];
  const running = new Map<string, ChildProcess>();
  const ended: Ended[] = [];
  const takeJobs = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      options.print(`begins: ${job.name}`);
      const end = await runJob(job, options, running);
      ended.push(end);
      const again = againOf(end, jobs);
      if (again === null) reportEnd(end, options.print);
      else
        options.print(
          `in doubt: ${end.name}, ${Math.round(end.seconds)} s; once more at the end: ${again.files.join(' ')}`,
        );
    }
  };
  const stop = (): void => {
    waiting.length = 0;
    for (const child of running.values()) endSession(child, 'SIGTERM');
  };
  const progress = setInterval(() => options.print(`still running: ${[...running.keys()].join(', ')}`), 120_000);
  for (const signal of SIGNALS) process.on(signal, stop);
  await Promise.all(Array.from({ length: options.atOnce }, takeJobs));
  const unsteady: { end: Ended; files: readonly string[] }[] = [];
  for (const end of ended) {
    const again = againOf(end, jobs);
    if (again === null) continue;
    options.print(`begins once more, alone: ${again.files.join(' ')}`);
    const second = await runJob(again.job, options, running);
    reportEnd(second, options.print);
    if (second.failure === null) unsteady.push({ end, files: again.files });
  }
  for (const { end, files } of unsteady) {
    reportEnd(end, options.print);
    options.print(`UNSTEADY: ${files.join(' ')} failed in ${end.name} and passed alone; see ${end.log}`);
    end.failure = null;
  }
  for (const signal of SIGNALS) process.off(signal, stop);
  clearInterval(progress);
  return ended;
}

function againOf({ name, log, failure }: Ended, jobs: readonly Job[]): { job: Job; files: readonly string[] } | null {
  if (failure === null) return null;
  const again = jobs.find((job) => job.name === name)?.again;
  const files = new Set(linesOf(log).flatMap((line) => /^ *FAIL +(test\/\S+)/.exec(line)?.[1] ?? []));
  if (again === undefined || files.size === 0 || files.size > FILES_TRIED_AGAIN) return null;
  return { job: { name: `${name}:again`, command: again([...files]) }, files: [...files] };
}

async function runJob(job: Job, options: Options, running: Map<string, ChildProcess>): Promise<Ended> {
  const log = join(options.folder, `${job.name.replaceAll(/\W/g, '-')}.log`);
  const output = openSync(log, 'w');
  const [program, ...operands] = job.command;
  const began = performance.now();
  const child = spawn(program, operands, { stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  running.set(job.name, child);
  const limit = setTimeout(() => endSession(child, 'SIGKILL'), options.limitMinutes * 60_000);
  const { promise, resolve } = Promise.withResolvers<Pick<Ended, 'failure' | 'cpuSeconds'>>();
  child.on('error', ({ message }) => resolve({ failure: message, cpuSeconds: 0 }));
  child.on('exit', (code, signal) =>
    resolve({ failure: code === 0 ? null : `ended with ${signal ?? `code ${code}`}`, cpuSeconds: newCpuSeconds() }),
  );
  const end = await promise;
  clearTimeout(limit);
  running.delete(job.name);
  return { name: job.name, log, seconds: (performance.now() - began) / 1000, ...end };
}

let knownCpuSeconds = 0;

/** What the children that ended since the last call have used, with their own children; zero where there is no /proc. */
function newCpuSeconds(): number {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return 0;
  }
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(14, 16).map(Number);
  const before = knownCpuSeconds;
  knownCpuSeconds = (user + system) / 100;
  return knownCpuSeconds - before;
}

function endSession(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
}

function reportEnd({ name, log, failure, seconds }: Ended, print: Options['print']): void {
  const lines = linesOf(log);
  print(`${failure === null ? 'passed' : 'FAILED'}: ${name}, ${Math.round(seconds)} s`);
  for (const line of new Set(lines.filter((each) => each.includes('SKIPPED')))) print(`  ${line.trim()}`);
  if (failure === null)
    for (const line of lines.filter((each) => /^\s*Tests? (?:Files)? /.test(each))) print(`  ${line.trim()}`);
  else print([`  ${failure}; all of its log: ${log}`, ...lines.slice(-LINES_OF_A_FAILURE)].join('\n'));
}

const linesOf = (log: string): string[] => stripVTControlCharacters(readFileSync(log, 'utf8')).trimEnd().split('\n');

async function main([atOnce = '1', ...scripts]: readonly string[]): Promise<void> {
  const began = performance.now();
  const minutes = (): string => ((performance.now() - began) / 60_000).toFixed(1).padStart(5);
  const print = (line: string): void => console.log(`[${minutes()} min] ${line}`);
  const jobs = scripts.map((name): Job => {
    const command = ['npm', 'run', '-s', name] as const;
    return { name, command, again: (files) => [...command, '--', ...files] };
  });
  const folder = join(import.meta.dirname, '../../test-artifacts/ci');
  const ended = await runSideBySide(jobs, { atOnce: Number(atOnce), folder, limitMinutes: 45, print });
  for (const { name, seconds, cpuSeconds, failure } of ended)
    console.log(
      `${name.padEnd(20)} ${seconds.toFixed(0).padStart(6)} s ${cpuSeconds.toFixed(0).padStart(6)} s CPU ${failure ?? ''}`,
    );
  if (ended.length < jobs.length || ended.some(({ failure }) => failure !== null)) process.exitCode = 1;
}

if (import.meta.main) await main(process.argv.slice(2));
