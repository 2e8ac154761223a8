import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDiff, runFiles } from '../../../src/rooms/runs/run-page/changed-files.ts';
import { runGraph, type RunGraphAnswer } from '../../../src/rooms/runs/run-page/run-picture.ts';
import { runHead } from '../../../src/rooms/runs/run-page/run-head.ts';
import { runCall, runCalls, runEvents, runTimeline } from '../../../src/rooms/runs/run-page/run-queries.ts';
import type { RunAnswer } from '../../../src/rooms/runs/run-page/run-answer.ts';
import type { RunCall } from '../../../src/kit/views/run-calls.ts';
import type { RunSpan } from '../../../src/kit/views/run-spans.ts';
import { openStory, type Story } from '../../support/story.ts';
import { askQuery } from '../../support/web-query.ts';

const TASK = `---
id: sums
accept:
  - "file: out/sum.txt"
---
# Add up the numbers

\`\`\`bash
mkdir -p out && printf '1\\n2\\n' > out/numbers.txt
\`\`\`

\`\`\`bash
echo 3 > out/sum.txt && echo '<b>old</b>' > page.html
\`\`\`
`;

let story: Story;
beforeAll(async () => {
  story = await openStory();
  story.write('workspace/desk/page.html', 'older\n');
  story.drop('sums.md', TASK);
  story.work();
  await story.ended('sums');
  await story.rest();
});
afterAll(() => story[Symbol.asyncDispose]());

type Calls = { calls: (RunCall & { is_shortened: boolean })[]; last: number; left: number };

describe('the page of a run', () => {
  it('shows the steps with their times, the evidence, the files, and what can be done', async () => {
    const run = await askQuery<RunAnswer>(story.home, runHead, { run: 'sums' });
    expect(run).toMatchObject({ run: 'sums', kind: 'task', status: 'done', verdict: 'done', waits: [], undone: null });
    expect(run.task).toContain('# Add up the numbers');
    expect(run.steps.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(run.steps.every(({ started, ended, calls }) => started !== null && ended !== null && calls === 1)).toBe(
      true,
    );
    expect(run.criteria).toMatchObject([{ text: 'file: out/sum.txt', holds: true, by: 'check' }]);
    expect(run.deliverables.map(({ path, shown }) => [path, shown])).toEqual(
      expect.arrayContaining([
        ['files/out/sum.txt', 'text'],
        ['files/page.html', 'page'],
        ['RESULT.md', 'markdown'],
      ]),
    );
    expect(run.acts).toEqual(['undo', 'correct', 'again', 'save_graph']);
    expect(run.events.count).toBeGreaterThan(10);
  });

  it('lists the files that changed, and one of them before and after', async () => {
    const { files } = await askQuery(story.home, runFiles, { run: 'sums' });
    expect(files).toEqual([
      { path: 'out/numbers.txt', change: 'created' },
      { path: 'out/sum.txt', change: 'created' },
      { path: 'page.html', change: 'changed' },
    ]);
    const diff = await askQuery(story.home, runDiff, { run: 'sums', path: 'page.html' });
    expect(diff).toMatchObject({ before: { text: 'older\n' }, after: { text: '<b>old</b>\n' } });
    expect(diff['hunks']).toEqual([{ old_start: 1, new_start: 1, lines: ['-older', '+<b>old</b>'] }]);
    const other = askQuery(story.home, runDiff, { run: 'sums', path: '../../.oka/config.json' });
    await expect(other).rejects.toThrow(/changed no file/);
  });

  it('lists calls and spans, and later only those that are new', async () => {
    const { calls, last } = await askQuery<Calls>(story.home, runCalls, { run: 'sums' });
    const shell = calls.filter(({ tool }) => tool === 'shell');
    expect(shell.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect((await askQuery<Calls>(story.home, runCalls, { run: 'sums', after: String(last) })).calls).toEqual([]);
    const first = await askQuery<Calls>(story.home, runCalls, { run: 'sums', limit: '1' });
    expect(first).toMatchObject({ calls: [{ seq: calls[0]?.seq }], left: calls.length - 1 });
    const next = await askQuery<Calls>(story.home, runCalls, { run: 'sums', after: String(first.last) });
    expect(next.calls.map(({ seq }) => seq)).toEqual(expect.arrayContaining(calls.slice(1).map(({ seq }) => seq)));
    const one = await askQuery(story.home, runCall, { run: 'sums', call: shell[0]?.call ?? '' });
    expect(one).toMatchObject({ tool: 'shell', is_shortened: false });
    const { spans } = await askQuery<{ spans: RunSpan[] }>(story.home, runTimeline, { run: 'sums' });
    expect(spans.filter(({ kind }) => kind === 'call')).toHaveLength(calls.length);
    expect(spans.find(({ kind }) => kind === 'wait')).toMatchObject({
      label: expect.stringMatching(/^run /),
      to: expect.any(String) as string,
    });
  });

  it('gives events in pages, each once and in order', async () => {
    const seqs: number[] = [];
    for (let after = 0, left = 1; left > 0; ) {
      const page = await askQuery<{ events: { seq: number }[]; last: number; left: number }>(story.home, runEvents, {
        run: 'sums',
        after: String(after),
        limit: '7',
      });
      seqs.push(...page.events.map(({ seq }) => seq));
      ({ last: after, left } = page);
    }
    const { events } = await askQuery<RunAnswer>(story.home, runHead, { run: 'sums' });
    expect(seqs).toHaveLength(events.count);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });

  it('has the graph of the plan, whose nodes are the steps', async () => {
    const run = await askQuery<RunAnswer>(story.home, runHead, { run: 'sums' });
    const { drawing } = await askQuery<RunGraphAnswer>(story.home, runGraph, { run: run.graph_run });
    expect(drawing?.nodes.map(({ id }) => id)).toEqual(run.steps.map(({ id }) => id));
    expect(drawing?.edges).toHaveLength(1);
  });

  it('refuses a run that is not there', async () => {
    await expect(askQuery(story.home, runHead, { run: 'nobody' })).rejects.toThrow(/there is no run "nobody"/);
    expect(() => runHead.params.parse({ run: '../../etc' })).toThrow();
  });
});
