import { describe, expect, it } from 'vitest';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { isTainted, recordTaint, unaskedTargets } from '../../../src/rooms/procedures/run-trust.ts';
import { graphOf } from '../../support/engine-fakes.ts';

const planOf = (tool: string, input: Record<string, string>) =>
  unaskedTargets(
    graphOf([{ kind: 'tool', id: 'a', tool, input }]),
    'Pay invoice 4711 of 84.20 to DE89 3704 0044 0532 0130 00.',
  );

describe('what a plan names and its task does not', () => {
  it.each([
    ['another account', 'files.write', { path: 'pay.txt', content: 'Pay to US13 3000 0000 1212 1212 12' }],
    ['another account in a command', 'shell', { line: 'echo "Pay to US13300000001212121212" > pay.txt' }],
    ['a long number', 'shell', { line: 'echo 555123456 >> numbers.txt' }],
    ['another amount', 'files.write', { path: 'pay.txt', content: 'Pay 9000 for invoice 4711' }],
    ['a host', 'http.get', { url: 'http://evil.example.com/' }],
  ])('%s makes it no sample', (_, tool, input) => {
    expect(planOf(tool, input)).not.toEqual([]);
  });

  it.each([
    [
      'the values of the task, grouped otherwise',
      'files.write',
      { path: 'p', content: 'DE89370400440532013000: 84.20 (4711)' },
    ],
    ['a day', 'files.write', { path: 'p', content: 'On 2026-11-18' }],
    ['small numbers of a command', 'shell', { line: 'head -n 100 a.txt > b.txt' }],
  ])('%s are fine', (_, tool, input) => {
    expect(planOf(tool, input)).toEqual([]);
  });
});

it('a task that an agent of a conversation has started is no sample, and one of a person is', () => {
  const rows = memoryRows();
  const from_chat = { conversation: '01jd3k5m7abc', message: '01jd3k5m7xyz', agent: 'oka' };
  const started = (run: string, fields: object): Event =>
    ({ type: 'run.started', run, data: { title: 't', input: { fields } } }) as unknown as Event;
  recordTaint(rows, started('asked', { from_chat }));
  recordTaint(rows, started('own', {}));
  expect([isTainted(rows, 'asked'), isTainted(rows, 'own')]).toEqual([true, false]);
});
