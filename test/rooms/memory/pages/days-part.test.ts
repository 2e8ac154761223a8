import { outdatedPages } from '../../../../src/kit/learning/learning.ts';
import { describe, expect, it } from 'vitest';
import { daysPart } from '../../../../src/rooms/memory/pages/days-part.ts';
import { peoplePart } from '../../../../src/rooms/memory/pages/people-part.ts';
import { taskRecords } from '../../../../src/kit/learning/task-record.ts';
import type { FactGiven } from '../../../../src/core/schema/memory.ts';
import { BookStory } from '../../../support/part-story.ts';

const DAY = 'memory/2026-01-31.md';
const telling = (compact_days: number | null = 60): BookStory =>
  new BookStory([taskRecords, peoplePart, daysPart({ compact_days })]);
const fact: Omit<FactGiven, 'text'> = {
  id: 'lesson-1',
  source: 'run',
  namespace: 'general',
  importance: 0.5,
  confidence: 0.5,
  supersedes: [],
  evidence: [],
};

function busy(): BookStory {
  const told = telling();
  told.tell('worker.started', null, { version: '1', node: '24', host: 'h', pid: 1 });
  told.begin('invoice', 'Send the invoice');
  told.tell('wait.opened', 'invoice', { wait: 'w1', node: 'ask', for: { kind: 'question', text: 'Which day?' } });
  told.tell('wait.closed', 'invoice', { wait: 'w1', node: 'ask', answer: { verdict: 'answered', text: 'Friday' } });
  told.tell('wait.opened', 'invoice', {
    wait: 'w2',
    node: 'send',
    for: { kind: 'approval', binding: 'b'.repeat(64), text: 'curl x' },
  });
  told.tell('wait.closed', 'invoice', { wait: 'w2', node: 'send', answer: { verdict: 'approved' } });
  told.tell('call.ended', 'invoice', {
    call: 'c1',
    node: 'n',
    status: 'ok',
    output: null,
    usage: { tokens_in: 40_000, tokens_out: 1200, usd: 0.32 },
  });
  told.tell('call.ended', 'invoice', {
    call: 'c2',
    node: 'n',
    status: 'ok',
    output: null,
    usage: { tokens_in: 40_000, tool_calls: 3 },
  });
  told.end('invoice', 'done');
  told.begin('report', 'Write the report\n## Forged\n- [x] item');
  told.end('report', 'failed', 'the disk was gone');
  told.tell('run.corrected', 'invoice', { by: 'invoice-2', text: 'the date was wrong' });
  told.tell('worker.started', null, { version: '1', node: '24', host: 'h', pid: 2 });
  told.tell('egress.decided', null, { host: 'tracker.example', port: 443, verdict: 'refused', reason: 'not allowed' });
  told.tell('fact.kept', null, { ...fact, text: 'Dates are written like 31 January' }, 'maintenance');
  return told;
}

describe('conversations on the page of a day', () => {
  const said = (told: BookStory, from: string, message: string, content: string): unknown =>
    told.tell('message.posted', null, {
      conversation: 'c-1',
      message,
      from,
      kind: from === 'user' ? 'person' : 'agent',
      content,
      depth: 0,
      chain: message,
    });

  it('are named with what people said and what is open, and are gone when they were deleted', () => {
    const told = telling();
    told.tell('chat.opened', null, { conversation: 'c-1', name: 'kitchen' });
    said(told, 'user', '000000000001', 'The tiles come on Friday');
    said(told, 'arya', '000000000002', 'Which colour?');
    expect(told.page(DAY)).toContain(
      [
        '- kitchen: 2 messages of you and arya',
        '  - You: The tiles come on Friday',
        '  - arya: Which colour?',
        '  - Open: arya asked you and waits for your answer',
      ].join('\n'),
    );
    told.tell('chat.deleted', null, { conversation: 'c-1', why: 'person' });
    expect(told.page(DAY)).not.toContain('kitchen');
    expect(told.page(DAY)).not.toContain('tiles');
  });

  it('are bounded on a page, lose what was cleared, and are on none while their memory is off', () => {
    const told = telling();
    told.tell('chat.opened', null, { conversation: 'c-1', name: 'kitchen' });
    for (let n = 1; n <= 20; n += 1) said(told, 'user', String(n).padStart(12, '0'), `word ${n}`);
    expect(told.page(DAY)?.match(/You: word/g)).toHaveLength(8);
    told.tell('chat.expired', null, { conversation: 'c-1', until: '000000000019', messages: 19, why: 'cleared' });
    expect(told.page(DAY)?.match(/You: word \d+/g)).toEqual(['You: word 20']);
    told.tell('chat.changed', null, { conversation: 'c-1', memory: 'off' });
    said(told, 'user', '000000000021', 'word 21');
    expect(told.page(DAY)).not.toContain('word');
  });
});

