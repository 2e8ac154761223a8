/**
 * A worker that is killed at each write while an agent starts a task. Whatever the moment, and whether the reply goes on
 * or is stopped: a task that was announced runs once and its end is reported once, and none runs that was not announced.
 */
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openChatStory } from '../support/chat-story.ts';
import { forge, smith } from '../support/forge-speaker.ts';
import type { KillMoment } from '../support/kill-at-event.ts';

const killing = pathToFileURL(fileURLToPath(new URL('../support/kill-at-event.ts', import.meta.url))).href;

const WRITES = {
  'the call starts': '"type":"call.started".*"tool":"task.start"',
  'the task is announced': 'started the task',
  'the call ends': '"type":"call.ended".*"task":"asked-',
  'the task is received': '"type":"task.received"',
  'the run of the task starts': '"type":"run.started","run":"asked-[^."]*"',
};
const moments = Object.entries(WRITES).flatMap(([what, pattern]) =>
  (['before', 'after'] as const).flatMap((when) => [
    { what, pattern, when, isStopped: false },
    { what, pattern, when, isStopped: true },
  ]),
);

describe('a task that an agent starts, and a worker that is killed', () => {
  it.each(moments)('$when $what, reply stopped: $isStopped', async (moment) => {
    const { pattern, when, isStopped } = moment;
    await using chat = await openChatStory({ gendry: smith }, forge('Write sword.txt with the word steel.'));
    chat.open('yard');
    chat.post('yard', '@gendry make a sword');
    const kill: KillMoment = { pattern, when, times: 1 };
    const worker = chat.story.start(['worker'], {
      NODE_OPTIONS: `--import=${killing}`,
      OKA_TEST_KILL: JSON.stringify(kill),
    });
    expect(await once(worker, 'exit')).toEqual([null, 'SIGKILL']);
    if (isStopped) chat.request({ kind: 'chat_stop', conversation: 'yard' });
    chat.story.work();
    const about = (): Promise<string[]> =>
      chat
        .messages('yard')
        .then((all) =>
          all.flatMap(({ content, kind }) => (kind === 'system' && /task "/.test(content) ? content : [])),
        );
    const isEnd = (content: string): boolean => /is done|was cancelled|failed/.test(content);
    await chat.settled('yard', 3);
    const reports = await chat.story.until('the end of what was announced', async () => {
      const now = await about();
      return now.length === 0 || now.some(isEnd) ? now : undefined;
    });
    const started = await chat.story.eventsOf('run.started');
    const tasks = started.filter(({ run }) => /^asked-[^.]*$/.test(run ?? ''));
    expect(reports.filter((each) => each.includes('started the task')).length).toBeLessThanOrEqual(1);
    expect(reports.filter(isEnd)).toHaveLength(reports.length === 0 ? 0 : 1);
    expect(tasks.length).toBe(reports.some((each) => each.includes('is done')) ? 1 : 0);
    if (!isStopped) expect(reports.at(-1)).toContain('is done');
  });
});
