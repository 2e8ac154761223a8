import { describe, expect, it } from 'vitest';
import { applyEvent } from '../../../src/core/engine/fold-run.ts';
import { createThink } from '../../../src/core/engine/ask-planner.ts';
import { toolRegistry } from '../../../src/core/engine/tool-registry.ts';
import type { Decision } from '../../../src/core/schema/decision.ts';
import type { Middleware, PlannerInput } from '../../../src/core/schema/ports.ts';
import { callOf, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';
import { eventsOf, stateAfter } from '../../support/engine-state.ts';

const all = [
  toolNamed('wipe', () => ok(), { class: 'write_local', annotations: { risk: 'high', destructive: true } }),
  toolNamed('write', () => ok(), { class: 'write_local', annotations: { risk: 'low' } }),
  toolNamed('peek', () => ok()),
  toolNamed('look', () => ok(), { annotations: { risk: 'low' } }),
];
const command = {
  ...toolNamed('command', () => ok(), { class: 'write_local', annotations: { risk: 'high', destructive: true } }),
  judgedClassOf: () => 'read' as const,
};
const tools = toolRegistry([...all, command]);
const finish: Decision = { kind: 'Finish', output: null, rationale: '' };

/** Asks once, after the agent went through some states. */
async function asked(
  states: string[],
  answer: Decision = finish,
  about: { tools?: string[]; classes?: string[]; middleware?: Middleware[]; budgets?: object } = {},
) {
  const graph = graphOf([
    {
      kind: 'agent',
      id: 'a',
      goal: 'Find {{input}}.',
      ...(about.tools === undefined ? {} : { tools: about.tools }),
      ...(about.classes === undefined ? {} : { classes: about.classes }),
    },
  ]);
  const moves = states.map(
    (to, turn) =>
      ({
        type: 'decision.made',
        data: { node: 'a', turn, decision: { kind: 'Transition', to, rationale: '' } },
      }) as const,
  );
  const run = stateAfter(graph, moves, { input: 'it', budgets: about.budgets ?? {} });
  let seen: PlannerInput | undefined;
  const planner = { decide: (input: PlannerInput) => ((seen = input), answer) };
  const event = await createThink(planner, about.middleware ?? [], tools, () => 0)(
    run,
    { kind: 'Think', node: 'a', turn: states.length },
    callOf().act,
    0,
  );
  return { event, seen };
}

describe('what a planner is told', () => {
  it('goal, state, ways, evidence and what is left', async () => {
    const { seen } = await asked(['explore'], finish, { budgets: { tokens: 5, tool_calls: 2 } });
    expect(seen).toMatchObject({
      run: 'r',
      node: 'a',
      turn: 1,
      goal: 'Find it.',
      state: 'explore',
      next: ['decide', 'failed'],
      problem: null,
    });
    expect(seen?.evidence).toHaveLength(1);
    expect(seen?.budgets).toEqual({ tokens: 5, tool_calls: 2, retries: 2 });
  });

  it.each([
    [[], undefined, ['look', 'peek', 'write', 'command', 'wipe']],
    [['explore'], undefined, ['look', 'peek', 'write', 'command', 'wipe']],
    [['decide', 'act'], undefined, ['look', 'peek', 'write', 'command', 'wipe']],
    [
      ['decide', 'act'],
      ['wipe', 'peek'],
      ['peek', 'wipe'],
    ],
  ])('after %j with tools %j it may call %j, the safest first', async (states, allowed, names) => {
    const { seen } = await asked(states, finish, allowed === undefined ? {} : { tools: allowed });
    expect(seen?.tools.map(({ name }) => name)).toEqual(names);
  });

  it('an agent that may only read is offered what may read, also where it names more; a command is judged when it is made', async () => {
    const names = async (about: object): Promise<unknown> =>
      (await asked([], finish, about)).seen?.tools.map(({ name }) => name);
    expect(await names({ classes: ['read'] })).toEqual(['look', 'peek', 'command']);
    expect(await names({ classes: ['read'], tools: ['wipe', 'peek', 'command'] })).toEqual(['peek', 'command']);
    expect(await names({ classes: ['read', 'write_local'], tools: ['wipe'] })).toEqual(['wipe']);
  });
});

describe('what a planner answers', () => {
  it('what is allowed is written down as it was decided', async () => {
    expect((await asked([])).event).toEqual({
      type: 'decision.made',
      run: 'r',
      data: { node: 'a', turn: 0, decision: finish },
    });
  });

  it.each<[string, string[], Decision, string]>([
    [
      'a tool that is not there',
      ['explore'],
      { kind: 'CallTool', tool: 'fly', input: null, rationale: '' },
      '"fly" may not be called here; there is: look, peek, write, command, wipe',
    ],
    [
      'a way that is not there',
      [],
      { kind: 'Transition', to: 'done', rationale: '' },
      'there is no transition from intake to done; possible: explore, decide, failed',
    ],
    ['something else', [], { kind: 'Sing' } as unknown as Decision, 'not a decision'],
    ['a question without words', [], { kind: 'AskHuman', question: '', rationale: '' }, 'not a decision'],
  ])('%s is rejected with the reason', async (_, states, answer, reason) => {
    expect((await asked(states, answer)).event).toMatchObject({
      type: 'decision.rejected',
      data: { reason: expect.stringContaining(reason) },
    });
  });

  it('middleware sees decisions and moves, and its word is held against the rules like any other', async () => {
    const sing: Middleware = { name: 'sing', decision: async () => ({ kind: 'Sing' }) as unknown as Decision };
    expect((await asked([], finish, { middleware: [sing] })).event.type).toBe('decision.rejected');
    const still: Middleware = { name: 'still', transition: () => 'nobody moves' };
    const move: Decision = { kind: 'Transition', to: 'explore', rationale: '' };
    expect((await asked([], move, { middleware: [still] })).event).toMatchObject({ data: { reason: 'nobody moves' } });
  });

  it('a call is asked about like every move that it makes', async () => {
    const passed: string[] = [];
    const watching: Middleware = {
      name: 'watching',
      transition: ({ from, to }, next) => {
        passed.push(`${from} > ${to}`);
        return to === 'act' ? 'nothing changes today' : next();
      },
    };
    const write: Decision = { kind: 'CallTool', tool: 'write', input: null, rationale: '' };
    const { event } = await asked(['explore'], write, { middleware: [watching] });
    expect(event).toMatchObject({ type: 'decision.rejected', data: { reason: 'nothing changes today' } });
    expect(passed).toEqual(['explore > decide', 'decide > act']);
    const look: Decision = { kind: 'CallTool', tool: 'look', input: null, rationale: '' };
    expect((await asked([], look, { middleware: [watching] })).event.type).toBe('decision.made');
  });

  it('each call of a turn is checked from the state that the call before it leads to', async () => {
    const passed: string[] = [];
    const watching: Middleware = {
      name: 'watching',
      transition: ({ from, to }, next) => {
        passed.push(`${from} > ${to}`);
        return from === 'explore' ? 'whoever explores stays there' : next();
      },
    };
    const both: Decision = {
      kind: 'CallTool',
      tool: 'look',
      input: null,
      also: [{ tool: 'write', input: null }],
      rationale: '',
    };
    const { event } = await asked([], both, { middleware: [watching] });
    expect(event).toMatchObject({ type: 'decision.rejected', data: { reason: 'whoever explores stays there' } });
    expect(passed).toEqual(['intake > explore', 'explore > decide', 'decide > act']);
  });

  it('however many tools there are, the reason fits into an event', async () => {
    const many = toolRegistry(
      Array.from({ length: 500 }, (_, at) => toolNamed(`tool-${at}-${'x'.repeat(100)}`, () => ok())),
    );
    const graph = graphOf([{ kind: 'agent', id: 'a', goal: 'x' }]);
    const run = stateAfter(graph, [
      {
        type: 'decision.made',
        data: { node: 'a', turn: 0, decision: { kind: 'Transition', to: 'explore', rationale: '' } },
      },
    ]);
    const event = await createThink(
      { decide: () => ({ kind: 'CallTool', tool: 'x', input: null, rationale: '' }) },
      [],
      many,
      () => 0,
    )(run, { kind: 'Think', node: 'a', turn: 1 }, callOf().act, 0);
    const [, checked] = eventsOf(graph, [event]);
    if (checked !== undefined) applyEvent(run, checked);
    expect(run.nodes[0]?.agent?.problem).toContain('may not be called');
  });
});
