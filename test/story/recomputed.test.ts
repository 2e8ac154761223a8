import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan, verdict } from '../support/story-model.ts';
import type { WireScript } from '../support/wire-server.ts';
import { call, calls } from '../support/wire-server-reply.ts';

const TASK = '---\nid: job\nbudget: { replans: 0 }\n---\nWrite the sum of the amounts in sales.csv to total.txt.\n';
const SALES = 'customer,amount\nAcme,120\nBolt,80\nCato,33\n';
const SUM = "awk -F, 'NR>1 {s+=$2} END {print s}' sales.csv";

/** Says that everything is met, and names the first file that was made. */
const lax: WireScript = ({ text }) => {
  const evidence = /\b(E\d+) files\.read/.exec(text)?.[1] ?? 'E1';
  const names = [...text.matchAll(/^(c\d+): /gm)].map(([, name = '']) => name);
  return verdict(
    'done',
    names.map((criterion) => ({ criterion, holds: true, evidence, quote: '' })),
  );
};

async function work(
  content: string,
  figures: { value: string; command: string }[],
  critic: WireScript = lax,
  task = TASK,
) {
  const story = await openStory({
    model: inParts({
      planner: () =>
        plan(
          [goal('sum', 'Write total.txt', ['files.read', 'files.write'], ['total.txt'])],
          ['total.txt has the sum.'],
        ),
      executor: acting(
        call('files_read', { path: 'sales.csv' }),
        calls([
          { name: 'files_write', input: { path: 'total.txt', content } },
          { name: 'finish', input: { output: `The sum is ${content.trim()}.`, figures } },
        ]),
      ),
      critic,
    }),
  });
  story.write('workspace/desk/sales.csv', SALES);
  story.drop('job.md', task);
  story.work();
  return story;
}

describe('a figure that a worker gives with its command', () => {
  it('is computed again before the verdict, and the critic sees what came out', async () => {
    let seen = '';
    const critic: WireScript = (request) => {
      seen = request.text;
      return lax(request);
    };
    await using story = await work('233\n', [{ value: '233', command: SUM }], critic);
    expect((await story.ended('job')).status).toBe('done');
    expect(seen).toMatch(/met: figure 233 \(.* prints "233"\)/);
    expect(seen).not.toContain('in no input:');
  });

  it('is named with the ways of rounding where they decide its last digit, to the critic and on the page', async () => {
    await using story = await work('77.67\n', [
      { value: '77.67', command: "awk -F, 'NR>1 {s+=$2} END {print s/3}' sales.csv" },
    ]);
    const { status, page } = await story.ended('job');
    expect(status).toBe('done');
    expect(page).toContain('figure 77.67: rounding decides: half up 77.67, half to even 77.67, cut off 77.66');
  });

  it('in another notation is not refused', async () => {
    await using story = await work('77,7\n', [
      { value: '77,7', command: "awk -F, 'NR>1 {s+=$2} END {print s/3}' sales.csv" },
    ]);
    expect((await story.ended('job')).status).toBe('done');
  });

  it('is not done where the command contradicts it, whatever the critic says', async () => {
    await using story = await work('253\n', [{ value: '253', command: SUM }]);
    const { status, page } = await story.ended('job');
    expect(status).toBe('failed');
    expect(page).toMatch(/figure 253 is not what was computed again: .*prints "233"/);
  });

  it.each([
    ['changes something', 'echo 253 | tee other.txt'],
    ['prints what it was given', 'echo 253'],
    ['fails', 'cat nowhere.csv'],
    ['only reads what the task made', 'cat total.txt'],
  ])('is no evidence where the command %s', async (_, command) => {
    let seen = '';
    const critic: WireScript = (request) => {
      seen = request.text;
      return lax(request);
    };
    await using story = await work('253\n', [{ value: '253', command }], critic);
    await story.ended('job');
    expect(seen).not.toContain('figure 253');
    expect(seen).toContain('in no input: 253');
    const lines = (await story.eventsOf('call.started', 'job')).map(({ data }) => JSON.stringify(data.input));
    expect(lines.some((line) => line.includes('tee other.txt'))).toBe(false);
  });
});

/** Says that everything is met; where it is asked for sources, it gives these. */
const sourced =
  (sources: { value: string; command?: string; why?: string }[], asked: string[]): WireScript =>
  async (request) => {
    asked.push(request.text);
    const reply = await lax(request);
    if (!request.text.includes('need a source') || reply.do !== 'answer') return reply;
    return { ...reply, calls: reply.calls.map((each) => ({ ...each, input: { ...(each.input as object), sources } })) };
  };

describe('a figure that nothing shows', () => {
  it('is not called done by a critic who names no source, and is asked for once', async () => {
    const asked: string[] = [];
    await using story = await work('253\n', [], sourced([], asked));
    const { status, page } = await story.ended('job');
    expect(status).toBe('failed');
    expect(page).toContain('nothing shows where these values come from: 253 (it is in no input)');
    expect(asked).toHaveLength(2);
  });

  it('has a source where a command prints it', async () => {
    const asked: string[] = [];
    await using story = await work('233\n', [], sourced([{ value: '233', command: SUM }], asked));
    expect((await story.ended('job')).status).toBe('done');
    expect(asked).toHaveLength(2);
  });

  it('has none where the command prints another, its own words, or all of a file', async () => {
    for (const command of [SUM, 'echo 253', 'cat total.txt']) {
      await using story = await work('253\n', [], sourced([{ value: '253', command, why: 'I chose it' }], []));
      expect((await story.ended('job')).status, command).toBe('failed');
    }
  });

  it('may be a choice where nothing is to be computed; the page says which', async () => {
    const task = '---\nid: job\nbudget: { replans: 0 }\n---\nRead sales.csv and propose a limit in total.txt.\n';
    const sources = [{ value: '500', why: 'a limit well above every customer' }];
    await using story = await work('500\n', [], sourced(sources, []), task);
    const { status, page } = await story.ended('job');
    expect(status).toBe('done');
    expect(page).toContain('500 is in no file: a limit well above every customer');
  });
});
