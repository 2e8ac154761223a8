/** docs/RELIABILITY.md: what was run, how often, on what, and what failed. */
import { readFileSync } from 'node:fs';
import { availableParallelism, release, totalmem } from 'node:os';
import type { Trial, TrialReport } from './trial.ts';

export type Finished = { trial: Trial; report: TrialReport; seconds: number };
export type RunFacts = {
  minutes: number;
  seed: number;
  startedAt: Date;
  version: string;
  finished: readonly Finished[];
};

const MAX_LISTED = 50;

export function reliabilityPage(facts: RunFacts): string {
  const { finished, seed, startedAt, version } = facts;
  const failures = finished.reduce((sum, { report }) => sum + report.failures.length, 0);
  const seconds = finished.reduce((sum, each) => sum + each.seconds, 0);
  return `${[
    '# Reliability',
    'This page is written by `npm run reliability -- --minutes N`; what is known of a failure is added by hand. Everything runs against the real program: real processes, real files, real signals. What is right is decided outside of oka, by what is on the disk and in `/proc`.',
    `**${failures === 0 ? 'No failure' : `${failures} ${failures === 1 ? 'failure' : 'failures'}`}** in ${Math.round(seconds / 60)} minutes, begun on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, version ${version}, seed ${seed}.`,
    `Machine: ${machine()}.`,
    table(finished),
    ...finished.map(section),
  ].join('\n\n')}\n`;
}

function table(finished: readonly Finished[]): string {
  const rows = finished.map(
    ({ trial, report, seconds }) => `| ${trial.name} | ${Math.round(seconds)} s | ${report.failures.length} |`,
  );
  return ['| trial | time | failures |', '|---|---:|---:|', ...rows].join('\n');
}

function rowsOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function section({ trial, report }: Finished): string {
  const counts = Object.entries(report.counts).map(([what, times]) => `- ${times.toLocaleString('en')} ${what}`);
  const failures = report.failures.slice(0, MAX_LISTED).map((text) => `- ${text.replaceAll('\n', ' ').slice(0, 500)}`);
  return [
    `## ${trial.name}`,
    trial.about,
    ...(report.skipped === undefined ? [] : [`**${report.skipped}**`]),
    counts.join('\n'),
    ...(report.table === undefined ? [] : [rowsOf(report.table)]),
    report.failures.length === 0
      ? 'Failures: none.'
      : `Failures (${report.failures.length}):\n\n${failures.join('\n')}`,
  ].join('\n\n');
}

function machine(): string {
  const model = /model name\s*: (.*)/.exec(readOrEmpty('/proc/cpuinfo'))?.[1] ?? process.arch;
  const gb = Math.round(totalmem() / 2 ** 30);
  const user = process.getuid?.() === 0 ? 'as root' : 'as an ordinary user';
  return `${availableParallelism()} cores (${model}), ${gb} GB, ${process.platform} ${release()}, Node ${process.version}, ${user}`;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
