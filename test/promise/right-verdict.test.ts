import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, type Parts, plan, verdict } from '../support/story-model.ts';
import type { WireScript } from '../support/wire-server.ts';
import { call, type WireReply } from '../support/wire-server-reply.ts';

const TOOLS = ['files.read', 'files.write', 'files.list', 'shell'];
const NO_REPLAN = 'budget: { replans: 0 }';

/** The name of the last entry of evidence that came from a call. */
const evidenceFrom = (text: string, source: string): string =>
  [...text.matchAll(new RegExp(String.raw`\b(E\d+) ${source}`, 'g'))].at(-1)?.[1] ?? '';

describe('one rule for paths: what a model writes starts at the desk', () => {
  const cleaned = (content: string, criterion: string) =>
    inParts({
      planner: () => plan([goal('clean', 'Remove the secret from job/a.txt', TOOLS, ['job/**'])], [criterion]),
      executor: acting(call('files_write', { path: 'job/a.txt', content })),
    });
  const TASK = '---\nid: job\nbudget: { replans: 0 }\n---\nRemove every line with the word hidden from a.txt.\n';

  it('right work is accepted by a command that names the file from the desk', async () => {
    await using story = await openStory({ model: cleaned('open\n', 'command: ! grep -q hidden job/a.txt') });
    story.drop('job/a.txt', 'open\nhidden\n');
    story.drop('job/TASK.md', TASK);
    story.work();
    expect(await story.ended('job')).toMatchObject({ status: 'done' });
  });

  it('a negated search finds what is still there', async () => {
    await using story = await openStory({ model: cleaned('open\nhidden!\n', 'command: ! grep -q hidden job/a.txt') });
    story.drop('job/a.txt', 'open\nhidden\n');
    story.drop('job/TASK.md', TASK);
    story.work();
    const { status, page } = await story.ended('job');
    expect(status).toBe('failed');
    expect(page).toContain('❌ command: ! grep -q hidden');
  });
});

