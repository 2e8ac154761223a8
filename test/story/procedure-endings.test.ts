import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import { stableShare } from '../../src/rooms/procedures/choose-procedure.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { Procedure, type ProcedureNumbers } from '../../src/core/schema/procedure.ts';
import { openStory, type Story } from '../support/story.ts';
import { inParts, verdict } from '../support/story-model.ts';
import { fail, say } from '../support/wire-server-reply.ts';

const NOTE = 'note-aaaaaaaaaaaa-bbbbbbbb';
const PUSH = 'push-cccccccccccc-dddddddd';

function procedure(id: string, task: string, tool: string, input: Json): Procedure {
  return Procedure.parse({
    id,
    title: task,
    trigger: [task],
    task,
    parameters: [{ name: 'path', kind: 'path', from: 'task', examples: ['a.txt'] }],
    shape: '0'.repeat(64),
    graph: {
      id: 'plan',
      author: 'model',
      nodes: [{ kind: 'tool', id: 'act', tool, input, timeout_seconds: 60, max_retries: 0 }],
    },
    criteria: [],
    tools: [tool],
    targets: ['{{path}}'],
    steps: ['act'],
    evidence: [{ run: 'one', seq: 1 }],
  });
}

const side = { runs: 4, fine: 4, seconds: 1, tokens: 0 };
const proof = { wins: 4, losses: 0, e_value: 25, contradictions: 0, last_validated: '2026-03-01T10:00:00Z' };
const numbers: ProcedureNumbers = { successes: 4, with: side, without: side, ...proof };

async function promote({ home }: Story, drafted: Procedure): Promise<void> {
  const ledger = await openLedger(home.ledgers.maintenance, 'maintenance', { redact: (text) => text });
  const move = {
    procedure: drafted.id,
    from: 'candidate',
    to: 'promoted',
    by: 'gate',
    numbers,
    reason: 'better',
  } as const;
  await ledger.append({ type: 'procedure.drafted', data: { procedure: drafted } });
  await ledger.append({ type: 'procedure.moved', data: { ...move, probation: true } });
  await ledger.close();
}

const UNMET = { criterion: 'c1', holds: false, evidence: '', quote: '' };

/** A name for a run that uses this procedure, and does not plan for comparison. */
const named = (name: string, id: string): string => {
  for (let at = 0; ; at += 1) if (stableShare(`${name}-${at}`, id) >= 0.1) return `${name}-${at}`;
};

/** What the page of a procedure says about the runs that it was used in. */
const evidenceOf = ({ home }: Story, id: string): string[] =>
  [
    ...readFileSync(join(home.oka, 'brain', 'PROCEDURES', `${id}.md`), 'utf8').matchAll(
      /^- used in (.*) \(.*\): (.*)$/gm,
    ),
  ]
    .map(([, run, how]) => `${run?.replace(/-\d+$/, '')}: ${how}`)
    .toSorted();

it('only a step that fails or is refused, or a result that is wrong, counts against a procedure, however its run ends', async () => {
  await using story = await openStory({
    model: inParts({
      planner: () => say('I would rather not plan.'),
      critic: ({ text }) => {
        if (text.includes('into keyless.txt')) return fail(401);
        return text.includes('into unmet.txt') ? verdict('rework', [UNMET]) : say('It looks good to me.');
      },
    }),
  });
  const content = { path: '{{input.path}}', content: 'noted\n' };
  await promote(story, procedure(NOTE, 'Write a short note into {{path}}', 'files.write', content));
  await promote(
    story,
    procedure(PUSH, 'Push what is new to the branch {{path}}', 'shell', { line: 'git push origin {{input.path}}' }),
  );
  mkdirSync(story.desk('taken.txt'), { recursive: true });
  story.work();
  const note = async (name: string, fields = ''): Promise<string> => {
    const run = named(name, NOTE);
    story.drop(`${name}.md`, `---\nid: ${run}\n${fields}---\nWrite a short note into ${name}.txt\n`);
    return (await story.ended(run)).status;
  };
  const push = async (name: string, answer: (run: string, wait: string) => string[]): Promise<string> => {
    const run = named(name, PUSH);
    story.drop(`${name}.md`, `---\nid: ${run}\n---\nPush what is new to the branch ${name}/x\n`);
    const { wait } = await story.asked('approval');
    await story.oka(...answer(run, wait));
    return (await story.ended(run)).status;
  };
  expect({
    unusable: await note('unusable'),
    keyless: await note('keyless'),
    broke: await note('broke', 'budget: {tool_calls: 2}\n'),
    refused: await push('refused', (_, wait) => ['deny', wait]),
    cancelled: await push('cancelled', (run) => ['cancel', run]),
    unmet: await note('unmet', `accept: ['contains: unmet.txt "something else"']\n`),
    wrong: await note('wrong', `accept: ['contains: wrong.txt "something else"']\n`),
    taken: await note('taken'),
  }).toEqual({
    unusable: 'failed',
    keyless: 'failed',
    broke: 'failed',
    refused: 'failed',
    cancelled: 'cancelled',
    unmet: 'failed',
    wrong: 'failed',
    taken: 'failed',
  });
  await story.rest();
  expect((await story.oka('maintain', '--once')).code).toBe(0);
  expect(evidenceOf(story, NOTE)).toEqual(['taken: not fine', 'unmet: not fine', 'wrong: not fine']);
  expect(evidenceOf(story, PUSH)).toEqual(['refused: not fine']);
});
