/** The figures of one run of the bench `fleet`, as a file that the simulation reads. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HomesTimes, Takeover } from './bench-homes.ts';
import type { StepTimes } from './fenced-step.ts';
import type { QueueTimes } from './run-queues.ts';
import type { StreamCapacity } from './stream-capacity.ts';

export type QueueRow = QueueTimes & { workers: number };
export type MeasuredQueue = { name: string; rows: QueueRow[]; claims: QueueTimes };

export type MeasuredFleet = {
  at: string;
  /** What a reader of these figures has to know. */
  note?: string;
  cores: number;
  servers: number;
  step: StepTimes;
  streams: StreamCapacity[];
  /** Messages of one task, by stream; an acknowledged delivery counts as one, too. */
  messages: Record<'tasks' | 'runs' | 'results' | 'files', number>;
  homes: HomesTimes[];
  takeover: Takeover & { ackSeconds: number };
  queues: MeasuredQueue[];
};

const FILE = process.env['OKA_BENCH_MEASURED'] ?? join(import.meta.dirname, 'measured.json');

export function writeMeasured(measured: MeasuredFleet): void {
  const short = JSON.stringify(
    measured,
    (_, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value),
    2,
  );
  writeFileSync(FILE, `${short}\n`);
}

export function readMeasured(): MeasuredFleet {
  return JSON.parse(readFileSync(FILE, 'utf8')) as MeasuredFleet;
}