describe('the answer is a deliverable', () => {
  const TASK = `---\nid: day\n${NO_REPLAN}\n---\nWhich day is the meeting? Look in notes.txt.\n`;
  /** Plans a check that holds anyway, and judges the answer by what the notes say. */
  const answering = (answer: string) =>
    inParts({
      planner: () => plan([goal('look', 'Find the day', TOOLS, [])], ['file: notes.txt is not empty']),
      executor: acting(call('files_read', { path: 'notes.txt' }), call('finish', { output: answer })),
      critic: ({ text }) => {
        const isRight = /<data \w+ answer>[^<]*Friday/.test(text);
        const quote = { evidence: evidenceFrom(text, 'files\\.read'), quote: 'The meeting is on Friday' };
        const claim = { criterion: 'c1', holds: isRight, ...quote };
        return verdict(isRight ? 'done' : 'rework', [claim], 'the notes say Friday');
      },
    });

  it('a wrong answer with right evidence is not done', async () => {
    await using story = await openStory({ model: answering('The meeting is on Thursday.') });
    story.write('workspace/desk/notes.txt', 'The meeting is on Friday, 10:00.\n');
    story.drop('day.md', TASK);
    story.work();
    const { status, page } = await story.ended('day');
    expect(status).toBe('failed');
    expect(page).toContain('## Answer, not accepted\n\nThe meeting is on Thursday.');
    expect(page).toContain('The critic: the notes say Friday');
  });

  it('a right answer is done, and comes first in the result', async () => {
    await using story = await openStory({ model: answering('It is on Friday at 10:00.') });
    story.write('workspace/desk/notes.txt', 'The meeting is on Friday, 10:00.\n');
    story.drop('day.md', TASK);
    story.work();
    const { status, page } = await story.ended('day');
    expect(status).toBe('done');
    expect(page).toMatch(/✅ Done\.\*\* 2 of 2 criteria met\.\n\n## Answer\n\nIt is on Friday at 10:00\./);
    expect(page.indexOf('## Answer')).toBeLessThan(page.indexOf('## What was done'));
  });
});

describe('no empty done', () => {
  const TASK = `---\nid: empty\n${NO_REPLAN}\n---\nMake the notes in notes.txt shorter, and tidy them up.\n`;
  const trusting: WireScript = ({ text }) => {
    const names = [...text.matchAll(/^(c\d+): /gm)].map(([, name]) => name ?? '');
    const evidence = evidenceFrom(text, '(?:files|changes|shell)');
    return verdict(
      'done',
      names.map((criterion) => ({ criterion, holds: true, evidence, quote: 'a long note' })),
    );
  };
  const ending = (output: string, ...calls: WireReply[]): WireScript =>
    acting(call('files_read', { path: 'notes.txt' }), ...calls, call('finish', { output }));
  const checking =
    (...criteria: string[]): WireScript =>
    () =>
      plan([goal('work', 'Shorten notes.txt', TOOLS, ['notes.txt'])], criteria);
  const write = call('files_write', { path: 'notes.txt', content: 'a note\n' });

  const variants: Record<string, [Parts, string]> = {
    'plans a criterion that cannot fail': [{ planner: checking('command: true') }, 'cannot fail'],
    'plans a criterion that holds anyway and does nothing': [
      { planner: checking('file: notes.txt is not empty'), executor: ending('All is well.') },
      'nothing was changed, although the plan declares notes.txt',
    ],
    'claims a file that it never wrote': [
      { planner: checking('rows: notes.txt == 1'), executor: ending('I shortened it and wrote summary.md.', write) },
      'unbacked: the answer says',
    ],
    'claims to have sent a message': [
      {
        planner: checking('rows: notes.txt == 1'),
        executor: ending('Shortened. I sent the list to bob@example.org.', write),
      },
      'no call of this task sent anything to bob@example.org',
    ],
    'claims to have deleted a file': [
      { planner: checking('rows: notes.txt == 1'), executor: ending('I deleted old.txt.', write) },
      'no call of this task removed old.txt',
    ],
    'reports progress only': [
      { planner: checking('rows: notes.txt == 1'), executor: ending('Halfway, continuing.', write) },
      'unfinished: the answer only reports progress',
    ],
    'answers what breaks off': [
      {
        planner: checking('rows: notes.txt == 1'),
        executor: ending('The notes are shorter now, and the rest of', write),
      },
      'unfinished: the answer breaks off',
    ],
    'plans a criterion about a file that nothing may change': [
      { planner: checking('contains: other.txt "short"') },
      'no step may change other.txt',
    ],
    'plans a command that is not there': [{ planner: checking('command: no-such-program notes.txt') }, 'cannot be met'],
  };

  it.concurrent.each(Object.keys(variants))('a mind that %s: not done, and the page says why', async (name) => {
    const [parts, reason] = variants[name] ?? [{}, ''];
    const model = inParts({ executor: ending('It is shorter.', write), critic: trusting, ...parts });
    await using story = await openStory({ model });
    story.write('workspace/desk/notes.txt', 'a long note\nand another\n');
    story.drop('empty.md', TASK);
    story.work();
    const { status, page } = await story.ended('empty');
    expect(status).toBe('failed');
    expect(page.replaceAll('`', '')).toContain(reason);
  });

  it('the same work with an honest answer is done', async () => {
    const model = inParts({
      planner: checking('rows: notes.txt == 1'),
      executor: ending('notes.txt is shorter now.', write),
    });
    await using story = await openStory({ model });
    story.write('workspace/desk/notes.txt', 'a long note\nand another\n');
    story.drop('empty.md', TASK);
    story.work();
    expect(await story.ended('empty')).toMatchObject({ status: 'done' });
  });

  it('checks that a model planned are not enough: what was asked for is judged beside them', async () => {
    const model = inParts({
      planner: checking('rows: notes.txt == 1'),
      executor: ending('notes.txt is shorter now.', call('files_write', { path: 'notes.txt', content: 'nonsense\n' })),
      critic: () => verdict('rework', [{ criterion: 'c1', holds: false, evidence: '', quote: '' }], 'another text'),
    });
    await using story = await openStory({ model });
    story.write('workspace/desk/notes.txt', 'a long note\nand another\n');
    story.drop('empty.md', TASK);
    story.work();
    const { status, page } = await story.ended('empty');
    expect(status).toBe('failed');
    expect(page).toMatch(/✅ `?rows: notes\.txt == 1[\s\S]*❌ What the task asks for is done/);
  });

  it('nothing had to be done: said in the answer, and shown', async () => {
    const model = inParts({
      planner: checking('contains: notes.txt "a long note"'),
      executor: ending('Nothing had to be changed: the notes are short already.'),
      critic: trusting,
    });
    await using story = await openStory({ model });
    story.write('workspace/desk/notes.txt', 'a long note\n');
    story.drop('empty.md', TASK);
    story.work();
    expect(await story.ended('empty')).toMatchObject({ status: 'done' });
  });
});
