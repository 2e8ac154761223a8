import { describe, expect, it } from 'vitest';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Part } from '../../../src/core/schema/learning-part.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { type Execution, storeExecution } from '../../../src/kit/learning/execution-record.ts';
import { procedures } from '../../../src/rooms/procedures/procedures-part.ts';
import { knownProcedure } from '../../../src/kit/learning/procedure-rows.ts';
import { newHabit } from '../../../src/kit/learning/habit-notice.ts';
import { judgeProcedures } from '../../../src/rooms/procedures/judge-procedures.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { MaintenanceConfig } from '../../../src/core/schema/maintenance.ts';
import type { Procedure } from '../../../src/core/schema/procedure.ts';

const FAMILY = 'aaaaaaaaaaaa';
const part = judgeProcedures(MaintenanceConfig.parse({}).procedures);
const hour = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString();

const idOf = (shape: string): string => `sort-${FAMILY}-${shape.repeat(8)}`;

function drafted(shape: string, version = 1): NewEvent {
  const procedure: Procedure = {
    id: idOf(shape),
    version,
    title: 'Sort',
    trigger: ['Sort a.txt'],
    task: 'Sort {{path}}',
    parameters: [{ name: 'path', kind: 'path', from: 'task', examples: ['a.txt'] }],
    shape: shape.repeat(64),
    graph: { id: 'plan', nodes: [{ kind: 'tool', id: 'sort', tool: 'shell', input: { line: 'sort {{input.path}}' } }] },
    criteria: [],
    tools: ['shell'],
    targets: [],
    steps: ['Sort'],
    pitfalls: [],
    evidence: [],
  };
  return { type: 'procedure.drafted', data: { procedure } };
}

/** Takes events in as the ledger would give them back. */
function reading(book: Rows): (...events: NewEvent[]) => void {
  let seq = 0;
  const parts: Part[] = [procedures, part];
  return (...events) => {
    for (const given of events) {
      seq += 1;
      const pen = given.type === 'intake.received' || given.type.startsWith('run.') ? 'run' : 'maintenance';
      const event = { seq, at: hour(seq), v: 1, run: null, cause: null, pen, ...given } as unknown as Event;
      for (const each of parts) each.take({ event, text: () => null }, book);
    }
  };
}

function run(n: number, about: Partial<Execution>): Execution {
  return {
    run: `r${n}`,
    seq: n,
    at: hour(n),
    family: FAMILY,
    by: about.procedure == null ? 'model' : 'procedure',
    shape: 'b'.repeat(64),
    procedure: null,
    inputs: `i${n}`,
    fine: true,
    failed: false,
    corrected: false,
    seen_by: null,
    repeated: false,
    rework: 0,
    seconds: 60,
    tokens: 2000,
    trusted: true,
    problems: [],
    ...about,
  };
}

const trial = (n: number, about: Partial<Execution> = {}, arm: 'trial' | 'used' = 'trial'): Execution =>
  run(n, { tokens: 0, seconds: 5, procedure: { id: idOf('b'), version: 1, arm }, ...about });

/** Thirty runs without it and thirty with it, in turn. */
/** A run that was held back from a procedure, and wrote the same. */
const control = (n: number, shape = 'b'): Execution =>
  run(n, { procedure: { id: idOf(shape), version: 1, arm: 'held_back' } });

function proven(book: Rows): void {
  storeExecution(book, control(9));
  for (let n = 10; n < 70; n += 1) storeExecution(book, n % 2 === 0 ? run(n, {}) : trial(n));
}

const conclude = (book: Rows, now = hour(100)): NewEvent[] => part.conclude?.(book, { now, read: 100 }) ?? [];
const statusOf = (book: Rows, shape = 'b'): string | undefined => knownProcedure(book, idOf(shape))?.status;

