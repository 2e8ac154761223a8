import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oka, okaWith } from '../../support/cli.ts';
import { openStory, type Story } from '../../support/story.ts';

let story: Story;
beforeAll(async () => {
  story = await openStory();
});
afterAll(() => story[Symbol.asyncDispose]());

type Line = { cursor: number; event: string; run: string | null; text: string; status?: string };

/** The lines that are printed until one of them satisfies `isLast`, and the exit code after Ctrl-C. */
async function watch(
  isLast: (line: Line) => boolean,
  ...options: string[]
): Promise<{ lines: Line[]; code: number | null }> {
  const stop = new AbortController();
  const lines: Line[] = [];
  const onOut = (text: string): void => {
    lines.push(
      ...text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    );
    if (lines.some(isLast)) stop.abort();
  };
  const { code } = await okaWith({ onOut, signal: stop.signal }, 'watch', '--dir', story.home.dir, ...options);
  return { lines, code };
}

describe('oka add - and oka watch', () => {
  it('take a task from a pipe, and print a line of JSON for each event of interest, also from where somebody stopped', async () => {
    const input = '---\nid: piped\n---\nSay hello\n\n```bash\necho hello\n```\n';
    const added = await okaWith({ input }, 'add', '-', '--dir', story.home.dir);
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('Added: ') });
    story.work();
    const isEnd = ({ event }: Line): boolean => event === 'run.ended';
    const { lines, code } = await watch(isEnd, '--since', '0');
    await story.ended('piped');
    expect(code).toBe(130);
    expect(lines.map(({ event, run }) => [event, run])).toEqual([
      ['worker.started', null],
      ['task.received', 'piped'],
      ['run.started', 'piped'],
      ['run.ended', 'piped'],
    ]);
    expect(lines.at(-1)).toMatchObject({ status: 'done', text: expect.stringContaining('Ended, done') });
    const since = lines[1]?.cursor ?? 0;
    const rest = await watch(isEnd, '--since', String(since));
    expect(rest.lines).toEqual(lines.slice(2));
  });

  it('say what is missing', async () => {
    const empty = await okaWith({ input: '\n' }, 'add', '-', '--dir', story.home.dir);
    expect(empty).toMatchObject({ code: 2, err: expect.stringContaining('nothing came through the pipe') });
    expect((await oka('watch', '--since', 'yesterday', '--dir', story.home.dir)).code).toBe(2);
    expect((await oka('watch', '--dir', `${story.home.dir}/nowhere`)).code).not.toBe(0);
  });
});
