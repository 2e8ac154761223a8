import { describe, expect, it } from 'vitest';
import { foundTools } from '../../../src/core/engine/found-tools.ts';
import { eligible } from '../../../src/core/chain/middleware/eligible.ts';
import type { Decision } from '../../../src/core/schema/decision.ts';
import type { PlannerInput } from '../../../src/core/schema/ports.ts';
import { engineWith, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';
import { turnOf } from '../../rooms/task/roles/prompts.ts';

const callTo = (tool: string): Decision => ({ kind: 'CallTool', tool, input: {}, rationale: '' });
const output = {
  tools: [
    { name: 'mcp.mail.send', about: '' },
    { name: 'shell', about: '' },
  ],
  skills: [],
};

describe('tools that a search has found', () => {
  it('are those of servers that a successful search of this agent names, and no others', () => {
    const search = turnOf(0, 'tools.search', { query: 'mail' }, output);
    expect(foundTools([search])).toEqual(['mcp.mail.send']);
    expect(foundTools([{ ...search, outcome: 'failed' }])).toEqual([]);
    expect(foundTools([turnOf(0, 'files.read', { path: 'x' }, output)])).toEqual([]);
    expect(foundTools([turnOf(0, 'tools.search', {}, 'odd'), turnOf(0, 'tools.search', {}, { tools: [1] })])).toEqual(
      [],
    );
  });

  it('may be called by the step that has searched, through the whole chain; built-in ones may not', async () => {
    const called: string[] = [];
    const tools = [
      toolNamed('tools.search', () => ok(output)),
      toolNamed('mcp.mail.send', () => ok(called.push('mail')), { class: 'external_mutation' }),
      toolNamed('mcp.mail.purge', () => ok(called.push('purge')), { class: 'external_mutation' }),
      toolNamed('shell', () => ok(called.push('shell')), { class: 'write_local' }),
    ];
    const answers = ['mcp.mail.send', 'tools.search', 'shell', 'mcp.mail.purge', 'mcp.mail.send'].map(callTo);
    const offered: string[][] = [];
    const planner = {
      decide: (input: PlannerInput): Decision => {
        offered.push(input.tools.map(({ name }) => name));
        return answers.shift() ?? { kind: 'Finish', output: null, rationale: '' };
      },
    };
    const { engine, events } = engineWith({ tools, planner, middleware: [eligible()] });
    const { done } = await engine.start(
      graphOf([{ kind: 'agent', id: 'a', goal: 'Send it.', tools: ['tools.search'] }]),
      { id: 'r' },
    );
    await done;
    expect(called).toEqual(['mail']);
    expect(offered[0]).toEqual(['tools.search']);
    expect(offered.at(-1)).toEqual(['tools.search', 'mcp.mail.send']);
    expect(events.filter(({ type }) => type === 'decision.rejected')).toHaveLength(3);
  });
});
