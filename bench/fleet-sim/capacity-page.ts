/** Writes docs/FLEET-CAPACITY.md and its plots: what was measured, what is simulated, and what follows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeasuredFleet } from '../fleet/measured-fleet.ts';
import type { Cell, Needed } from './capacity.ts';
import { neededPlot, tablePlot } from './capacity-plots.ts';
import type { Costs } from './fleet-model.ts';

const DOCS = join(import.meta.dirname, '../../docs');

export type CapacityReport = {
  measured: MeasuredFleet;
  costs: Costs;
  workSeconds: number;
  table: readonly Cell[];
  needed: readonly Needed[];
  /** Jobs a second on the machine that was measured, as the simulation says it. */
  predicted: readonly number[];
};

export function writePage(report: CapacityReport, folder = DOCS): void {
  const { table, needed, workSeconds } = report;
  const title = `One fleet with one stream of each kind; a task works for ${workSeconds} s`;
  writeFileSync(join(folder, 'fleet-capacity.svg'), tablePlot(table, title));
  writeFileSync(
    join(folder, 'fleet-needed.svg'),
    neededPlot(needed, `No station busier than 70 %; a task works for ${workSeconds} s`),
  );
  writeFileSync(join(folder, 'FLEET-CAPACITY.md'), pageOf(report));
}

function pageOf({ measured, costs, workSeconds, table, needed, predicted }: CapacityReport): string {
  const { homes, messages, step, streams, takeover, queues, at, cores, note } = measured;
  const one = homes[0]?.perSecond ?? Number.NaN;
  const count = Object.values(messages).reduce((sum, each) => sum + each, 0);
  return `# How much a fleet can do

Written by \`npm run bench -- fleet-sim\` from the figures of \`npm run bench -- fleet\` (\`bench/fleet/measured.json\`, ${at}). What a fleet is: [FLEET.md](FLEET.md).

## Measured

On one machine with ${cores} cores that ran everything: three message servers with \`sync_interval: always\`, and all workers. Other programs ran there at the same time, so compare processor time and ratios rather than times.${note === undefined ? '' : ` ${note}`}

Real homes, tasks of one step that does nothing, from the first task given to the last result back:

${tableOf(
  ['workers', 'tasks a second', 'of linear', 'CPU of a task: workers', 'servers', 'cores used by others'],
  homes.map(({ workers, perSecond, workerCpuMs, serverCpuMs, otherCores }) => [
    `${workers}`,
    fixed(perSecond, 2),
    fixed(perSecond / one / workers, 2),
    `${fixed(workerCpuMs, 0)} ms`,
    `${fixed(serverCpuMs, 0)} ms`,
    fixed(otherCores, 1),
  ]),
)}

Processor time grows with the number of workers because those that wait for a task ask for one every second.

- A task is ${fixed(count, 0)} messages: ${fixed(messages.runs, 1)} on the stream of runs, ${fixed(messages.files, 1)} in the object store, ${fixed(messages.tasks, 1)} for the queue and ${fixed(messages.results, 1)} for its result.
- A durable step takes ${fixed(step.fencedMs, 1)} ms behind the fence and ${fixed(step.aloneMs, 1)} ms in a home that works alone (medians, in turns).
- ${streams.map(({ streams: number, perSecond, latencyMs }) => `${number === 1 ? 'One stream' : `${number} streams`}: ${fixed(perSecond, 0)} messages a second with 64 in flight, ${fixed(latencyMs, 1)} ms for one alone.`).join(' ')}
- After a kill another member claimed the run after ${fixed(takeover.claimedMs / 1000, 1)} s and went on after ${fixed(takeover.continuedMs / 1000, 1)} s, with an ack wait of ${takeover.ackSeconds} s (30 s unless set).

The same jobs on other queues, in the same run: each is taken, notes two durable steps, and is finished. Redis ran with \`appendfsync always\`, PostgreSQL as it comes; both have one server, so the fleet was also run with one.

${tableOf(
  [
    'queue',
    '1 worker',
    '2',
    '4',
    '6 (jobs a second)',
    'CPU of a job: workers',
    'servers',
    'claims a second, 32 at once',
  ],
  [
    ...queues.map(({ name, rows, claims }) => [
      name,
      ...rows.map(({ perSecond }) => fixed(perSecond, 0)),
      `${fixed(rows[0]?.workerCpuMs ?? Number.NaN, 1)} ms`,
      `${fixed(rows[0]?.serverCpuMs ?? Number.NaN, 1)} ms`,
      fixed(claims.perSecond, 0),
    ]),
    ['the first line, simulated', ...predicted.map((perSecond) => fixed(perSecond, 0)), '', '', ''],
  ],
)}

A job of the fleet is claimed with an append of its own and fenced at each step, and with three servers it is on three disks; the others lock a job for a time. The last line is the simulation, fitted to 1 and 6 workers; 2 and 4 are predicted.

## Simulated

Everything below is computed: discrete events, the same for the same seed (\`bench/fleet-sim/\`). A task passes the home that gives it, its streams, their cluster and a worker, message by message, at the costs above: a stream is busy for ${fixed(costs.streamSeconds * 1000, 2)} ms with a message, a worker for ${fixed(costs.workerSeconds * 1000, 0)} ms with a task, the home that gives it for ${fixed(costs.submitSeconds * 1000, 0)} ms. Tasks arrive at random, and each works for ${workSeconds} s on average (commands and models), with a random length. \`test/rooms/fleet/event-clock.test.ts\` compares the simulation with queueing theory (M/M/c, M/D/1) and with the measured throughput.

![What is too busy first, by workers and tasks a minute](fleet-capacity.svg)

${sentenceAbout(table)}

![How many workers, streams, clusters and homes a load needs](fleet-needed.svg)

${tableOf(
  [
    'tasks a minute',
    'workers',
    'streams of each kind',
    'clusters of three',
    'homes that give tasks',
    'result after (p50 / p99)',
  ],
  needed.map((each) => [
    each.tasksPerMinute.toLocaleString('en-US'),
    each.workers.toLocaleString('en-US'),
    `${each.streams}`,
    `${each.clusters}`,
    `${each.homes}`,
    `${fixed(each.simulated.p50, 2)} s / ${fixed(each.simulated.p99, 2)} s`,
  ]),
)}

## What this does not say

- oka has one stream of each kind in a fleet. More than one stream or cluster means several fleets, each with its own inbox; sharing one inbox between them is not built.
- The costs come from one small machine on which servers and workers took processor time from each other, so real servers of their own do more. Networks between machines add latency that is not in these figures.
- Failures, large files, questions to people and limits of model providers are not simulated. Neither is memory: a stream of runs keeps all messages.
- The cost of a message is taken as constant. Streams with very many subjects get slower in ways that were not measured.
`;
}

function sentenceAbout(table: readonly Cell[]): string {
  const largest = table.filter(({ workers }) => workers === 10_000);
  const fits = largest.filter(({ first }) => first === null).at(-1);
  const over = largest.find(({ first }) => first !== null);
  const before = `With enough workers one fleet does ${(fits?.tasksPerMinute ?? 0).toLocaleString('en-US')} tasks a minute`;
  return over === undefined
    ? `${before}; nothing in the table is too busy.`
    : `${before}; at ${over.tasksPerMinute.toLocaleString('en-US')} the first to be too busy is: ${over.first}.`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const fixed = (value: number, digits: number): string => (Number.isFinite(value) ? value.toFixed(digits) : 'n/a');
