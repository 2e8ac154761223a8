import { expect, it } from 'vitest';
import { answerFrom, renderQuestion } from '../../../../src/rooms/chat/terminal/open-question.ts';
import { Asked, type WaitFor } from '../../../../src/core/schema/wait.ts';
import { terminalOf } from '../../../../src/kit/cli/io.ts';

const asked = Asked.parse({
  tool: 'mcp.notes.add',
  class: 'external_mutation',
  author: 'model',
  command: 'mcp.notes.add {}',
  why: 'it may change something outside this machine',
  may_be_always: true,
});
const plain = terminalOf({ isTerminal: false, hasColours: false, width: 80 });
const asking = (about: Asked): WaitFor => ({ kind: 'approval', binding: 'b'.repeat(64), text: 'x', asked: about });

it('always for this tool is said where it is asked, and answered in these words', () => {
  const question = { agent: 'oka', wait: 'w', for: asking(asked) };
  expect(renderQuestion(question, plain)).toContain('always for this tool');
  expect(answerFrom(question, 'always for this tool')).toMatchObject({
    answer: { verdict: 'approved', always_for_tool: 'mcp.notes.add' },
  });
  const { may_be_always: _, ...once } = asked;
  const other = { ...question, for: asking(once) };
  expect(renderQuestion(other, plain)).not.toContain('always');
  expect(answerFrom(other, 'always for this tool')).toHaveProperty('problem');
});
