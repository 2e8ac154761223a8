/** `oka chat view --follow` as a program reads it: a process of its own, and a pipe. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type ChatStory, openChatStory, persona } from '../support/chat-story.ts';
import { launcher } from '../support/cli.ts';

type Followed = Disposable & {
  child: ChildProcess;
  lines: () => string[];
  errors: () => string;
  ended: Promise<unknown[]>;
};

function follow({ story }: ChatStory, ...options: string[]): Followed {
  const words = [launcher, 'chat', 'view', 'hall', '--follow', ...options, '--dir', story.home.dir];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const read = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (read.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (read.err += text));
  return {
    child,
    lines: () => read.out.split('\n').slice(0, -1),
    errors: () => read.err,
    ended: once(child, 'close'),
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

const openHall = (): ReturnType<typeof openChatStory> =>
  openChatStory({ arya: persona('Speaks.'), bran: persona('Is slow.') }, ({ agent }) =>
    agent === 'bran' ? { do: 'stall', first: 'Half a sentence ' } : 'One line,\nand another.',
  );

describe('chat view --follow into a pipe', () => {
  it('prints a line for each message when it is there and no words before, and ends with the conversation', async () => {
    await using chat = await openHall();
    const { story } = chat;
    story.work();
    chat.open('hall');
    const first = chat.post('hall', '@arya begin');
    await chat.settled('hall', 3);
    using text = follow(chat);
    using json = follow(chat, '--since', first, '--json');
    await story.until('what there is', async () =>
      text.lines().length === 3 && json.lines().length === 2 ? true : undefined,
    );
    chat.post('hall', '@bran and you?');
    await story.model.asked(2);
    await story.until('the question', async () => (text.lines().length === 5 ? true : undefined));
    chat.request({ kind: 'chat_stop', conversation: 'hall' });
    await chat.settled('hall', 6);
    chat.request({ kind: 'chat_delete', conversation: 'hall' });
    expect([await text.ended, await json.ended]).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(text.lines().map((line) => line.replace(/^[0-9a-z]{12}\|\d{4}-[^|]*Z\|/, ''))).toEqual([
      'user|@arya begin',
      'system|arya joined',
      String.raw`arya|One line,\nand another.`,
      'user|@bran and you?',
      'system|bran joined',
      'bran|I was stopped before I had answered.',
    ]);
    const objects = json.lines().map((line) => JSON.parse(line) as { id: string; from: string });
    expect(objects.map(({ from }) => from)).toEqual(['system', 'arya', 'user', 'system', 'bran']);
    expect(objects.map(({ id }) => id)).toEqual(
      text
        .lines()
        .slice(1)
        .map((line) => line.split('|', 1)[0]),
    );
    expect(text.errors() + json.errors()).toBe('');
  });

  it('ends when its reader has gone, when it is interrupted, and at once if the id is not there', async () => {
    await using chat = await openHall();
    const { story } = chat;
    story.work();
    chat.open('hall');
    chat.post('hall', '@arya begin');
    await chat.settled('hall', 3);
    using left = follow(chat, '--limit', '1');
    using interrupted = follow(chat, '--limit', '1');
    for (const each of [left, interrupted])
      await story.until('the last message', async () => (each.lines().length === 1 ? true : undefined));
    left.child.stdout?.destroy();
    chat.post('hall', '@arya again');
    expect(await left.ended).toEqual([0, null]);
    await story.until('the new ones', async () => (interrupted.lines().length === 3 ? true : undefined));
    interrupted.child.kill('SIGINT');
    expect(await interrupted.ended).toEqual([130, null]);
    using wrong = follow(chat, '--since', '0000000000a1');
    expect(await wrong.ended).toEqual([2, null]);
    expect(wrong.errors()).toContain('there is no message "0000000000a1"');
  });
});
