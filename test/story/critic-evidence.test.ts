import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan, verdict } from '../support/story-model.ts';
import type { WireScript } from '../support/wire-server.ts';
import { call, calls } from '../support/wire-server-reply.ts';

const TOOLS = ['files.read', 'files.write', 'files.list'];
const TASK = '---\nid: job\nbudget: { replans: 0 }\n---\nWrite an index of the chapters in book.txt to index.txt.\n';
const BOOK = 'Chapter 1: Rain\nChapter 2: Snow\n';

/** The name of the last entry of evidence from this source; empty when the prompt has none. */
const entryFrom = (text: string, source: string): string =>
  [...text.matchAll(new RegExp(String.raw`\b(E\d+) ${source}`, 'g'))].at(-1)?.[1] ?? '';

const judgedBy = (critic: WireScript, criterion = 'index.txt lists every chapter of book.txt.') =>
  inParts({
    planner: () => plan([goal('index', 'Write index.txt', TOOLS, ['index.txt'])], [criterion]),
    executor: acting(
      call('files_write', { path: 'index.txt', content: 'Rain, Snow\n' }),
      call('finish', { output: 'index.txt has both chapters.' }),
    ),
    critic,
  });

describe('the evidence of a critic', () => {
  it('may be a file that it reads itself, although no step has read it', async () => {
    const critic: WireScript = ({ text }) => {
      const evidence = entryFrom(text, String.raw`files\.read \{"path":"book\.txt"`);
      if (evidence === '') return call('files_read', { path: 'book.txt' });
      return verdict('done', [{ criterion: 'c1', holds: true, evidence, quote: 'Chapter 2: Snow' }]);
    };
    await using story = await openStory({ model: judgedBy(critic) });
    story.write('workspace/desk/book.txt', BOOK);
    story.drop('job.md', TASK);
    story.work();
    const { status, page } = await story.ended('job');
    expect(status).toBe('done');
    expect(page).toContain('"Chapter 2: Snow"');
    const reads = (await story.eventsOf('call.started', 'job')).filter(({ data }) => data.tool === 'files.read');
    expect(reads.map(({ data }) => data.input)).toContainEqual({ path: 'book.txt' });
  });

  it.each([
    ['what the task asks for is there already', 'Rain, Snow\n', 'done'],
    ['it is there and wrong', 'Rain\n', 'failed'],
    ['it is not there', null, 'failed'],
  ] as const)('contains the file that a plan without a worker was to change: %s', async (_, before, expected) => {
    const step = { id: 'index', tool: 'shell', input: { line: 'cat >> book.txt < /dev/null' }, targets: ['index.txt'] };
    const critic: WireScript = ({ text }) => {
      const evidence = entryFrom(text, String.raw`files\.read \{"path":"index\.txt"`);
      const holds = text.includes('\nRain, Snow\n');
      return verdict(holds ? 'done' : 'rework', [
        { criterion: 'c1', holds, evidence, quote: holds ? 'Rain, Snow' : '' },
      ]);
    };
    await using story = await openStory({
      model: inParts({
        planner: () => plan([step], ['file: book.txt is not empty', 'file: index.txt is not empty']),
        critic,
      }),
    });
    story.write('workspace/desk/book.txt', BOOK);
    if (before !== null) story.write('workspace/desk/index.txt', before);
    story.drop('job.md', TASK);
    story.work();
    const { status, page } = await story.ended('job');
    expect([status, page]).toEqual([expected, expect.stringContaining('Nothing had to be changed')]);
  });

  it('is not read for ever: after a few reads it has to judge', async () => {
    const critic: WireScript = ({ tools }) =>
      tools.includes('files_read')
        ? call('files_read', { path: 'book.txt' })
        : verdict('rework', [{ criterion: 'c1', holds: false, evidence: '', quote: '' }]);
    await using story = await openStory({ model: judgedBy(critic) });
    story.write('workspace/desk/book.txt', BOOK);
    story.drop('job.md', TASK);
    story.work();
    expect((await story.ended('job')).status).toBe('failed');
    expect(story.model.requests.filter(({ tools }) => tools.includes('submit_verdict'))).toHaveLength(5);
  });

  it('is asked for once more, with the reason, before anything is planned again', async () => {
    const critic: WireScript = ({ text }) => {
      const evidence = text.includes('there is no evidence named E99')
        ? entryFrom(text, String.raw`files\.read`)
        : 'E99';
      return verdict('done', [{ criterion: 'c1', holds: true, evidence, quote: 'Rain, Snow' }]);
    };
    await using story = await openStory({ model: judgedBy(critic) });
    story.write('workspace/desk/book.txt', BOOK);
    story.drop('job.md', TASK);
    story.work();
    expect((await story.ended('job')).status).toBe('done');
    const asked = (tool: string): number => story.model.requests.filter(({ tools }) => tools.includes(tool)).length;
    expect([asked('submit_plan'), asked('submit_verdict')]).toEqual([1, 2]);
  });

  it('is asked for once more only once', async () => {
    const critic: WireScript = () => verdict('done', [{ criterion: 'c1', holds: true, evidence: 'E99', quote: '' }]);
    await using story = await openStory({ model: judgedBy(critic) });
    story.write('workspace/desk/book.txt', BOOK);
    story.drop('job.md', TASK);
    story.work();
    const { status, page } = await story.ended('job');
    expect([status, page]).toEqual(['failed', expect.stringContaining('there is no evidence named E99')]);
    expect(story.model.requests.filter(({ tools }) => tools.includes('submit_verdict'))).toHaveLength(2);
  });

  it('may be several files that it reads in one turn', async () => {
    const critic: WireScript = ({ text }) => {
      const evidence = entryFrom(text, String.raw`files\.read \{"path":"notes\.txt"`);
      if (evidence !== '') return verdict('done', [{ criterion: 'c1', holds: true, evidence, quote: 'two chapters' }]);
      return calls([
        { name: 'files_read', input: { path: 'book.txt' } },
        { name: 'files_read', input: { path: 'notes.txt' } },
      ]);
    };
    await using story = await openStory({ model: judgedBy(critic) });
    story.write('workspace/desk/book.txt', BOOK);
    story.write('workspace/desk/notes.txt', 'The book has two chapters.\n');
    story.drop('job.md', TASK);
    story.work();
    expect((await story.ended('job')).status).toBe('done');
    const reads = (await story.eventsOf('call.started', 'job')).filter(({ data }) => data.tool === 'files.read');
    expect(reads.map(({ data }) => data.input)).toEqual(
      expect.arrayContaining([{ path: 'book.txt' }, { path: 'notes.txt' }]),
    );
  });

  it('contains the changed row of a long table, with its header, and no head and tail of the file', async () => {
    const rows = Array.from({ length: 5000 }, (_, index) => `${index},name ${index},10`);
    const critic: WireScript = ({ text }) => {
      const [, shown = ''] = /E\d+ diff of list\.csv>\n([^]*?)\n<\/data/.exec(text) ?? [];
      const isRight =
        shown.includes('\n id,name,total\n') && shown.includes('\n-2500,name 2500,10\n+2500,name 2500,12\n');
      const evidence = entryFrom(text, 'diff of list');
      return verdict(isRight && shown.length < 500 ? 'done' : 'rework', [
        { criterion: 'c1', holds: isRight, evidence, quote: isRight ? '2500,name 2500,12' : '' },
      ]);
    };
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan([goal('change', 'Change list.csv', ['files.edit'], ['list.csv'])], ['The total of name 2500 is 12.']),
        executor: acting(
          call('files_edit', { path: 'list.csv', old: '2500,name 2500,10', new: '2500,name 2500,12' }),
          call('finish', { output: 'The total is 12 now.' }),
        ),
        critic,
      }),
    });
    story.write('workspace/desk/list.csv', `id,name,total\n${rows.join('\n')}\n`);
    story.drop('job.md', '---\nid: job\nbudget: { replans: 0 }\n---\nSet the total of name 2500 in list.csv to 12.\n');
    story.work();
    expect((await story.ended('job')).status).toBe('done');
  });

  const twoPlaces =
    (second: string): WireScript =>
    ({ text }) => {
      const book = entryFrom(text, String.raw`files\.read \{"path":"book\.txt"`);
      const index = entryFrom(text, String.raw`files\.read \{"path":"index\.txt"`);
      if (book === '') return call('files_read', { path: 'book.txt' });
      const quote = `Chapter 1: Rain\n${second}`;
      return verdict('done', [{ criterion: 'c1', holds: true, evidence: `${book} ${index}`, quote }]);
    };

  it('may be two places, with a line of each', async () => {
    await using story = await openStory({ model: judgedBy(twoPlaces('Rain, Snow')) });
    story.write('workspace/desk/book.txt', BOOK);
    story.drop('job.md', TASK);
    story.work();
    const { status, page } = await story.ended('job');
    expect(status).toBe('done');
    expect(page).toMatch(/Judged by a model: files\.read .*book\.txt.* and files\.read .*index\.txt/);
  });

  it('is not two places when one line stands in neither', async () => {
    await using story = await openStory({ model: judgedBy(twoPlaces('Rain, Snow, Hail')) });
    story.write('workspace/desk/book.txt', BOOK);
    story.drop('job.md', TASK);
    story.work();
    const { status, page } = await story.ended('job');
    expect(status).toBe('failed');
    expect(page).toContain('the quotation is not in');
  });
});

