import { describe, expect, it } from 'vitest';
import { executionsOf } from '../../../src/kit/learning/execution-record.ts';
import { familyOfRun } from '../../../src/rooms/procedures/procedures-part.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { BUDGET_SPENT, MODEL_FAILED, PLANNER_FAILED } from '../../../src/core/schema/outside-failure.ts';
import { SAID_TO_BE_MET } from '../../../src/core/schema/unproven-claim.ts';
import { learning, type Told } from '../../support/procedures.ts';

const RUN = 'used';
const STEPS = 'used.execute.0.0-12345678';

const event = (type: NewEvent['type'], run: string, data: object): NewEvent => ({ type, run, data }) as NewEvent;
const step = (type: NewEvent['type'], data: object): NewEvent => event(type, STEPS, { node: 'step-0', ...data });

const started = event('run.started', STEPS, {
  title: 'A plan',
  graph: { id: 'plan', sha256: '0'.repeat(64) },
  input: null,
  parent: RUN,
  depth: 1,
});

/** The steps end so, and are about to be judged. */
const stepsEnd = (status: 'done' | 'failed' | 'cancelled'): NewEvent[] => [
  event('run.ended', STEPS, { status, reason: '' }),
  event('call.started', RUN, {
    call: `${RUN}.critique.0.1`,
    node: 'critique',
    tool: 'task.critique',
    class: 'read',
    input: { end: { run: STEPS, status, reason: '', output: null } },
  }),
];

type Found = { by: 'check' | 'model'; holds: boolean; evidence?: string };

const judged = (verdict: 'done' | 'rework' | 'blocked' | 'impossible', ...found: Found[]): NewEvent =>
  event('run.judged', RUN, {
    verdict,
    criteria: found.map(({ evidence = 'seen', ...each }, n) => ({ text: `c${n}`, evidence, ...each })),
    reason: '',
  });

const critiqueFailed = event('call.ended', RUN, {
  call: `${RUN}.critique.0.1`,
  node: 'critique',
  status: 'failed',
  error: 'the critic answered 3 times what cannot be used: it is no verdict',
  settles: 'failed',
});

const replanFails = [
  event('call.started', RUN, { call: 'again', node: 'plan', tool: 'task.plan', class: 'read', input: null }),
  event('call.ended', RUN, {
    call: 'again',
    node: 'plan',
    status: 'failed',
    error: 'the planner answered 3 times what cannot be used',
    settles: 'failed',
  }),
];

const asks = (run: string, node: string, asked?: object): NewEvent =>
  event('wait.opened', run, { wait: 'w', node, for: { kind: 'approval', binding: '', text: '?', asked } });
const answers = (run: string, node: string, verdict: string, text?: string): NewEvent =>
  event('wait.closed', run, { wait: 'w', node, answer: { verdict, text } });
const doubts = event('wait.opened', STEPS, {
  wait: 'w',
  node: 'step-0',
  for: { kind: 'question', text: 'Did it happen?', options: ['done', 'repeat', 'fail'] },
});

/** What counts about a use with these events: how it went, and who saw a mistake that no check saw; null for nothing. */
function counted(between: readonly NewEvent[], about: Partial<Told> = {}): [fine: boolean, seen: string | null] | null {
  const { book, task } = learning();
  task({
    run: RUN,
    body: 'Sort a.txt.',
    steps: [{ tool: 'shell', input: { line: 'sort a.txt' } }],
    by: 'procedure',
    status: 'failed',
    between: [started, ...between],
    ...about,
  });
  const [known] = executionsOf(book, familyOfRun(book, RUN) ?? '');
  return known === undefined ? null : [known.fine, known.seen_by];
}

const unmetCheck: Found = { by: 'check', holds: false };
const unmetProse: Found = { by: 'model', holds: false };
const unshown: Found = { by: 'model', holds: false, evidence: `${SAID_TO_BE_MET} there is no such file` };
const denied = { status: 'denied', settles: 'failed', call: 'c' };

