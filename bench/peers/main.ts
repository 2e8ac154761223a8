/**
 * What a durable step costs in other engines: `npm run -s bench:peers -- [--steps N] [--json]`.
 * Each peer runs in a child of its own, so that one which is missing or broken is a line in the table.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { memoryFolder, temporaryHome } from '../support/home.ts';
import { installPeers } from './install-peers.ts';
import { type PeerRow, tableOfRows, unavailable } from './row.ts';
import { type Durability, MARK, type Shape, type Timed, type Work } from './work.ts';

type Peer = {
  name: string;
  file: string;
  packages: readonly string[];
  shapes: readonly Shape[];
  durabilities: readonly Durability[];
};

const both = { shapes: ['chain', 'loop'], durabilities: ['own', 'ours'] } as const;
const peers: readonly Peer[] = [
  { name: 'oka', file: 'oka.ts', packages: [], shapes: ['chain'], durabilities: ['own'] },
  { name: 'langgraph', file: 'langgraph.ts', packages: ['@langchain/langgraph', 'better-sqlite3'], ...both },
  { name: 'mastra', file: 'mastra.ts', packages: ['@mastra/core', '@mastra/libsql'], ...both },
];

const folder = fileURLToPath(new URL('.', import.meta.url));
const { values } = parseArgs({ options: { json: { type: 'boolean' }, steps: { type: 'string', default: '200' } } });
const steps = Number(values.steps);
if (!Number.isInteger(steps) || steps < 1) {
  process.stderr.write(`--steps takes a whole number from 1 on, not "${values.steps}"\n`);
  process.exit(2);
}
if (memoryFolder !== '/dev/shm') process.stderr.write('no /dev/shm here: the times hold what flushes cost\n');
installPeers(folder, 'installing the peers into bench/peers/node_modules (about 240 MB, once)');
const rows: PeerRow[] = [];
for (const peer of peers) {
  for (const shape of peer.shapes)
    for (const durability of peer.durabilities) rows.push(peerRow(peer, shape, durability));
}
process.stdout.write(values.json ? `${JSON.stringify(rows)}\n` : tableOfRows(rows));

function peerRow(peer: Peer, shape: Shape, durability: Durability): PeerRow {
  const name = `${peer.name}, ${shape}, ${durability === 'own' ? 'as it comes' : 'as durable as ours'}`;
  process.stderr.write(`  peers: ${name}\n`);
  using temporary = temporaryHome(memoryFolder);
  const work: Work = { folder: temporary.home.dir, steps, shape, durability };
  const script = join(folder, peer.file);
  const timed = inChild(process.execPath, script, JSON.stringify({ ...work, traced: false }));
  if ('failed' in timed) return unavailable(name, timed.failed);
  return {
    name,
    us_per_step: (JSON.parse(timed.stdout) as Timed).us_per_step,
    ...flushesOf(script, work),
    note: versionsOf(peer),
  };
}

/** In a second run, with databases of its own: strace slows down what it watches. */
function flushesOf(script: string, work: Work): { flushes_per_step: number; lost_steps?: number } {
  const log = join(work.folder, 'strace');
  const strace = ['-f', '-y', '-o', log, '-e', 'trace=fsync,fdatasync'];
  const traced = inChild('strace', ...strace, process.execPath, script, JSON.stringify({ ...work, traced: true }));
  if ('failed' in traced) return { flushes_per_step: Number.NaN };
  const files = Array.from(readFileSync(log, 'utf8').matchAll(/f(?:data)?sync\(\d+<([^>]*)>/g), (call) => call[1]);
  const marks = files.map((file) => file === join(work.folder, MARK));
  const run = marks.slice(marks.indexOf(true) + 1, marks.lastIndexOf(true) + 1);
  return { flushes_per_step: run.filter((mark) => !mark).length / work.steps, lost_steps: mostUnflushed(run) };
}

/** A step is finished at the mark after its own: that of the next step, or that of the end. */
function mostUnflushed(run: readonly boolean[]): number {
  let [most, unflushed] = [0, 0];
  for (const mark of run) {
    if (mark) most = Math.max(most, unflushed);
    unflushed = mark ? unflushed + 1 : 0;
  }
  return most;
}

/** With nothing of the caller's environment that a peer might read, and its reports home off. */
function inChild(command: string, ...args: string[]): { stdout: string } | { failed: string } {
  const env = { PATH: process.env['PATH'], MASTRA_TELEMETRY_DISABLED: '1' };
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env });
  if (status === 0) return { stdout };
  const thrown = /^\w*Error(?: \[\w+\])?: (.*?)(?: imported from .*)?$/m.exec(stderr)?.[1];
  return { failed: thrown ?? error?.message ?? `it ended with ${signal ?? status}` };
}

function versionsOf({ packages }: Peer): string {
  const versionOf = (name: string): string =>
    (JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
      .version;
  return packages.map((name) => `${name} ${versionOf(name)}`).join(', ');
}
