import { describe, expect, it } from 'vitest';
import { OkaError } from '../../../src/core/schema/errors.ts';
import { checkEvent, eventData, eventTypes, type NewEvent } from '../../../src/core/schema/event.ts';
import { versionOf } from '../../../src/core/schema/upgrade.ts';

/** Ledgers of all times are read by every later oka: this list is extended, never shortened (E3). */
const inventory = [
  'answer.refused@1',
  'budget.low@1',
  'budget.reserved@1',
  'call.ended@1',
  'call.misclassified@1',
  'call.started@1',
  'change.undone@1',
  'channel.paired@1',
  'channel.received@1',
  'channel.subscribed@1',
  'chat.changed@1',
  'chat.deleted@1',
  'chat.expired@1',
  'chat.joined@1',
  'chat.opened@1',
  'chat.paused@1',
  'chat.resumed@1',
  'context.packed@1',
  'decision.made@1',
  'decision.rejected@1',
  'delivery.ended@1',
  'delivery.started@1',
  'dependency.installed@1',
  'dependency.removed@1',
  'desk.awaited@1',
  'desk.kept@1',
  'egress.decided@1',
  'episode.imported@1',
  'error.handled@1',
  'fact.forgotten@1',
  'fact.kept@1',
  'fact.reworded@1',
  'fleet.joined@1',
  'fleet.ordered@1',
  'frame.invalidated@1',
  'frame.put@1',
  'graph.saved@1',
  'intake.received@1',
  'intake.rejected@1',
  'ledger.archived@1',
  'ledger.damage_found@1',
  'ledger.disk_freed@1',
  'ledger.disk_full@1',
  'ledger.repaired@1',
  'ledger.rolled_back@1',
  'message.posted@1',
  'node.settled@1',
  'note.received@1',
  'notice.dropped@1',
  'notice.queued@1',
  'notice.taken@1',
  'page.edited@1',
  'policy.loaded@1',
  'procedure.chosen@1',
  'procedure.drafted@1',
  'procedure.moved@1',
  'procedure.shared@1',
  'requirement.opened@1',
  'requirement.reopened@1',
  'requirement.resolved@1',
  'run.claimed@1',
  'run.corrected@1',
  'run.ended@1',
  'run.fenced@1',
  'run.judged@1',
  'run.moved@1',
  'run.paused@1',
  'run.planned@1',
  'run.resumed@1',
  'run.started@1',
  'run.time_skipped@1',
  'run.undone@1',
  'runs.marked@1',
  'sandbox.chosen@1',
  'schedule.changed@1',
  'secret.changed@1',
  'secret.used@1',
  'slot.came@1',
  'state.written@1',
  'storage.tidied@1',
  'task.asked@1',
  'task.received@1',
  'task.rejected@1',
  'task.returned@1',
  'task.sent@1',
  'tree.compacted@1',
  'tree.restored@1',
  'tree.scanned@1',
  'wait.closed@1',
  'wait.opened@1',
  'worker.started@1',
  'worker.stopped@1',
];

describe('the inventory', () => {
  it('E3 holds every type and version that ever was; a new one is added to the list above', () => {
    const all = eventTypes.flatMap((type) =>
      Array.from({ length: versionOf(type) }, (_, index) => `${type}@${index + 1}`),
    );
    expect(all.toSorted()).toEqual(inventory);
  });

  it.each(eventTypes)('says what %s means', (type) => {
    expect(eventData[type].description).toMatch(/^[A-Z].*[.?]$/);
  });
});

