/**
 * A process that goes on with every run it finds unfinished, then starts new ones, three at a time, until it is killed;
 * it never has more than three under way, and waits to be killed when none of them can go on:
 *   here | open | under way | left COUNT
 * Its task (EngineTask, as JSON) comes by standard input, so that a process can be there before it is needed.
 */
import './rooms-of-product.ts';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import { homeAt } from '../../src/kit/settings.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import type { Drive } from '../../src/core/engine/drive.ts';
import { createEngine } from '../../src/core/engine/engine.ts';
import { isOver, type RunState } from '../../src/core/engine/run-state.ts';
import { openRunSnapshots } from '../../src/core/ledger/run-snapshots.ts';
import { taskGraph } from '../../src/core/ledger/task-graph.ts';
import { Config } from '../../src/core/schema/config.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import type { WaitAnswer } from '../../src/core/schema/wait.ts';
import { standardChain } from '../../src/core/chain/chain.ts';
import { countingTools, namesOf, noteIn, runInput } from './engine-kill-work.ts';

export type EngineTask = {
  dir: string;
  /** The first round that is not over; null = only end what has begun. */
  round: number | null;
  /** What an observer saw: nodes (run.node) whose last call had its effect. */
  happened: readonly string[];
  /** Questions that come up meanwhile are answered at once; else by the next process. */
  promptly: boolean;
  /** Whether to store snapshots of runs. */
  snapshots: boolean;
};

const task = (await json(process.stdin)) as EngineTask;
say('here');
const happened = new Set(task.happened);
const home = homeAt(task.dir);
const stores = await openStores(home, Config.parse({ ledger: { snapshot_events: 100, snapshot_ms: 50 } }));
say('open');
/** The seq of every intent. */
const intents = new Map<string, number>();
const tools = countingTools(noteIn(task.dir, (call) => (intents.get(call) ?? Infinity) <= stores.ledger.end.seq));
const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  after(ms / 20, undefined, signal === undefined ? {} : { signal });
const engine = createEngine({
  tools,
  middleware: standardChain({ tools, clock: Date.now, sleep, judge: () => ({ effect: 'allow', why: 'a test' }) }),
  stores: {
    events: { stage, flush: () => stores.ledger.flush(), read: (filter) => stores.ledger.read(filter) },
    artifacts: stores.artifacts,
    ...(task.snapshots ? { runs: openRunSnapshots(join(home.oka, 'state', 'runs')) } : {}),
  },
  clock: Date.now,
  sleep,
});

const { goals, ended } = structuredClone(stores.projections.stateOf(taskGraph));
const known = new Set([...goals, ...ended].map(({ run }) => run));
const drives: Drive[] = [];
for (const { run, waits } of goals) drives.push(await continueRun(run, waits));
if (task.round !== null) drives.push(...(await begun(task.round)));
say('under way');
let ends = await Promise.all(drives.map(ending));
for (let round = task.round; round !== null && ends.every(isAtEnd); round += 1)
  ends = await Promise.all((await begun(round)).map(ending));
say(`left ${ends.filter((run) => !isAtEnd(run)).length}`);
if (task.round !== null) await after(60_000);
await stores.close();

function stage(event: NewEvent): Event {
  const staged = stores.ledger.stage(event);
  if (staged.type === 'call.started') intents.set(staged.data.call, staged.seq);
  return staged;
}

async function begun(round: number): Promise<Drive[]> {
  const missing = namesOf(round).filter(({ run }) => !known.has(run));
  for (const { run } of missing) known.add(run);
  return Promise.all(missing.map(({ run, graph }) => engine.start(graph, { id: run, input: runInput })));
}

/** Questions that an earlier process left open are answered before anything else. */
async function continueRun(run: string, waits: readonly { wait: string; node: string | null }[]): Promise<Drive> {
  let drive: Drive | null = null;
  for (const { wait, node } of waits) drive = await engine.answer(run, wait, truthAbout(`${run}.${node}`));
  return drive ?? engine.resume(run);
}

async function ending(first: Drive): Promise<RunState> {
  let run = await first.done;
  while (task.promptly && run.status === 'blocked') {
    const waits = [...run.waits.values()];
    run = await (await continueRun(run.id, waits)).done;
  }
  return run;
}

function isAtEnd({ status }: RunState): boolean {
  return isOver(status);
}

function truthAbout(node: string): WaitAnswer {
  return { verdict: 'answered', text: happened.has(node) ? 'done' : 'repeat', by: 'somebody who looked' };
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
