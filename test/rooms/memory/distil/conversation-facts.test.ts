import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../../src/core/schema/event.ts';
import { life, textsIn } from './life.ts';

let count = 0;
function message(content: string, conversation = 'c1'): NewEvent {
  count += 1;
  const id = `1m7p${String(count).padStart(8, '0')}`;
  const data = { conversation, message: id, from: 'user', kind: 'person' as const, content, depth: 0, chain: id };
  return { type: 'message.posted', data };
}
const opened = (more: object = {}): NewEvent => ({
  type: 'chat.opened',
  data: { conversation: 'c1', name: 'trip', ...more },
});

describe('what is learned from a conversation', () => {
  it('is learned as from a task, also when it is said to an agent', () => {
    const told = life();
    told.add(
      opened(),
      message('@oka from now on answer in German.'),
      message('Remember that my dentist is in Mill Lane.'),
    );
    told.pass();
    expect(textsIn(told.book)).toEqual(['Answer in German.', 'My dentist is in Mill Lane.']);
  });

  it.each<[string, NewEvent]>([
    ['deletes it', { type: 'chat.deleted', data: { conversation: 'c1', why: 'person' } }],
    ['switches its memory off', { type: 'chat.changed', data: { conversation: 'c1', memory: 'off' } }],
    [
      'clears it',
      { type: 'chat.expired', data: { conversation: 'c1', until: '1m7q00000000', messages: 1, why: 'cleared' } },
    ],
  ])('is forgotten when a person %s, unless it was said elsewhere, too', (_, end) => {
    const told = life();
    told.add(opened(), message('@oka from now on answer in German.'), message('Always sign letters with Ada.'));
    told.add(message('Always sign letters with Ada.', 'c10'));
    told.pass();
    expect(textsIn(told.book)).toHaveLength(2);
    told.add(end);
    told.pass();
    expect(textsIn(told.book)).toEqual(['Always sign letters with Ada.']);
  });

  it('stays when messages have only expired, and is not learned while memory is off', () => {
    const told = life();
    told.add(opened(), message('@oka from now on answer in German.'));
    told.add({ type: 'chat.expired', data: { conversation: 'c1', until: '1m7q00000000', messages: 1, why: 'ttl' } });
    told.add({ type: 'chat.deleted', data: { conversation: 'c1', why: 'empty' } });
    told.add(opened({ memory: 'off' }), message('Always sign letters with Ada.'));
    told.pass();
    expect(textsIn(told.book)).toEqual(['Answer in German.']);
  });
});