describe('the page of a day', () => {
  it('tells in one sentence how it went, and then everything by kind', () => {
    const text = busy().page(DAY);
    const [title, , ...rest] = text.split('\n');
    expect(title).toBe('# Saturday, 31 January 2026');
    expect(rest.slice(0, rest.indexOf('')).join(' ')).toBe(
      '1 of 2 tasks was done; 1 failed. You answered 1 question, allowed 1 step and corrected 1 result. It took 1 model call, 41,200 tokens and $0.32.',
    );
    expect(text).toContain('- ✓ Send the invoice — done in 5 s ([result](../../workspace/outbox/invoice/RESULT.md))');
    expect(text).toMatch(/- ✗ Write the report ## Forged - \\\[x\\\] item — failed in 1 s: the disk was gone/);
    expect(text).toContain('- Asked “Which day?”, answered “Friday” (invoice)');
    expect(text).toContain('- Allowed `curl x` (invoice)');
    expect(text).toContain('- Corrected: the date was wrong (invoice)');
    expect(text).toContain('- Dates are written like 31 January _(general, from run)_');
    expect(text).toContain('- the worker came back once after a crash');
    expect(text).toContain('- 1 connection refused, such as `tracker.example`');
    expect(
      Math.max(
        ...text
          .split('\n')
          .filter((line) => !line.startsWith('- '))
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(80);
  });

  it('is told in short once it is old, counted from the last event and from nothing else', () => {
    const told = busy();
    const whole = told.page(DAY);
    told.at = '2026-04-01T12:00:00.000Z';
    told.begin('later');
    expect(told.page(DAY)).toBe(whole);
    told.at = '2026-04-02T12:00:00.000Z';
    told.tell('worker.stopped', null, { reason: 'over' });
    expect(outdatedPages(told.book)).toContain(DAY);
    const short = told.page(DAY);
    expect(short).toContain('1 of 2 tasks was done; 1 failed.');
    expect(short).toContain('In short: 1 fact learned,');
    expect(short).not.toContain('Send the invoice');
  });

  it('keeps a bounded part of a day with thousands of tasks, and the rest as a number', () => {
    const told = telling();
    for (let number = 0; number < 2000; number += 1) {
      told.begin(`t${number}`);
      told.end(`t${number}`, 'done');
    }
    const text = told.page(DAY);
    expect(text).toContain('All 2,000 tasks were done.');
    expect(text.match(/^- ✓/gm)).toHaveLength(50);
    expect(text).toContain('- … and 1,950 more');
    expect([...told.book.each('day-of/')]).toHaveLength(50);
  });

  it('keeps the lines of people when it is shortened', () => {
    const told = busy();
    told.tell('page.edited', null, { page: DAY, lines: ['my note'], removed: [], changed: [] }, 'maintenance');
    told.at = '2027-01-01T12:00:00.000Z';
    told.tell('worker.stopped', null, { reason: 'over' });
    expect(told.page(DAY)).toContain('\nmy note\n');
  });
});
