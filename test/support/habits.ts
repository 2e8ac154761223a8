/**
 * A simulated family of tasks, from the first one on: planned by a model, then tried, promoted and used by the real rules
 * (choosing, comparing, promoting, demoting). Only the world is simulated: how often a plan fails its checks, how often
 * it delivers something wrong that passes them, how often the critic sees that, and how often a person does, and how often
 * the critic rejects what is right.
 */
import { isJudgedUse, stableShare, trialShare } from '../../src/rooms/procedures/choose-procedure.ts';
import { storeExecution } from '../../src/kit/learning/execution-record.ts';
import { judgeProcedures } from '../../src/rooms/procedures/judge-procedures.ts';
import type { KnownProcedure } from '../../src/kit/learning/known-procedures.ts';
import { knownProcedure } from '../../src/kit/learning/procedure-rows.ts';
import { procedures } from '../../src/rooms/procedures/procedures-part.ts';
import { memoryRows } from '../../src/core/ledger/memory-rows.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import { MaintenanceConfig } from '../../src/core/schema/maintenance.ts';
import type { Procedure, ProcedureChoice } from '../../src/core/schema/procedure.ts';
import { chance } from './chance.ts';

/** Shares of runs: `caught` fail a check and are planned again, `wrong` pass every check and are wrong all the same. */
export type Doer = { caught: number; wrong: number; tokens: number };
export type World = { planner: Doer; procedure: Doer; unfair?: number };

/** What became of the tasks of one family. */
export type Lived = {
  tasks: number;
  /** How many tasks there were when it was promoted first; null when it never was. */
  promotedAfter: number | null;
  demoted: number;
  /** Wrong results that were delivered as done, and how many there would have been without procedures. */
  wrong: number;
  wrongByPlanner: number;
  /** Tasks that a procedure planned. */
  byProcedure: number;
  /** Those of them that the critic judged. */
  judged: number;
};

/** The critic sees that a result is wrong in this share of cases, and the person who gets it in this one. */
const CRITIC_SEES = 0.7;
const PERSON_SEES = 0.5;
/** How often a model that plans again what the critic sent back, and does no better or worse, does the very same. */
const SAME_AGAIN = { right: 0.5, wrong: 1 } as const;
/** A person corrects a result so many tasks later. */
const CORRECTED_AFTER = 3;

const settings = MaintenanceConfig.parse({}).procedures;
const FAMILY = 'aaaaaaaaaaaa';
const SHAPE = 'b'.repeat(64);
const ID = `sort-${FAMILY}-${SHAPE.slice(0, 8)}`;
const HOUR_MS = 3_600_000;

export function liveFamily({ planner, procedure, unfair = 0 }: World, tasks: number, seed: number): Lived {
  const random = chance(seed);
  const gate = openGate();
  const lived: Lived = {
    tasks,
    promotedAfter: null,
    demoted: 0,
    wrong: 0,
    wrongByPlanner: 0,
    byProcedure: 0,
    judged: 0,
  };
  const noticed: { at: number; run: string }[] = [];
  let goodPlans = 0;
  let version = 0;
  for (let n = 1; n <= tasks; n += 1) {
    const run = `s${seed}-${n}`;
    for (const late of noticed.filter(({ at }) => at === n)) gate.correct(late.run);
    const arm = chooseArm(gate.known(), run);
    const byProcedure = arm === 'used' || arm === 'trial';
    const known = gate.known();
    const isJudged = arm === 'trial' || (arm === 'used' && known !== undefined && isJudgedUse(known, run));
    const [first, second] = [toOutcome(byProcedure ? procedure : planner, random()), random()];
    const isRejected = isJudged && first !== 'caught' && random() < (first === 'wrong' ? CRITIC_SEES : unfair);
    const isCaught = first === 'caught' || isRejected;
    const last = isCaught ? toOutcome(planner, second) : first;
    const isWrong = last === 'wrong';
    const isRepeated = isRejected && last === first && random() < SAME_AGAIN[isWrong ? 'wrong' : 'right'];
    const spent = (byProcedure ? procedure : planner).tokens * (0.6 + 0.8 * random());
    const tokens = Math.round(spent + (isCaught ? planner.tokens : 0));
    if (byProcedure) lived.byProcedure += 1;
    if (isJudged) lived.judged += 1;
    if (isWrong) lived.wrong += 1;
    lived.wrongByPlanner += planner.wrong;
    if (isWrong && random() < PERSON_SEES) noticed.push({ at: n + CORRECTED_AFTER, run });
    gate.ended(n, run, arm, { fine: !isCaught, isRejected, isRepeated, tokens, version });
    if (!isCaught && !byProcedure) goodPlans += 1;
    const status = gate.known()?.status;
    if (goodPlans >= 2 && (status === undefined || status === 'demoted')) gate.draft(n, (version += 1));
    for (const to of gate.pass(n)) {
      if (to === 'promoted') lived.promotedAfter ??= n;
      if (to !== 'demoted') continue;
      lived.demoted += 1;
      goodPlans = 0;
    }
  }
  return lived;
}

