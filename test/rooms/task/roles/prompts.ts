/** What the tests of the roles share: tools as a model sees them, and answers of a model. */
import type { Json } from '../../../../src/core/schema/json.ts';
import type { Evidence, ModelAnswer, PlannerInput } from '../../../../src/core/schema/ports.ts';
import { filesTools } from '../../../../src/rooms/desk/tools/files.ts';
import { httpTools } from '../../../../src/rooms/desk/tools/http.ts';
import { humanTool } from '../../../../src/rooms/desk/tools/human.ts';
import { shellTool } from '../../../../src/rooms/desk/tools/shell.ts';

export const tools = [
  ...filesTools({ desk: '/nowhere' }),
  shellTool({ desk: '/nowhere', env: {} }),
  ...httpTools({}),
  humanTool(),
];

export const called = (name: string, input: Json, text = ''): ModelAnswer => ({
  text,
  call: { name, input },
  usage: {},
  model: 'scripted:test',
});

export const spoken = (text: string): ModelAnswer => ({ text, call: null, usage: {}, model: 'scripted:test' });

export const turnOf = (
  turn: number,
  tool: string,
  input: Json,
  output: Json,
  change: Partial<Evidence> = {},
): Evidence => ({
  turn,
  decision: { kind: 'CallTool', tool, input, rationale: '' },
  outcome: 'ok',
  output,
  error: null,
  ...change,
});

export const askOf = (change: Partial<PlannerInput> = {}): PlannerInput => ({
  run: 'r1',
  node: 'write',
  turn: 0,
  goal: 'Write report.md',
  state: 'act',
  next: ['decide', 'validate', 'failed'],
  evidence: [],
  tools,
  budgets: { tokens: 9000, tool_calls: 20 },
  problem: null,
  ...change,
});