describe('how procedures stand', () => {
  it('B2 a proven candidate is promoted by one event that has the numbers, and then nothing follows any more', () => {
    const book = memoryRows();
    const take = reading(book);
    take(drafted('b'));
    expect(conclude(book)).toEqual([]);
    proven(book);
    const concluded = conclude(book);
    expect(concluded).toMatchObject([
      {
        type: 'procedure.moved',
        data: {
          procedure: idOf('b'),
          from: 'candidate',
          to: 'promoted',
          by: 'gate',
          forced: false,
          numbers: { with: { runs: 30, fine: 30, tokens: 0 }, without: { runs: 30, tokens: 2000 }, losses: 0 },
        },
      },
    ]);
    expect(newHabit(book, concluded[0] as NewEvent)).toEqual([
      `I now do this by myself: Sort. Undo with: oka procedures demote ${idOf('b')}`,
    ]);
    take(...concluded);
    expect(statusOf(book)).toBe('promoted');
    expect(conclude(book)).toEqual([]);
  });

  it('G4 it is on probation until twenty uses went well; a new version is on probation again', () => {
    const book = memoryRows();
    const take = reading(book);
    const isOnProbation = (): boolean | undefined => knownProcedure(book, idOf('b'))?.probation;
    take(drafted('b'));
    proven(book);
    take(...conclude(book));
    expect(isOnProbation()).toBe(true);
    for (let n = 101; n < 120; n += 1) storeExecution(book, trial(n, {}, 'used'));
    expect(conclude(book, hour(120))).toEqual([]);
    storeExecution(book, trial(120, {}, 'used'));
    const [over] = conclude(book, hour(121));
    expect(over).toMatchObject({ data: { from: 'promoted', to: 'promoted' } });
    expect(newHabit(book, over as NewEvent)).toEqual([]);
    take(over as NewEvent);
    expect([statusOf(book), isOnProbation(), conclude(book, hour(122))]).toEqual(['promoted', false, []]);
    take(drafted('b', 2));
    expect(isOnProbation()).toBe(true);
  });

  it('what it has read so far is told with its promotion, and again when a model did the same with other files', () => {
    const book = memoryRows();
    const take = reading(book);
    const like = (mark: string) => ({
      read: { '{{input.path}}': { mark, columns: [], values: [], rows: 3 } },
      wrote: { files: 1, bytes: 30, rows: 3, read: 3, columns: [], zero: null },
    });
    const marks = (): unknown =>
      knownProcedure(book, idOf('b'))?.usual?.inputs['{{input.path}}']?.map(({ mark }) => mark);
    take(drafted('b'));
    storeExecution(book, control(9));
    for (let n = 10; n < 70; n += 1) storeExecution(book, n % 2 === 0 ? run(n, like(',')) : trial(n, like(',')));
    take(...conclude(book));
    expect([statusOf(book), marks()]).toEqual(['promoted', [',']]);
    expect(knownProcedure(book, idOf('b'))?.usual?.result).toMatchObject({
      files: { least: 1, most: 1 },
      same_rows: true,
    });
    storeExecution(book, run(101, { ...like(';'), shape: 'c'.repeat(64) })); // other steps say nothing of these
    expect(conclude(book, hour(102))).toEqual([]);
    storeExecution(book, run(103, like(';')));
    const [met] = conclude(book, hour(104));
    expect(met).toMatchObject({ data: { from: 'promoted', to: 'promoted', probation: true } });
    take(met as NewEvent);
    expect([marks(), conclude(book, hour(105))]).toEqual([[',', ';'], []]);
  });

  it('G3 what a run without it wrote otherwise keeps it from being promoted, and ends its use, until a person says so', () => {
    const other = (n: number): Execution => ({ ...control(n), differs: ['mallory'] });
    const book = memoryRows();
    const take = reading(book);
    take(drafted('b'));
    proven(book);
    storeExecution(book, other(71));
    const demoted = conclude(book);
    expect(demoted).toMatchObject([
      { data: { to: 'demoted', reason: 'r71, which went well without it, did not write what it writes: mallory' } },
    ]);
    take(...demoted);
    const wish = { kind: 'procedure', procedure: idOf('b'), to: 'promoted', reason: '' };
    take({ type: 'intake.received', data: { intake: wish } } as unknown as NewEvent);
    const later = { ...conclude(book, hour(200))[0], at: hour(200) } as unknown as NewEvent;
    take(later);
    expect(statusOf(book)).toBe('promoted');
    take({ type: 'run.ended', run: 'none', data: {} } as unknown as NewEvent);
    expect(conclude(book, hour(201))).toEqual([]);
    storeExecution(book, other(202));
    expect(conclude(book, hour(230))).toMatchObject([{ data: { from: 'promoted', to: 'demoted' } }]);
  });

  it('G3 without a run that was held back from it nothing has compared what it writes, and it is not promoted', () => {
    const book = memoryRows();
    reading(book)(drafted('b'));
    for (let n = 10; n < 70; n += 1) storeExecution(book, n % 2 === 0 ? run(n, {}) : trial(n));
    expect(conclude(book)).toEqual([]);
    storeExecution(book, control(71));
    expect(conclude(book)).toMatchObject([{ data: { to: 'promoted' } }]);
  });

  it('one promoted procedure for a family', () => {
    const book = memoryRows();
    const take = reading(book);
    take(drafted('b'), drafted('c'));
    proven(book);
    storeExecution(book, control(69, 'c'));
    for (let n = 70; n < 100; n += 1)
      storeExecution(book, trial(n, { shape: 'c'.repeat(64), procedure: { id: idOf('c'), version: 1, arm: 'trial' } }));
    take(...conclude(book));
    expect(new Set([statusOf(book, 'b'), statusOf(book, 'c')])).toEqual(new Set(['candidate', 'promoted']));
    expect(conclude(book)).toEqual([]);
  });

  it('successes of untrusted runs and of the same inputs do not count', () => {
    const book = memoryRows();
    reading(book)(drafted('b'));
    for (let n = 10; n < 70; n += 1)
      storeExecution(book, n % 2 === 0 ? run(n, { inputs: 'i' }) : trial(n, { inputs: 'i' }));
    expect(conclude(book)).toEqual([]);
    for (let n = 10; n < 70; n += 1)
      storeExecution(book, n % 2 === 0 ? run(n, { trusted: false }) : trial(n, { trusted: false }));
    expect(conclude(book)).toEqual([]);
  });

  it('G3 two of the last runs that went wrong demote it; made anew it is a candidate again', () => {
    const book = memoryRows();
    const take = reading(book);
    take(drafted('b'));
    proven(book);
    take(...conclude(book));
    for (const n of [101, 102]) storeExecution(book, trial(n, { fine: false }, 'used'));
    const concluded = conclude(book, hour(103));
    expect(concluded).toMatchObject([{ data: { to: 'demoted', from: 'promoted' } }]);
    take(...concluded);
    expect(conclude(book, hour(104))).toEqual([]);
    take(drafted('b', 2));
    take(...conclude(book, hour(105)));
    expect(statusOf(book)).toBe('candidate');
  });

  it.each(['critic', 'person'] as const)(
    'G3 one mistake that only the %s saw ends it, and what is made anew waits',
    (who) => {
      const book = memoryRows();
      const take = reading(book);
      const takeAt = (n: number): void => take(...conclude(book, hour(n)).map((move) => ({ ...move, at: hour(n) })));
      take(drafted('b'));
      proven(book);
      takeAt(100);
      for (let n = 101; n < 140; n += 1) storeExecution(book, trial(n, {}, 'used'));
      takeAt(140);
      storeExecution(book, trial(103, { fine: false, seen_by: who }, 'used')); // it is found late
      takeAt(141);
      expect(statusOf(book)).toBe('demoted');
      take(drafted('b', 2));
      for (let n = 142; n < 201; n += 1) storeExecution(book, run(n, {}));
      takeAt(201);
      expect(statusOf(book)).toBe('demoted');
      storeExecution(book, run(202, {}));
      takeAt(203);
      expect(statusOf(book)).toBe(who === 'critic' ? 'candidate' : 'demoted');
    },
  );

  it('what a person wants comes first, is marked as forced, and is done once', () => {
    const book = memoryRows();
    const take = reading(book);
    take(drafted('b'));
    const wanted = (to: 'promoted' | 'retired'): NewEvent => ({
      type: 'intake.received',
      data: { id: `wish-${to}`, intake: { kind: 'procedure', procedure: idOf('b'), to, reason: 'I know it works' } },
    });
    take(wanted('promoted'));
    const concluded = conclude(book);
    expect(concluded).toMatchObject([
      { data: { to: 'promoted', by: 'person', forced: true, reason: 'I know it works', numbers: { e_value: 0 } } },
    ]);
    take(...concluded, wanted('promoted'));
    expect(conclude(book)).toEqual([]);
    take(wanted('retired'));
    take(...conclude(book));
    expect(statusOf(book)).toBe('retired');
  });

  it('unused for long, it retires without any run', () => {
    const book = memoryRows();
    reading(book)(drafted('b'));
    storeExecution(book, run(10, {}));
    expect(conclude(book, hour(24 * 100))).toEqual([]);
    expect(conclude(book, hour(24 * 182))).toMatchObject([{ data: { to: 'retired', from: 'candidate' } }]);
  });

  it.each(['age', 'a person'] as const)('retired by %s and drafted again, only age lets it be tried again', (by) => {
    const book = memoryRows();
    const take = reading(book);
    take(drafted('b'));
    storeExecution(book, run(10, {}));
    const intake = { kind: 'procedure', procedure: idOf('b'), to: 'retired', reason: '' };
    if (by === 'a person') take({ type: 'intake.received', data: { id: 'wish', intake } } as NewEvent);
    take(...conclude(book, hour(24 * 182)));
    expect(statusOf(book)).toBe('retired');
    expect(conclude(book, hour(24 * 183))).toEqual([]);
    take(drafted('b', 2));
    const concluded = conclude(book, hour(24 * 184));
    take(...concluded);
    expect([concluded.length, statusOf(book)]).toEqual(by === 'age' ? [1, 'candidate'] : [0, 'retired']);
  });
});