function toOutcome({ caught, wrong }: Doer, roll: number): 'caught' | 'wrong' | 'right' {
  if (roll < caught) return 'caught';
  return roll < caught + wrong ? 'wrong' : 'right';
}

function chooseArm(known: KnownProcedure | undefined, run: string): ProcedureChoice['arm'] | null {
  const share = stableShare(run, ID);
  if (known?.status === 'promoted') return share < settings.hold_back ? 'held_back' : 'used';
  if (known?.status !== 'candidate') return null;
  return share < trialShare(known, settings.trial_share) ? 'trial' : 'held_back';
}

type Ended = { fine: boolean; isRejected: boolean; isRepeated: boolean; tokens: number; version: number };

function openGate() {
  const rows = memoryRows();
  const part = judgeProcedures(settings);
  const runs = new Map<string, Parameters<typeof storeExecution>[1]>();
  let seq = 0;
  const at = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 6 * HOUR_MS).toISOString();
  const take = (event: NewEvent, n: number): void => {
    seq += 1;
    const full = { seq, v: 1, run: null, cause: null, pen: 'maintenance', at: at(n), ...event } as unknown as Event;
    for (const each of [procedures, part]) each.take({ event: full, text: () => null }, rows);
  };
  return {
    known: () => knownProcedure(rows, ID),
    draft: (n: number, version: number) =>
      take({ type: 'procedure.drafted', data: { procedure: { ...drafted, version } } }, n),
    ended: (
      n: number,
      run: string,
      arm: ProcedureChoice['arm'] | null,
      { fine, isRejected, isRepeated, tokens, version }: Ended,
    ) => {
      const execution = {
        run,
        seq: n,
        at: at(n),
        family: FAMILY,
        by: arm === 'used' || arm === 'trial' ? ('procedure' as const) : ('model' as const),
        shape: SHAPE,
        procedure: arm === null ? null : { id: ID, version, arm },
        inputs: run,
        fine,
        failed: false,
        corrected: false,
        seen_by: isRejected && !isRepeated ? ('critic' as const) : null,
        repeated: isRepeated,
        rework: fine ? 0 : 1,
        seconds: null,
        tokens,
        trusted: fine,
        problems: [],
      };
      runs.set(run, execution);
      storeExecution(rows, execution);
    },
    correct: (run: string) => {
      const known = runs.get(run);
      if (known === undefined) return;
      const isOfProcedure = known.by === 'procedure' && (known.rework === 0 || known.repeated);
      const seen = isOfProcedure ? { seen_by: 'person' as const } : {};
      storeExecution(rows, { ...known, fine: false, corrected: true, ...seen });
    },
    /** What maintenance concludes after each task. */
    pass: (n: number): string[] => {
      rows.put(`standing/due/${ID}`, true);
      const moved = (part.conclude?.(rows, { now: at(n), read: n }) ?? []).flatMap((event) => {
        take(event, n);
        return event.type === 'procedure.moved' && event.data.from !== event.data.to ? [event.data.to] : [];
      });
      return moved;
    },
  };
}

const drafted: Procedure = {
  id: ID,
  version: 1,
  title: 'Sort',
  trigger: ['Sort a.txt'],
  task: 'Sort {{path}}',
  parameters: [{ name: 'path', kind: 'path', from: 'task', examples: ['a.txt'] }],
  shape: SHAPE,
  graph: { id: 'plan', nodes: [] },
  criteria: [],
  tools: ['shell'],
  targets: [],
  steps: ['Sort'],
  pitfalls: [],
  evidence: [],
};
