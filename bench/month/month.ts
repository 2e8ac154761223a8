/**
 * A month of work in a home: tasks of many kinds, done by the real worker with a planner that is not always at its best,
 * read by the people they are for, and learned from by maintenance after every day.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { maintainOnce } from '../../src/rooms/maintenance/maintain.ts';
import { procedureReader } from '../../src/rooms/procedures/procedure-chooser.ts';
import { memoryRows } from '../../src/core/ledger/memory-rows.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { KnownProcedure } from '../../src/kit/learning/known-procedures.ts';
import { type TaskRecord, taskRecords } from '../../src/kit/learning/task-record.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { chance } from '../../test/support/chance.ts';
import { openStory, type Story } from '../../test/support/story.ts';
import { inParts, verdict } from '../../test/support/story-model.ts';
import type { WireReply, WireRequest } from '../../test/support/wire-server-reply.ts';
import { clockAhead } from './clock.ts';
import { answerOf, CHANGE_DAY, families, type Family, poisoned, signatureOn, type Task } from './families.ts';

export type MonthOptions = {
  seed: number;
  days: number;
  tasksADay: number;
  /** The first so many kinds; all when left out. */
  kinds?: readonly string[];
  config?: { [key: string]: Json };
  note?: (text: string) => void;
};

/** A task that was given, and what fate has in store for its planner. */
type Given = { run: string; day: number; task: Task; fate: 'fine' | 'reworked' | 'hopeless' | 'corrected' };

export type Month = {
  story: Story;
  given: Given[];
  tasks: Map<string, TaskRecord>;
  procedures: KnownProcedure[];
};

const LOOK_EVERY_MS = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How often a planner, or the person it is for, is not content. */
const FATES = { reworked: 0.08, hopeless: 0.02, corrected: 0.02 } as const;
const POISONED_SHARE = 0.05;

/** Whoever asks has to dispose of the story. */
export async function live(options: MonthOptions): Promise<Month> {
  const { seed, days, note = () => undefined } = options;
  const random = chance(seed);
  const given: Given[] = [];
  let today: Given[] = [];
  const story = await openStory({
    model: inParts({ planner: (request) => planIn(request, today), critic: judgeByFiles }),
    config: { inbox: { settle_ms: 0, rescan_ms: 100, parallel: 8 }, ...options.config },
  });
  using ahead = clockAhead();
  story.work();
  const allOver = ends(story);
  for (let day = 0; day < days; day += 1) {
    today = aDay(options, day, random);
    for (const each of today) hand(story, each);
    await allOver(today.map(({ run }) => run));
    await allOver(corrections(story, today, day, random));
    given.push(...today);
    const passed = await maintainOnce(story.home, new AbortController().signal);
    note(`day ${day + 1}: ${today.length} tasks, ${passed.events} events read, ${passed.concluded} conclusions`);
    ahead.by(DAY_MS);
  }
  await story.rest();
  return {
    story,
    given,
    tasks: await taskRecordsIn(story.home.ledgers.run),
    procedures: await procedureReader(story.home.ledgers.maintenance)(),
  };
}

async function taskRecordsIn(ledgerFile: string): Promise<Map<string, TaskRecord>> {
  const rows = memoryRows();
  for await (const event of readEvents(ledgerFile)) taskRecords.take({ event, text: () => null }, rows);
  return new Map([...rows.each<TaskRecord>('task/')].map(([, task]) => [task.run, task]));
}

function aDay({ seed, tasksADay, kinds }: MonthOptions, day: number, random: () => number): Given[] {
  const all = families.filter(({ name }) => kinds === undefined || kinds.includes(name));
  const bad = poisoned.filter(({ name }) => kinds === undefined || kinds.includes(name));
  return Array.from({ length: tasksADay }, (_, index): Given => {
    const from = bad.length > 0 && random() < POISONED_SHARE ? bad : all;
    const kind = from[Math.floor(random() * from.length)] as Family;
    const number = day * tasksADay + index;
    return { run: `s${seed}-${number}`, day, task: kind.task(number, random, day), fate: fateOf(random()) };
  });
}