describe('a criterion of a model that turns out to be broken', () => {
  const steps = (id: string) => [goal(id, 'Write job/out.txt', TOOLS, ['**'])];

  it('is replaced by one about the same file, and the result says why', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ text }) =>
          text.includes('Why the last plan was not enough')
            ? plan(steps('again'), ['contains: job/out.txt "ready"'])
            : plan(steps('first'), ['command: grep -q ready out.txt']),
        executor: acting(
          call('files_write', { path: 'job/out.txt', content: 'ready\n' }),
          call('finish', { output: 'out.txt says ready.' }),
        ),
      }),
    });
    story.drop('job/data.txt', 'x\n');
    story.drop('job/TASK.md', '---\nid: job\n---\nWrite the word ready into out.txt.\n');
    story.work();
    const { status, page } = await story.ended('job');
    expect(status).toBe('done');
    expect(page).toMatch(/`command: grep -q ready out\.txt` was replaced by `contains: job\/out\.txt "ready"`/);
    expect(page).toContain('paths start at the desk, so write job/out.txt');
  });

  it('stays when it is the own criterion of the operator', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ text }) =>
          plan(steps(text.includes('Why the last plan') ? 'again' : 'first'), ['contains: out.txt "ready"']),
        executor: acting(call('files_write', { path: 'out.txt', content: 'ready\n' })),
      }),
    });
    story.drop(
      'job.md',
      "---\nid: job\nbudget: { replans: 1 }\naccept: ['command: grep -q never out.txt']\n---\nWrite out.txt.\n",
    );
    story.work();
    const { status, page } = await story.ended('job');
    expect(status).toBe('failed');
    expect(page).toContain('❌ command: grep -q never out.txt');
    expect(page).not.toContain('was replaced by');
  });
});

describe('a run inside that did not finish', () => {
  it('is never done, although every criterion is met, and the result says what is left', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan(
            [
              { ...goal('write', 'Write out.txt', TOOLS, ['out.txt']) },
              { ...goal('check', 'Check out.txt', TOOLS, []), needs: ['write'] },
            ],
            ['contains: out.txt "ready"'],
          ),
        executor: (request) =>
          request.text.includes('Goal: Check')
            ? call('fail', { reason: 'the second half of the list was not checked' })
            : acting(call('files_write', { path: 'out.txt', content: 'ready\n' }))(request),
      }),
    });
    story.drop(
      'job.md',
      '---\nid: job\nbudget: { replans: 0 }\n---\nWrite the word ready into out.txt and check it.\n',
    );
    story.work();
    const { status, reason, page } = await story.ended('job');
    expect(status).toBe('failed');
    expect(reason).toContain('the steps failed: check: the second half of the list was not checked');
    expect(page).toContain('1 of 1 criteria met');
    expect(page).toContain('❌ Not done');
  });
});
