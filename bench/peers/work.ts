/** The work every peer does: a run of steps, each with 1 KB in and 1 KB out. Called in a child of main.ts. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** chain: as many steps as a plan would name. loop: one step over and over, so that a peer's checkpoints stay small. */
export type Shape = 'chain' | 'loop';
/** own: what the peer does unasked. ours: a step's result is flushed to the disk before the next step begins. */
export type Durability = 'own' | 'ours';
export type Work = { folder: string; steps: number; shape: Shape; durability: Durability };
export type Timed = { us_per_step: number };

/** Runs all steps from the first text on, and gives the last one's. */
export type Run = (first: string) => Promise<string>;

export const MARK = 'mark';

const ROUNDS = 5;
let mark = (): void => undefined;

export async function measurePeer(open: (work: Work) => Promise<Run>): Promise<never> {
  const { traced, ...work } = JSON.parse(process.argv[2] ?? '{}') as Work & { traced: boolean };
  const run = await open(work);
  if (traced) await runMarked(work, run);
  else process.stdout.write(JSON.stringify({ us_per_step: await timedStep(work, run) } satisfies Timed));
  process.exit(0);
}

export function step(text: string): string {
  mark();
  return kilobyte(stepsDone(text) + 1);
}

export function stepsDone(text: string): number {
  return Number.parseInt(text, 10);
}

function kilobyte(index: number): string {
  return `${index} ${'what the tool said, in plain words; '.repeat(29)}`.slice(0, 1024);
}

/** The fastest of some rounds after one to warm up: what else runs on the machine only adds. */
async function timedStep({ steps }: Work, run: Run): Promise<number> {
  await runOnce(steps, run);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = performance.now();
    await runOnce(steps, run);
    times.push(performance.now() - before);
  }
  return (Math.min(...times) * 1000) / steps;
}

/** Flushes a file of no other use before the run, in each step and after the run: they order what strace sees. */
async function runMarked({ folder, steps }: Work, run: Run): Promise<void> {
  const fd = openSync(join(folder, MARK), 'w');
  mark = () => fsyncSync(fd);
  mark();
  await runOnce(steps, run);
  mark();
  closeSync(fd);
}

async function runOnce(steps: number, run: Run): Promise<void> {
  const done = stepsDone(await run(kilobyte(0)));
  if (done !== steps) throw new Error(`${done} of ${steps} steps were done`);
}