function fateOf(roll: number): Given['fate'] {
  if (roll < FATES.reworked) return 'reworked';
  if (roll < FATES.reworked + FATES.hopeless) return 'hopeless';
  return roll < FATES.reworked + FATES.hopeless + FATES.corrected ? 'corrected' : 'fine';
}

function hand(story: Story, { run, task }: Given): void {
  for (const [path, text] of Object.entries(task.files)) {
    const file = story.desk(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const { targets } of task.right.steps)
    for (const target of targets) mkdirSync(dirname(story.desk(target)), { recursive: true });
  story.drop(`${run}.md`, `---\nid: ${run}\ntitle: ${task.title}\n---\n${task.body}\n`);
}

/** The critic, who is asked about work that changed nothing, and about procedures that are new: it wants to see a file. */
function judgeByFiles({ text }: WireRequest): WireReply {
  const files = [...text.matchAll(/\b(E\d+) (?:files\.read|diff of) [^\n]*\n([\s\S]*?)<\/data/g)];
  const [, evidence = '', content = ''] = files[0] ?? [];
  const quote =
    content
      .split('\n')
      .findLast((line) => line.trim() !== '')
      ?.replace(/^\+/, '') ?? '';
  const criteria = [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => criterion);
  const holds = quote !== '';
  const claims = criteria.map((criterion) => ({ criterion, holds, evidence: holds ? evidence : '', quote }));
  return holds ? verdict('done', claims) : verdict('rework', claims, 'nothing was changed');
}

/** The planner: it knows its trade, and not every day is a good one. A correction contains the text of its task. */
function planIn({ text }: WireRequest, today: readonly Given[]): WireReply {
  const asked = text.slice(text.search(/^Task: /m));
  const [known] = today
    .filter(({ task }) => asked.includes(task.body))
    .toSorted((one, other) => asked.indexOf(one.task.body) - asked.indexOf(other.task.body));
  if (known === undefined) throw new Error(`nobody gave this task today: ${asked.slice(0, 200)}`);
  const { task, fate } = known;
  const isAgain = text.includes('Why the last plan was not enough');
  const isWrong = fate === 'hopeless' || (fate === 'reworked' && !isAgain);
  return answerOf(isWrong ? task.wrong : task.right, isAgain, { in: 1500, out: 300 });
}

/** Runs that are over; only what is new in the ledger is read. */
function ends(story: Story): (runs: readonly string[]) => Promise<void> {
  const over = new Set<string>();
  let next = 1;
  return async (runs) => {
    while (!runs.every((run) => over.has(run))) {
      await sleep(LOOK_EVERY_MS);
      for await (const { seq, type, run } of readEvents(story.home.ledgers.run, { from: next })) {
        if (type === 'run.ended' && run !== null) over.add(run);
        next = seq + 1;
      }
    }
  };
}

/** People check what they got, and complain when it is not what they want. */
function corrections(story: Story, today: readonly Given[], day: number, random: () => number): string[] {
  const discontent = today.filter(({ task, fate }) => {
    const letter = task.family === 'letter' ? story.deskText(task.right.steps[0]?.targets[0] ?? '') : null;
    const isOld = day >= CHANGE_DAY && letter !== null && !letter.includes(signatureOn(day));
    return (isOld && random() < 0.9) || (fate === 'corrected' && random() < 0.5);
  });
  for (const { run, task } of discontent) {
    const why = task.family === 'letter' ? `From now on sign letters with ${signatureOn(day)}.` : 'Please do it anew.';
    story.drop(`${run}-again.md`, `---\nid: ${run}-again\ntitle: ${task.title}\ncorrects: ${run}\n---\n${why}\n`);
  }
  return discontent.map(({ run }) => `${run}-again`);
}
