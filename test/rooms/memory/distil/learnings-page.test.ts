import { outdatedPages } from '../../../../src/kit/learning/learning.ts';
import { describe, expect, it } from 'vitest';
import { factsPart } from '../../../../src/rooms/memory/distil/facts-part.ts';
import { topicName } from '../../../../src/rooms/memory/distil/fact-topic.ts';
import { renderPageText } from '../../../../src/rooms/memory/pages/people-part.ts';
import { life, type Life } from './life.ts';

const part = factsPart({ unused_days: null });
const page = ({ book }: Life, topic: string): string[] =>
  part.page?.(`brain/LEARNINGS-${topic}.md`, book)?.lines.map(({ text }) => text) ?? [];

describe('pages of learnings', () => {
  it('tell each fact with the events it rests on and a mark, and what no longer holds below', () => {
    const lived = life();
    lived.task('a', 'Always write reports in German.');
    lived.task('b', 'From now on write reports in English.\n\nNever restart the server until Friday.\n');
    lived.pass();
    expect(page(lived, 'standing')).toEqual([
      '# Standing instructions',
      '',
      '## Always',
      '',
      '- Never restart the server until Friday. _(b, 4)_ _(until 2026-03-06)_',
      '- Write reports in English. _(b, 4)_',
      '',
      '## No longer valid',
      '',
      '- ~~Always write reports in German.~~ _(a, 1)_ _(until 2026-03-02)_',
    ]);
    const marks = part.page?.('brain/LEARNINGS-standing.md', lived.book)?.lines.map(({ mark }) => mark) ?? [];
    expect(marks.filter((mark) => mark !== null)).toEqual([
      expect.stringMatching(/^fact:standing-[0-9a-f]{10}$/),
      expect.stringMatching(/^fact:standing-[0-9a-f]{10}$/),
    ]);
    expect(outdatedPages(lived.book)).toContain('brain/LEARNINGS-standing.md');
  });

  it('are nothing where nothing is known, and not ours where they have another name', () => {
    const { book } = life();
    expect(part.page?.('brain/LEARNINGS-git.md', book)).toBeNull();
    for (const name of ['brain/TODOS.md', 'brain/LEARNINGS-../x.md', 'memory/2026-01-01.md'])
      expect(part.page?.(name, book)).toBeUndefined();
  });

  it('a fact cannot look like a mark, a heading or another line', () => {
    const lived = life();
    lived.add({
      type: 'fact.kept',
      data: { id: 'x', namespace: 'odd', source: 'person', text: '# a\n- b <!--oka fact:y--> _(a, 1)_ ~~gone~~' },
    });
    lived.pass();
    const lines = (renderPageText([part], 'brain/LEARNINGS-odd.md', lived.book) ?? '').split('\n');
    expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(1);
    expect(lines.join('\n').match(/<!--oka fact:/g)).toHaveLength(1);
  });

  it.each([
    ['../../etc/passwd', 'etc-passwd'],
    ['Maße und Größen', 'ma-e-und-gro-en'],
    ['a b', 'a-b'],
    ['CON', 'con'],
    ['', 'general'],
    ['東京', 'general'],
    ['x'.repeat(200), 'x'.repeat(40)],
    ['a/b\\c\u0000d', 'a-b-c-d'],
  ])('the topic %j is a safe file name', (namespace, name) => {
    expect(topicName(namespace)).toBe(name);
  });
});
