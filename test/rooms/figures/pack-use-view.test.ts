import { describe, expect, it } from 'vitest';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { signsOfNew } from '../../../src/kit/text/term-signs.ts';
import { packUse, packUseView } from '../../../src/rooms/figures/pack-use-view.ts';

const item = (text: string, section = 'episodes') => ({
  section,
  tokens: 10,
  signs: signsOfNew(text, 'Write to the dentist'),
});
const event = (type: string, run: string, data: object): Event =>
  ({ type, run, data, pen: 'run', seq: 1, at: '2030-03-04T10:00:00.000Z' }) as unknown as Event;
const packed = (run: string, ...items: object[]): Event => event('context.packed', run, { items });
const answered = (run: string, text: string): Event => event('call.ended', run, { output: { model: 'x:y', text } });
const ended = (run: string): Event => event('run.ended', run, {});

function usedAfter(...events: readonly Event[]): { tokens: number; unused: number } {
  const rows = memoryRows();
  for (const each of events) packUseView.take({ event: each, text: () => null }, rows);
  return packUse(rows, '2030-03-04');
}

describe('memories in prompts', () => {
  const dentist = item('My dentist is in Mill Lane, appointments on Thursdays');
  const boat = item('The varnish of the sailing boat needs a third coat');

  it('count as used if an answer has words that they added to the prompt', () => {
    const answer = 'Dear dentist in Mill Lane, can I come on Thursday?';
    expect(usedAfter(packed('t', dentist, boat), answered('t', answer), ended('t'))).toEqual({
      tokens: 20,
      unused: 10,
    });
    expect(usedAfter(packed('t', dentist), answered('t', 'Write to the dentist'), ended('t'))).toEqual({
      tokens: 10,
      unused: 10,
    });
  });

  it('are counted when the task ends, once, and standing instructions are not', () => {
    expect(usedAfter(packed('t', boat))).toEqual({ tokens: 0, unused: 0 });
    const standing = item('Sign letters with regards', 'standing');
    expect(usedAfter(packed('t', boat, standing), ended('t'), ended('t'))).toEqual({ tokens: 10, unused: 10 });
  });

  it('are not used by an answer of another task, nor by what a tool prints', () => {
    const printed = event('call.ended', 't', { output: { stdout: 'varnish sailing boat third coat' } });
    const events = [packed('t', boat), answered('other', 'varnish the sailing boat'), printed, ended('t')];
    expect(usedAfter(...events)).toEqual({ tokens: 10, unused: 10 });
  });

  it('leave no word of themselves in their signs', () => {
    for (const sign of boat.signs) expect(sign).toBeTypeOf('number');
    expect(signsOfNew('the same words', 'the same words')).toEqual([]);
  });
});