describe('checkEvent', () => {
  const paused = { type: 'run.paused', data: { reason: 'lunch' } } as const;

  it('gives type, run, cause, version and data', () => {
    expect(checkEvent({ ...paused, run: 'r1', cause: 3 })).toEqual({
      type: 'run.paused',
      run: 'r1',
      cause: 3,
      v: 1,
      data: { reason: 'lunch' },
    });
  });

  it('reads a missing run or cause as none', () => {
    expect(checkEvent(paused)).toMatchObject({ run: null, cause: null });
  });

  it('E1 fills in the defaults, so that they are written down', () => {
    const started = { title: 'x', graph: { id: 'g', sha256: 'a'.repeat(64) } };
    expect(checkEvent({ type: 'run.started', run: 'r1', data: started }).data).toMatchObject({
      ...started,
      mode: 'bounded',
      parent: null,
      state: 'EXECUTE',
      nodes: [],
      budgets: {},
      input: null,
    });
  });

  const ended = (output: unknown): unknown => ({ type: 'run.ended', data: { status: 'done', reason: '', output } });
  const refused: [what: string, event: unknown, named: string][] = [
    ['an unknown type', { type: 'run.exploded', data: {} }, '"run.exploded"'],
    ['a type named like a member of an object', { type: 'constructor', data: {} }, '"constructor"'],
    ['the prototype as a type', { type: '__proto__', data: {} }, '"__proto__"'],
    ['a missing type', { data: {} }, '"undefined"'],
    ['missing data', { type: 'run.paused' }, 'run.paused: '],
    ['a missing field', { type: 'run.paused', data: {} }, 'reason'],
    ['a field of the wrong type', { type: 'run.paused', data: { reason: 5 } }, 'reason'],
    ['a field that does not exist', { type: 'run.paused', data: { reason: '', resaon: '' } }, 'resaon'],
    ['a wrong word', { type: 'run.ended', data: { status: 'fine', reason: '' } }, 'status'],
    ['an unknown kind', { type: 'wait.opened', data: { wait: 'w', node: null, for: { kind: 'x' } } }, 'for.kind'],
    ['a field that is wrong further inside', deepWrong(), 'nodes[0].needs[1]'],
    ['a seq that is none', { type: 'ledger.archived', data: { first: 0, last: 1, segments: [] } }, 'first'],
    ['a date', ended(new Date(0)), 'output'],
    ['undefined in a JSON value', ended({ a: { b: undefined } }), 'output'],
    ['undefined in a JSON list', ended([undefined]), 'output'],
    ['a hole in a JSON list', ended(Object.assign([], { length: 1 })), 'output'],
    ['NaN', ended([Number.NaN]), 'output'],
    ['infinity', ended(Number.NEGATIVE_INFINITY), 'output'],
    ['NaN as a number', usage({ ms: Number.NaN }), 'usage.ms'],
    ['a function', ended({ a: () => 1 }), 'output'],
    ['an instance of a class', ended({ a: new OkaError('usage', 'x') }), 'output'],
    ['bytes', ended(Buffer.from('x')), 'output'],
    ['a bigint', ended(1n), 'output'],
    ['a cause of zero', { ...paused, cause: 0 }, 'cause 0 '],
    ['a negative cause', { ...paused, cause: -1 }, 'cause -1 '],
    ['a cause between two numbers', { ...paused, cause: 1.5 }, 'cause 1.5 '],
    ['a cause in words', { ...paused, cause: '3' }, 'cause 3 '],
    ['an empty run', { ...paused, run: '' }, 'run ""'],
    ['a run that is a path', { ...paused, run: '../r1' }, 'run "../r1"'],
    ['a run with a quote', { ...paused, run: 'r"1' }, 'run '],
    ['a run with a line end', { ...paused, run: 'r1\n' }, 'run '],
    ['a run that is a number', { ...paused, run: 5 }, 'run 5'],
    ['a run that is too long', { ...paused, run: 'r'.repeat(121) }, 'run '],
  ];

  it.each(refused)('refuses %s and names it', (_, event, named) => {
    expect(() => checkEvent(event as NewEvent)).toThrow(
      expect.objectContaining({
        name: 'OkaError',
        code: 'invalid-event',
        message: expect.stringContaining(named),
      }),
    );
  });
});

function deepWrong(): unknown {
  const nodes = [{ id: 'a', title: 'A', needs: ['b', 'not a name'] }];
  return { type: 'run.planned', data: { nodes, reason: '' } };
}

function usage(used: object): unknown {
  return { type: 'call.ended', data: { call: 'c', node: null, status: 'ok', usage: used } };
}
