/** A conversation on a real pseudo-terminal and through a pipe, with a real worker's rooms and a model on the wire. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { okaWith, type Ran } from '../support/cli.ts';
import { openPseudoTerminal, type PseudoTerminal } from '../support/pseudo-terminal.ts';
import { openStory, type Story } from '../support/story.ts';
import { call, say } from '../support/wire-server-reply.ts';
import type { WireScript } from '../support/wire-server.ts';

const ENTER = '\r';
const CTRL_C = '\u0003';

/** What the model says, by what the conversation is about. */
const model: WireScript = ({ text }) => {
  if (text.includes('hello again')) return say('Good to hear.');
  if (text.includes('漢字')) return say('You wrote 漢字 👍, which takes four and two columns.');
  if (text.includes('stall')) return { do: 'stall', first: 'I am thinking about ' };
  if (text.includes('10,000')) return say(`I got it. ${'A long line of an answer. '.repeat(30)}`);
  if (text.includes('Your work on this reply so far')) return say('Then it stays here.');
  if (text.includes('publish')) return call('shell', { line: 'curl -X POST http://127.0.0.1:9/x' });
  return say('Good to hear.\n\nAnything else?');
};

let story: Story;
beforeAll(async () => {
  story = await openStory({ model });
  story.work();
  await story.until('the worker', async () => penHolder(story.home.ledgers.run) ?? undefined);
});
afterAll(() => story[Symbol.asyncDispose]());

const open = (...words: string[]): PseudoTerminal => openPseudoTerminal([...words, '--dir', story.home.dir]);
const chat = (...words: string[]): Promise<Ran> => okaWith({}, 'chat', ...words, '--dir', story.home.dir);

it('a person talks: the answer appears above the input line, which stays; wide characters and a resize do no harm', async () => {
  await using terminal = open('chat', 'new', 'talk');
  await terminal.shows('/help lists what you can do');
  await terminal.shows('›');
  terminal.type('hello there');
  await terminal.shows('› hello there');
  terminal.type(ENTER);
  await terminal.shows('Anything else?');
  terminal.type('漢字漢字 ok');
  await terminal.shows('› 漢字漢字 ok');
  expect(terminal.screen().cursor.column).toBe(2 + 8 + 3);
  terminal.type('\u001B[D\u001B[D\u001B[D\u007F');
  await terminal.shows('› 漢字漢 ok');
  terminal.resize(50, 20);
  terminal.type(ENTER);
  await terminal.shows('which takes four and two');
  terminal.type('\u001B[A');
  await terminal.shows('› 漢字漢 ok');
  terminal.type(CTRL_C);
  await terminal.until((lines) => lines.endsWith('›'), 'an empty line');
  terminal.type(CTRL_C);
  await terminal.shows('Ctrl-C again');
  terminal.type(CTRL_C);
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen().lines.join('\n')).toContain('Left talk. Back: oka chat join talk');
});

it('a paste of 10,000 lines is one message that arrives whole', async () => {
  await using terminal = open('chat', 'new', 'paste');
  await terminal.shows('›');
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} of 10,000`);
  terminal.type(`see \u001B[200~${lines.join('\r')}\u001B[201~`);
  await terminal.shows('› see [pasted 10,000 lines]');
  terminal.type(ENTER);
  await terminal.shows('I got it.');
  const seen = await chat('view', 'paste', '--json');
  const messages = seen.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { from: string; content: string });
  expect(messages.find(({ from }) => from === 'user')?.content).toBe(`see ${lines.join('\n')}`);
  terminal.type('\u0004');
  expect(await terminal.ended).toBe(0);
});

it('Ctrl-C stops the reply and not the program', async () => {
  await using terminal = open('chat', 'new', 'stopping');
  await terminal.shows('›');
  terminal.type(`please stall${ENTER}`);
  await terminal.shows('oka is thinking');
  await terminal.shows('I am thinking about');
  terminal.type(CTRL_C);
  await terminal.shows('Stopping the reply');
  await terminal.until((lines) => !/oka is (?:thinking|queued)/.test(lines.split('\n').slice(-3).join('\n')), 'nobody');
  terminal.type(`hello again${ENTER}`);
  await terminal.shows('Good to hear.');
});

it('an approval is answered where it appears', async () => {
  await using terminal = open('chat', 'new', 'approving');
  await terminal.shows('›');
  terminal.type(`publish it${ENTER}`);
  await terminal.shows('oka asks for your approval');
  await terminal.shows('curl -X POST');
  await terminal.shows('yes or no ›');
  terminal.type(`perhaps${ENTER}`);
  await terminal.shows('This needs yes or no');
  terminal.type(`no, not today${ENTER}`);
  await terminal.shows('Then it stays here.');
  await terminal.until((lines) => lines.endsWith('›'), 'the usual prompt');
});

it('commands of oka work behind a slash: memory, graphs, undo, and a mistake names what was meant', async () => {
  await using terminal = open('chat', 'new', 'commands');
  await terminal.shows('›');
  terminal.type(`/memory fact add "the gate opens at seven"${ENTER}`);
  await terminal.shows('Remembered: fact-');
  await story.until('the fact', async () => {
    const { out } = await okaWith({}, 'memory', 'fact', 'list', '--dir', story.home.dir);
    return out.includes('gate opens at seven') ? true : undefined;
  });
  terminal.type(`/memory fact list${ENTER}`);
  await terminal.shows('gate opens at seven');
  terminal.type(`/graph list${ENTER}`);
  await terminal.shows('graph');
  terminal.type(`/undo no-such-run${ENTER}`);
  await terminal.shows('no-such-run');
  terminal.type(`/mmory${ENTER}`);
  await terminal.shows('Did you mean /memory?');
  terminal.type(`hello again${ENTER}`);
  await terminal.shows('Good to hear.');
});

it('view --follow shows words as they come, and lines only through a pipe', async () => {
  await chat('new', 'followed');
  await using terminal = open('chat', 'view', 'followed', '--follow');
  await using other = open('chat', 'join', 'followed');
  await other.shows('›');
  other.type(`please stall${ENTER}`);
  await terminal.shows('oka is writing:');
  await terminal.shows('I am thinking about');
  await other.shows('I am thinking about'); // else there is nothing that Ctrl-C could stop
  other.type(CTRL_C);
  await terminal.until((lines) => /\|oka\|/.test(lines) && !lines.includes('is writing'), 'the settled message');
});

it('through a pipe, lines go in and lines come out', async () => {
  await chat('new', 'piped');
  const ran = await okaWith({ input: 'hello\n' }, 'chat', 'join', 'piped', '--dir', story.home.dir);
  expect(ran.out).toMatch(/^[0-9a-z]{12}\|[^|]+\|oka\|Good to hear\.\\n\\nAnything else\?$/m);
  expect(ran.code).toBe(0);
});
