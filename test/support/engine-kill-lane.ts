/** Killing one engine process after the other in a folder of its own, and inspecting the result each time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { EngineTask } from './engine-child.ts';
import {
  happenedIn,
  isUnderWay,
  lookAgain,
  roundOf,
  POSITIONS,
  type Position,
  positionsOf,
  type Sight,
  sightOf,
  unannouncedIn,
} from './engine-kill-observer.ts';
import type { Random } from './ledger-samples.ts';

/** Where the kills landed: before a process had written any intent, with calls in doubt, or with every call ended. */
export type Tally = {
  kills: number;
  beforeIntent: number;
  inDoubt: number;
  afterOutcome: number;
  calls: Record<Position, number>;
  earlyReads: number;
};

export type Lane = { sight: Sight; tally: Tally };

const LONGEST_LIFE_MS = 60_000;
const source = fileURLToPath(new URL('engine-child.ts', import.meta.url));

/** Kills until so many kills have hit runs in progress, then lets everything end. */
export async function killedOften(
  lane: Pick<EngineTask, 'dir' | 'snapshots'>,
  kills: number,
  random: Random,
): Promise<Lane> {
  const program = await bundledIn(lane.dir);
  const sight = sightOf(lane.dir);
  const tally = emptyTally();
  const task = (round: number | null, promptly: boolean): EngineTask => {
    return { ...lane, round, promptly, happened: happenedIn(sight) };
  };
  await finishChild(newChild(program), task(null, true));
  let next = newChild(program);
  while (tally.kills < kills) {
    const child = next;
    child.begin(task(roundOf(sight), random.chance(0.7)));
    next = newChild(program);
    await killChild(child, random);
    count(tally, sight);
  }
  const left = await finishChild(next, task(null, true));
  if (left !== 'left 0') throw new Error(`not every run came to its end: ${left}`);
  lookAgain(sight);
  return { sight, tally };
}

/** Packages that rooms load only when they are used, which this program never does. */
const NOT_NEEDED = /^(?:@lancedb|@xenova|apache-arrow|convex|ai$|@ai-sdk)/;

/** The program in one file: of a start that is killed soon after, finding two hundred files would be the most part. */
async function bundledIn(dir: string): Promise<string> {
  const file = join(dir, 'engine-child.mjs');
  await using bundle = await rolldown({ input: source, platform: 'node', external: NOT_NEEDED, logLevel: 'silent' });
  await bundle.write({ file, codeSplitting: false });
  return file;
}

function emptyTally(): Tally {
  const calls = Object.fromEntries(POSITIONS.map((position) => [position, 0])) as Tally['calls'];
  return { kills: 0, beforeIntent: 0, inDoubt: 0, afterOutcome: 0, calls, earlyReads: 0 };
}

/** Inspects what the kill left, before anybody else does anything. */
function count(tally: Tally, sight: Sight): void {
  const events = lookAgain(sight);
  const { calls, reads } = unannouncedIn(sight);
  if (calls.length > 0) throw new Error(`acted without an intent on disk: ${calls.join(', ')}`);
  tally.earlyReads = reads.length;
  if (!isUnderWay(sight)) return;
  tally.kills += 1;
  const positions = positionsOf(sight, events);
  for (const position of positions) tally.calls[position] += 1;
  if (positions.length > 0) tally.inDoubt += 1;
  else if (events.some((event) => event.type === 'call.started')) tally.afterOutcome += 1;
  else tally.beforeIntent += 1;
}

/** Mostly while runs are in progress, sometimes while the ledger is opened or runs are resumed. */
async function killChild(child: Child, random: Random): Promise<void> {
  if (random.chance(0.85)) {
    await child.says('under way');
    await sleep(random.below(90));
  } else {
    await child.says(random.chance(0.5) ? 'here' : 'open');
    await sleep(random.below(30));
  }
  child.process.kill('SIGKILL');
  await child.ended();
}

/** The last line of the process. */
async function finishChild(child: Child, task: EngineTask): Promise<string | undefined> {
  child.begin(task);
  await child.ended();
  return child.said.at(-1);
}

type Child = {
  process: ChildProcess;
  said: string[];
  begin(task: EngineTask): void;
  says(line: string): Promise<void>;
  /** Resolves when it is gone; throws what it complained about. */
  ended(): Promise<void>;
};

/** Loads itself and then waits for its task. */
function newChild(program: string): Child {
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LONGEST_LIFE_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, NODE_COMPILE_CACHE: join(program, '..', 'compiled') },
  });
  const said: string[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => said.push(line));
  const gone = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  return {
    process: child,
    said,
    begin: (task) => child.stdin.end(JSON.stringify(task)),
    says: async (line) => {
      const heard = new Promise<void>((resolve) => {
        lines.on('line', () => said.includes(line) && resolve());
      });
      if (!said.includes(line)) await Promise.race([heard, gone]);
    },
    ended: async () => {
      await gone;
      if (errors !== '') throw new Error(errors);
    },
  };
}
