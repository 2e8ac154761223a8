import { describe, expect, it } from 'vitest';
import type { Part } from '../../../src/core/schema/learning-part.ts';
import { findEdit } from '../../../src/rooms/maintenance/pages/find-edit.ts';
import { peoplePart, pendingRequests } from '../../../src/rooms/memory/pages/people-part.ts';
import { evidenceNote, escapeText } from '../../../src/kit/learning/page-prose.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import type { FactGiven } from '../../../src/core/schema/memory.ts';
import { BookStory } from '../../support/part-story.ts';

const PAGE = 'brain/LEARNINGS-general.md';

/** Facts and nothing else: believed from when they are kept until they are forgotten. */
const facts: Part = {
  name: 'facts',
  take: ({ event }, book) => {
    if (event.type === 'fact.kept') {
      for (const old of event.data.supersedes) book.put(`f/${old}`, null);
      book.put(`f/${event.data.id}`, event.data);
    }
    if (event.type === 'fact.forgotten') for (const id of event.data.facts) book.put(`f/${id}`, null);
  },
  page: (page, book) => {
    const topic = /^brain\/LEARNINGS-(.*)\.md$/.exec(page)?.[1];
    if (topic === undefined) return undefined;
    const held = [...book.each<FactGiven>('f/')].map(([, fact]) => fact).filter(({ namespace }) => namespace === topic);
    return {
      lines: [
        { text: `# ${topic}`, mark: null },
        ...held.map(({ id, text }) => ({
          text: `- ${escapeText(text)}${evidenceNote([{ run: 'r1', seq: 7 }])}`,
          mark: `fact:${id}`,
        })),
      ],
    };
  },
};

function knowing(): BookStory {
  const told = new BookStory([facts, peoplePart]);
  for (const [id, text] of [
    ['lesson-1', 'Tabs, not spaces'],
    ['lesson-2', 'Use *.csv & <b>'],
  ] as const)
    told.tell('fact.kept', null, {
      id,
      text,
      source: 'run',
      namespace: 'general',
      importance: 0.5,
      confidence: 0.5,
      supersedes: [],
      evidence: [],
    });
  return told;
}

function edit(told: BookStory, change: (text: string) => string, page = PAGE): Intake[] {
  const last = told.page(page);
  const found = findEdit(page, { now: change(last), last });
  if (found === null) return [];
  const before = new Set([...pendingRequests(told.book)].map(({ id }) => id));
  told.tell('page.edited', null, found, 'maintenance');
  return [...pendingRequests(told.book)].filter(({ id }) => !before.has(id)).map(({ intake }) => intake);
}

/** The worker takes in what was asked for. */
function work(told: BookStory): void {
  for (const { id, intake } of Array.from(pendingRequests(told.book))) {
    told.tell('intake.received', null, { id, intake });
    if (intake.kind === 'remember') told.tell('fact.kept', null, intake.fact);
    if (intake.kind === 'forget') told.tell('fact.forgotten', null, { facts: intake.facts, why: intake.why });
  }
}

describe('a page of learnings', () => {
  it('a line that is struck is forgotten, and not shown while that is asked for', () => {
    const told = knowing();
    expect(edit(told, (text) => text.replace(/- Tabs.*\n/, ''))).toEqual([
      { kind: 'forget', facts: ['lesson-1'], why: 'deleted' },
    ]);
    expect(told.page(PAGE)).not.toContain('Tabs');
    work(told);
    expect(told.page(PAGE)).not.toContain('Tabs');
    expect([...pendingRequests(told.book)]).toEqual([]);
  });

  it('a line that is changed takes the place of the old one, in the words of the person', () => {
    const told = knowing();
    const [asked, ...others] = edit(told, (text) => text.replace('Tabs, not spaces', 'Two spaces, never *tabs*'));
    expect(others).toEqual([]);
    expect(asked).toMatchObject({
      kind: 'remember',
      fact: {
        text: 'Two spaces, never *tabs*',
        source: 'person',
        confidence: 1,
        supersedes: ['lesson-1'],
        namespace: 'general',
      },
    });
    for (const isTaken of [false, true]) {
      if (isTaken) work(told);
      expect(told.page(PAGE).match(/Two spaces/g)).toHaveLength(1);
      expect(told.page(PAGE)).not.toContain('Tabs, not');
    }
    expect(edit(told, (text) => text)).toEqual([]);
  });

  it('a new line is remembered once, however often the page is read, and forgotten when it is struck', () => {
    const told = knowing();
    const [asked] = edit(told, (text) => `${text}- I live in Bern\nand this is a note\n`);
    expect(asked).toMatchObject({
      kind: 'remember',
      fact: { text: 'I live in Bern', source: 'person', supersedes: [] },
    });
    work(told);
    expect(told.page(PAGE).match(/Bern/g)).toHaveLength(1);
    expect(edit(told, (text) => `${text}another note\n`)).toEqual([]);
    const id = asked?.kind === 'remember' ? asked.fact.id : '';
    expect(edit(told, (text) => text.replace('- I live in Bern\n', ''))).toEqual([
      { kind: 'forget', facts: [id], why: 'deleted' },
    ]);
    work(told);
    expect(told.page(PAGE)).not.toContain('Bern');
    expect(edit(told, (text) => `${text}- I live in Bern\n`)).toMatchObject([{ kind: 'remember', fact: { id } }]);
  });

  it('a line in the page of standing instructions is one', () => {
    const told = knowing();
    expect(edit(told, (text) => `${text}- Always answer in German\n`, 'brain/LEARNINGS-standing.md')).toMatchObject([
      { kind: 'remember', fact: { namespace: 'standing', text: 'Always answer in German' } },
    ]);
  });

  it('what stands between fences is shown, not said', () => {
    const told = knowing();
    expect(edit(told, (text) => `${text}\`\`\`\n- rm -rf\n\`\`\`\n`)).toEqual([]);
  });

  it('an emptied or cut page forgets nothing', () => {
    const told = knowing();
    for (const now of ['', told.page(PAGE).slice(0, 30), '# general\n'])
      expect(edit(told, () => now).filter(({ kind }) => kind === 'forget')).toEqual([]);
  });

  it('pages of other kinds ask for nothing', () => {
    const told = knowing();
    for (const page of ['brain/PROCEDURES/x.md', 'memory/2026-01-31.md'])
      expect(edit(told, () => '- a note\n', page)).toEqual([]);
    expect(told.page('memory/2026-01-31.md')).toContain('\n- a note\n');
  });
});
