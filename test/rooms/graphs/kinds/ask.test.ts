import { describe, expect, it } from 'vitest';
import { readGraph } from '../../../../src/core/engine/lower.ts';
import { replayDecisions } from '../../../../src/core/engine/replay-run.ts';
import { ask } from '../../../../src/rooms/graphs/kinds/ask.ts';
import type { Engine } from '../../../../src/core/engine/engine.ts';
import type { WaitAnswer } from '../../../../src/core/schema/wait.ts';
import { dataOf, engineWith, memoryArtifacts, ok, toolNamed } from '../../../support/engine-fakes.ts';

const look = toolNamed('look', (input) => ok(input));
const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const question = {
  kind: 'ask',
  id: 'q',
  question: 'Send it to {{input.name}}?',
  options: ['Send', 'Drop'],
  branches: { Send: 'send', Drop: 'drop' },
};
const graphWith = (rest: object = {}): object => ({
  id: 'g',
  mode: 'flex',
  nodes: [{ ...question, ...rest }, tool('send'), tool('drop')],
});

async function answered(rest: object, answer?: Pick<WaitAnswer, 'text'>) {
  const seen = engineWith({ tools: [look], stores: { artifacts: memoryArtifacts() } });
  const drive = await seen.engine.start(readGraph(graphWith(rest), [ask]).graph, { id: 'r', input: { name: 'Ada' } });
  const blocked = await drive.done;
  const run = answer === undefined ? blocked : await reply(seen.engine, answer);
  return { ...seen, run, called: dataOf(seen.events, 'call.started').map(({ node, input }) => [node, input]) };
}

const reply = async (engine: Engine, { text = '' }: Pick<WaitAnswer, 'text'>) =>
  (await engine.answer('r', 'r.q.0.w0', { verdict: 'answered', text })).done;

describe('ask', () => {
  it('asks with its templates filled, and the edge of the chosen option is followed', async () => {
    const { run, called, events, engine } = await answered({}, { text: ' send ' });
    expect(dataOf(events, 'wait.opened')[0]?.for).toMatchObject({ kind: 'question', text: 'Send it to Ada?' });
    expect(run.status).toBe('done');
    expect(called).toEqual([['send', { branch: 'Send', answer: ' send ' }]]);
    const plan = await engine.planFor(run.plan.sha256);
    expect(replayDecisions(plan, events, () => look).difference).toBeNull();
  });

  it('an answer that is none of the options fails the node, and says so', async () => {
    const { run } = await answered({}, { text: 'maybe' });
    expect(run).toMatchObject({ status: 'failed', reason: 'q: the answer "maybe" is none of Send, Drop' });
  });

  it('after its time the default answers, also counted from before a restart; without one the node has failed', async () => {
    const late = await answered({ answer_within_seconds: 60, default: 'Drop' });
    expect(late.called).toEqual([['drop', { branch: 'Drop', answer: 'Drop' }]]);
    expect(late.time.now).toBe(Date.parse('2030-01-01T00:01:00Z'));
    expect(dataOf(late.events, 'wait.closed')[0]?.answer).toMatchObject({ by: 'the clock' });
    const expired = await answered({ answer_within_seconds: 60 });
    expect(expired.run).toMatchObject({ status: 'failed', reason: expect.stringContaining('nobody answered in time') });
  });

  it('without options the answer is free text', async () => {
    const { engine } = engineWith({ tools: [look] });
    const nodes = [
      { kind: 'ask', id: 'q', question: 'Which day?' },
      tool('a', { needs: ['q'], input: '{{q.answer}}' }),
    ];
    await (await engine.start(readGraph({ id: 'g', mode: 'flex', nodes }, [ask]).graph, { id: 'r' })).done;
    expect(await reply(engine, { text: 'Monday' })).toMatchObject({ status: 'done', output: 'Monday' });
  });

  it.each<[object, string[]]>([
    [{ default: 'Drop' }, ['nodes.0.default']],
    [{ default: 'Keep', answer_within_seconds: 5 }, ['nodes.0.default']],
    [{ branches: { Maybe: 'send' } }, ['nodes.0.branches.Maybe']],
    [{ question: '{{nobody}}?' }, ['nodes.0']],
    [{}, []],
  ])('%j has its problems found before it runs: %j', (rest, paths) => {
    const { problems } = readGraph(graphWith(rest), [ask]);
    expect(problems().map(({ path }) => path)).toEqual(paths);
  });
});
