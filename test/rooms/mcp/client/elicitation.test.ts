import { expect, test } from 'vitest';
import { toElicitationAnswer, toQuestion } from '../../../../src/rooms/mcp/client/elicitation.ts';

const one = {
  message: 'Which size?',
  schema: { type: 'object', properties: { size: { type: 'string', enum: ['S', 'L'] } }, required: ['size'] },
};
const two = {
  message: 'Who are you?\u200B',
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' }, ok: { type: 'boolean' } },
    required: ['name', 'age'],
  },
};

test('a question of a server is asked in its words, with nothing hidden and its source named', () => {
  expect(toQuestion('mcp.shop.order', one)).toEqual({
    kind: 'question',
    repeat: true,
    text: 'mcp.shop.order asks (these are the words of its server):\nWhich size?',
    options: ['S', 'L'],
  });
  expect(toQuestion('mcp.shop.order', two).text).toMatch(
    /Who are you\?⟦U\+200B⟧\n[\s\S]*age: \(integer\)\nok: \(boolean, may be left out\)/,
  );
});

test("a person's words become the fields that were asked for, or decline", () => {
  expect(toElicitationAnswer(one, 'l')).toEqual({ action: 'accept', content: { size: 'L' } });
  expect(toElicitationAnswer(one, 'XXL')).toEqual({ action: 'decline' });
  expect(toElicitationAnswer(two, 'name: Ann\nage = 30\nok: yes')).toEqual({
    action: 'accept',
    content: { name: 'Ann', age: 30, ok: true },
  });
  expect(toElicitationAnswer(two, 'name: Ann\nage: old')).toEqual({ action: 'decline' });
});
