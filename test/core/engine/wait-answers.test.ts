import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/core/schema/decision.ts';
import type { PlannerInput } from '../../../src/core/schema/ports.ts';
import type { Outcome } from '../../../src/core/schema/tool.ts';
import { engineWith, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';

const missing: Outcome = { status: 'waiting', for: { kind: 'requirement', name: 'pdftotext' } };

/** A worker whose first call misses a program; a person answers, and it finishes with what it saw. */
async function answered(text: string): Promise<{ calls: number; seen: PlannerInput[]; output: unknown }> {
  let calls = 0;
  const seen: PlannerInput[] = [];
  const shell = toolNamed('shell', () => ((calls += 1) === 1 ? missing : ok('text of the page')));
  const { engine } = engineWith({
    tools: [shell],
    planner: {
      decide: (input): Decision => {
        seen.push(structuredClone({ ...input, tools: [] }));
        return input.turn === 0
          ? { kind: 'CallTool', tool: 'shell', input: 'pdftotext a.pdf', rationale: '' }
          : { kind: 'Finish', output: 'read', rationale: '' };
      },
    },
  });
  const resting = await (await engine.start(graphOf([{ kind: 'agent', id: 'a', goal: 'Read it.' }]), { id: 'r' })).done;
  const [wait = ''] = [...resting.waits.keys()];
  const run = await (await engine.answer('r', wait, { verdict: 'answered', text })).done;
  return { calls, seen, output: run.output };
}

describe('an answer to a worker that misses a program', () => {
  it('is read as advice: the command is not repeated, and the worker sees the words of the person', async () => {
    const { calls, seen, output } = await answered('use pypdf');
    expect([calls, output]).toEqual([1, 'read']);
    expect(seen.at(-1)?.evidence).toMatchObject([
      { outcome: 'failed', error: 'pdftotext is missing. What now?' },
      { decision: { kind: 'AskHuman' }, outcome: 'ok', output: 'use pypdf' },
    ]);
  });

  it.each(['installed', 'Done.', 'try again'])(
    '"%s" means that it is there now: the command is repeated',
    async (text) => {
      const { calls, seen } = await answered(text);
      expect(calls).toBe(2);
      expect(seen.at(-1)?.evidence).toMatchObject([{ outcome: 'ok', output: 'text of the page' }]);
    },
  );

  it('fails a step that a model planned, with the advice as the reason, and repeats one that a person wrote', async () => {
    for (const author of ['model', 'operator'] as const) {
      let calls = 0;
      const shell = toolNamed('shell', () => ((calls += 1) === 1 ? missing : ok()));
      const { engine } = engineWith({ tools: [shell] });
      const graph = graphOf([{ kind: 'tool', id: 'a', tool: 'shell' }], { author });
      const resting = await (await engine.start(graph, { id: 'r' })).done;
      const [wait = ''] = [...resting.waits.keys()];
      const run = await (await engine.answer('r', wait, { verdict: 'answered', text: 'use pypdf' })).done;
      if (author === 'model') expect([calls, run.reason]).toEqual([1, expect.stringContaining('answered: use pypdf')]);
      else expect([calls, run.status]).toEqual([2, 'done']);
    }
  });
});
