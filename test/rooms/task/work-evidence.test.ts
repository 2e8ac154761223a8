import { describe, expect, it } from 'vitest';
import { collectEvidence } from '../../../src/rooms/task/work-evidence.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Act } from '../../../src/core/schema/tool.ts';

const callOf = (tool: string, output: Json): Event[] =>
  [
    { type: 'call.started', data: { call: 'c', tool, input: { query: 'door code' } } },
    { type: 'call.ended', data: { call: 'c', status: 'ok', output } },
  ] as unknown as Event[];
const nothing = { created: [], changed: [], removed: [] };
const act = (): never => {
  throw new Error('nothing is to be read');
};

describe('evidence from files', () => {
  it('is what the task changed and, where it changed none of it, what it was to change; a glob is no file', async () => {
    const read: string[] = [];
    const reading = (_: string, { path }: { path: string }) => {
      read.push(path);
      return Promise.resolve({ status: 'ok', output: { content: `text of ${path}` } });
    };
    const changes = { ...nothing, created: ['other.txt'] };
    const shown = await collectEvidence({ attempts: [], changes }, reading as unknown as Act, {
      untouched: ['a.txt', 'a.txt', 'out/*.md', 'b.txt'],
    });
    expect(read).toEqual(['other.txt', 'a.txt', 'b.txt']);
    expect(shown.map(({ text, kind }) => [text, kind])).toContainEqual(['text of b.txt', 'file']);
  });
});

describe('evidence from memory', () => {
  const found = [
    { id: 'e1', text: 'The door code is 9034 now.', who: 'person' },
    { id: 'e2', text: 'Judged done: every criterion is met', who: 'oka' },
  ];

  it('does not contain what oka wrote about earlier runs: a verdict is no evidence', async () => {
    const shown = (await collectEvidence({ attempts: [callOf('memory.search', found)], changes: nothing }, act)).at(
      -1,
    )?.text;
    expect(shown).toContain('9034');
    expect(shown).not.toContain('every criterion');
  });

  it('is changed for no other tool', async () => {
    expect(
      (await collectEvidence({ attempts: [callOf('other.search', found)], changes: nothing }, act)).at(-1)?.text,
    ).toContain('every criterion');
  });
});