describe('a use of a procedure that ends otherwise than done', () => {
  it.each<[string, NewEvent[]]>([
    ['the critic gave no answer that can be used', [...stepsEnd('done'), critiqueFailed]],
    ['the budget was spent', [step('call.ended', { ...denied, error: `${BUDGET_SPENT}usd` }), ...stepsEnd('failed')]],
    ['the model of a step could not be asked', [settled(`${MODEL_FAILED}no key`), ...stepsEnd('failed')]],
    ['the model of a step was down', [settled(`${PLANNER_FAILED}503`), ...stepsEnd('failed')]],
    [
      'the model of a step gave no answer that can be used',
      [step('decision.rejected', { turn: 2, reason: 'no call', settles: 'failed' }), ...stepsEnd('failed')],
    ],
    [
      'nobody answered in time whether a step may be done',
      [
        asks(STEPS, 'step-0', {}),
        answers(STEPS, 'step-0', 'expired'),
        ...stepsEnd('failed'),
        judged('rework', unmetCheck),
      ],
    ],
    [
      'a person ended a step that was in progress when the machine was lost',
      [doubts, answers(STEPS, 'step-0', 'answered', 'fail'), ...stepsEnd('failed'), judged('rework', unmetProse)],
    ],
    ['the steps were cancelled', [...stepsEnd('cancelled'), critiqueFailed]],
    [
      'a person refused to let a check run',
      [...stepsEnd('done'), asks(RUN, 'critique', {}), answers(RUN, 'critique', 'denied')],
    ],
    [
      'nobody said whether it is right',
      [...stepsEnd('done'), asks(RUN, 'critique'), answers(RUN, 'critique', 'expired')],
    ],
    [
      'the critic said that all is met, and could not show it',
      [...stepsEnd('done'), judged('rework', unshown), ...replanFails],
    ],
    ['it was set aside', []],
  ])('does not count when %s', (_, between) => {
    expect(counted(between)).toBeNull();
  });

  it('does not count when it was cancelled, or taken over by another member of a fleet', () => {
    expect(counted([], { status: 'cancelled' })).toBeNull();
    expect(counted([...stepsEnd('done')], { status: 'cancelled' })).toBeNull();
  });

  it('is not changed by what becomes of an installation for it', () => {
    const install = { id: 'oka.install', sha256: '0'.repeat(64) };
    const begun = event('run.started', 'install-x', {
      title: 'Install',
      graph: install,
      input: { for_run: RUN },
      parent: null,
      depth: 0,
    });
    const failed = event('call.ended', 'install-x', { call: 'i', node: 'get', status: 'failed', settles: 'failed' });
    expect(counted([begun, failed, ...stepsEnd('done'), critiqueFailed])).toBeNull();
  });

  it.each<[string, NewEvent[]]>([
    ['a call of it failed', [step('call.ended', { call: 'c', status: 'failed', settles: 'failed' })]],
    ['a call of it is not allowed', [step('call.ended', { ...denied, error: 'the policy forbids it' })]],
    ['a call of it failed, and nothing helped', [step('error.handled', { settles: 'failed' })]],
    ['what a step gave was not accepted', [settled('not accepted: there is no such file')]],
    ['a person refused it', [asks(STEPS, 'step-0', {}), answers(STEPS, 'step-0', 'denied')]],
    ['a worker gave up', [step('decision.made', { decision: { kind: 'Fail', reason: 'no' }, settles: 'failed' })]],
  ])('counts against it when %s, whoever could not be asked then', (_, failing) => {
    expect(counted([...failing, ...stepsEnd('failed'), critiqueFailed])).toEqual([false, null]);
    expect(counted([...failing, ...stepsEnd('failed'), judged('rework', unmetProse), ...replanFails])).toEqual([
      false,
      null,
    ]);
    expect(counted(failing, { status: 'cancelled' })).toEqual([false, null]);
  });

  it.each<[string, NewEvent[], string | null]>([
    ['a check', [judged('rework', unmetCheck, unshown), ...replanFails], null],
    ['the critic, when every check held', [judged('rework', unmetProse, unshown), ...replanFails], 'critic'],
    ['the critic, about the whole', [judged('rework', { by: 'model', holds: true }), ...replanFails], null],
    ['the critic, who knows no way', [judged('impossible', unmetProse)], null],
    ['a person, who was asked to confirm it', [asks(RUN, 'critique'), answers(RUN, 'critique', 'denied')], null],
  ])('counts against it when its result was found wrong by %s', (_, found, seen) => {
    expect(counted([...stepsEnd('done'), ...found])).toEqual([false, seen]);
    expect(counted([...stepsEnd('done'), ...found], { status: 'cancelled' })).toEqual([false, seen]);
  });

  it('counts against it when a person refused a call of a worker, which then did less', () => {
    const refused = [asks(STEPS, 'step-0', {}), answers(STEPS, 'step-0', 'denied')];
    expect(counted([...refused, ...stepsEnd('done'), judged('rework', unmetCheck)])).toEqual([false, null]);
  });

  it('is not counted against it when only a later plan, which a model made, is wrong', () => {
    const plan = { by: 'model', sha256: '1'.repeat(64), criteria: [], input: null, tools: [], targets: [] };
    const again = [
      event('call.started', RUN, { call: 'again', node: 'plan', tool: 'task.plan', class: 'read', input: null }),
      event('call.ended', RUN, { call: 'again', node: 'plan', status: 'ok', output: plan }),
    ];
    const later = [...stepsEnd('done'), judged('rework', unmetCheck)];
    expect(counted([...stepsEnd('done'), judged('rework', unshown), ...again, ...later])).toBeNull();
    expect(counted([...stepsEnd('done'), judged('rework', unshown), ...again], { status: 'done' })).toBeNull();
  });
});

it('a result that never was delivered is no mistake that the checks let pass, even if a person undoes it', () => {
  const { book, tell, task } = learning();
  const between = [started, ...stepsEnd('done'), judged('rework', unmetCheck)];
  task({
    run: RUN,
    body: 'Sort a.txt.',
    steps: [{ tool: 'shell', input: {} }],
    by: 'procedure',
    status: 'failed',
    between,
  });
  tell(event('run.undone', RUN, { restored: [], kept: [] }));
  expect(executionsOf(book, familyOfRun(book, RUN) ?? '')).toMatchObject([{ fine: false, seen_by: null }]);
});

function settled(reason: string): NewEvent {
  return step('node.settled', { status: 'failed', reason });
}
