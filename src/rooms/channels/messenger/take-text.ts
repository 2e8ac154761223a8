/**
 * Owns: what becomes of a text that came in through a messenger: pairing, a command, an answer, a task, or a message of
 * the conversation.
 *
 * T1 Only paired people are heard. A stranger gets one polite line an hour, and is recorded.
 * T2 A file, and what somebody else has written, is material beside the words of the task, never a part of them.
 * T3 Whoever floods is told so once, and not heard for the rest of the minute.
 */
import type { ChannelInbox, MessengerInbox, PairedPerson } from '../../../core/schema/channel-port.ts';
import { LONGEST_CONTENT } from '../../../core/schema/chat-names.ts';
import { messageOf } from '../../../core/schema/errors.ts';
import { hash } from 'node:crypto';
import { safeNames } from '../safe-names.ts';
import { partsOf } from './message-text.ts';
import { type IncomingText, type Messenger, NetworkError } from './messenger.ts';

/** `told`: when strangers got their line; `heard`: when each person wrote, within the last minute. */
export type Talk = { messenger: Messenger; told: Map<string, number>; heard: Map<string, number[]> };

export const newTalk = (messenger: Messenger): Talk => ({ messenger, told: new Map(), heard: new Map() });

export type TalkInbox = ChannelInbox & { messenger: MessengerInbox };

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MOST_A_MINUTE = 30;
const MOST_STRANGERS = 20;
const MOST_FILE_BYTES = 20 * 1024 * 1024;

export const COMMANDS = {
  task: 'Do what follows in the background, and send the result here',
  status: 'How things are',
  tasks: 'What is in progress, and what ended within a day',
  cost: 'What today has cost',
  undo: 'Undo the last task that you sent from here',
  stop: 'Stop what I am writing',
  help: 'What I understand',
} as const;

const HELP = [
  'Write to me as you would to a colleague. What begins with /task, or has a file, becomes a task.',
  '',
  ...Object.entries(COMMANDS).map(([name, about]) => `/${name}: ${about}`),
].join('\n');

export async function takeText(
  incoming: IncomingText,
  inbox: TalkInbox,
  talk: Talk,
  signal: AbortSignal,
): Promise<void> {
  const { id, person, chat, text } = incoming;
  const reply = (words: string): Promise<void> => say(incoming, words, inbox, talk, signal);
  const refuse = (reason: string): Promise<void> =>
    inbox.refuse({ message: id, from: person, reason, ...positionOf(incoming) });
  if (incoming.isGroup) return refuse('it was written in a group, and groups are not served');
  const known = inbox.messenger.paired().find((each) => each.person === person && each.chat === chat);
  if (known === undefined) return takeStranger(incoming, inbox, talk, reply, refuse);
  if (isFlood(person, talk)) {
    if (isFirstTooMany(person, talk)) await reply('That is a lot at once. I listen again in a minute.');
    return refuse('more messages came than one person writes in a minute');
  }
  if (incoming.isUnreadable === true) {
    await refuse('it is encrypted');
    return reply(
      'What you wrote is encrypted, and I cannot read that. Please write without encryption, or in a room that has none.',
    );
  }
  if (incoming.isVoice) {
    await refuse('it is a voice message');
    return reply('I cannot listen to voice messages. Please write.');
  }
  const [, command = '', rest = ''] = /^\/([a-z]+)(?:@\S+)?(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (incoming.files.length > 0 || incoming.isForwarded || command === 'task')
    return takeTask(incoming, command === 'task' ? rest : text, inbox, talk, reply, signal);
  if (command !== '') {
    const words = doCommand(command, incoming, known, inbox, reply, signal);
    await refuse(`it was the command /${command}`);
    return reply(words);
  }
  const token = incoming.replyTo === null ? null : inbox.messenger.tokenFor(`${chat} ${incoming.replyTo}`, 't');
  if (token !== null) {
    const { became, reason } = await inbox.answer({ message: id, token, text, from: person, ...positionOf(incoming) });
    return reply(became === 'answer' ? 'Noted.' : `It does not count: ${reason}.`);
  }
  if (text.length > LONGEST_CONTENT) {
    await refuse('it is longer than a message may be');
    return reply('That is too long for a message. Please send it as a file.');
  }
  const { at, order } = incoming;
  const { conversation } = known;
  await inbox.messenger.post({ message: id, conversation, from: person, text, at, order, ...positionOf(incoming) });
  await talk.messenger.typing(chat, signal).catch((error: unknown) => inbox.log(messageOf(error)));
}

type Reply = (words: string) => Promise<void>;
type Refuse = (reason: string) => Promise<void>;

/** T1. The answer to a wrong code is that to any other text, so that nobody learns that there is a code. */
async function takeStranger(
  { person, chat, name, text }: IncomingText,
  inbox: TalkInbox,
  { told }: Talk,
  reply: Reply,
  refuse: Refuse,
): Promise<void> {
  const code = text.trim().replace(/^\/(?:start|pair)\s+/, '');
  if (code.length <= 20 && (await inbox.messenger.pair({ person, chat, name }, code)) !== null) {
    await refuse('it was the code that pairs them'); // handled, and nothing else is made of it
    return reply(`Hello ${name}, I listen to you from now on.\n\n${HELP}`);
  }
  await refuse('it came from somebody who is not paired');
  const now = Date.now();
  for (const [each, at] of told) if (now - at > HOUR_MS) told.delete(each);
  if (told.has(person) || told.size >= MOST_STRANGERS) return;
  told.set(person, now);
  await reply('Hello. I only listen to people whom my owner has introduced to me.');
}

/** What is said to it. What it asks for has the name of its message, so that it is done once. */
function doCommand(
  command: string,
  { id }: IncomingText,
  by: PairedPerson,
  inbox: TalkInbox,
  reply: Reply,
  signal: AbortSignal,
): string {
  const { messenger } = inbox;
  switch (command) {
    case 'help':
    case 'start':
      return HELP;
    case 'status':
    case 'tasks':
    case 'cost':
      return messenger.tell(command, by);
    case 'stop':
      messenger.stop(by.conversation, id);
      return 'Stopped.';
    case 'undo': {
      const last = messenger.lastTask(by);
      if (last === null) return 'You have not sent a task from here.';
      if (!last.isOver) return `It has not ended yet: ${last.title}`;
      void messenger.undo(last.run, id, signal).then(reply, (error: unknown) => inbox.log(messageOf(error)));
      return `I am undoing it: ${last.title}`;
    }
    default:
      return `I do not know /${command}.\n\n${HELP}`;
  }
}

/** What came with the words is beside them (T2). */
async function takeTask(
  incoming: IncomingText,
  words: string,
  inbox: TalkInbox,
  { messenger }: Talk,
  reply: Reply,
  signal: AbortSignal,
): Promise<void> {
  const { id, person, chat, files, isForwarded } = incoming;
  const names = safeNames(
    ['TASK.md', FORWARDED],
    files.map(({ name }) => name),
  );
  const contents = [];
  try {
    for (const [at, file] of files.entries())
      contents.push({ name: names[at] ?? '', bytes: await messenger.fetchFile(file, MOST_FILE_BYTES, signal) });
  } catch (error) {
    if (error instanceof NetworkError && error.isFinal) await reply(`I could not take it: ${error.message}.`);
    throw error;
  }
  const material = isForwarded && words !== '' ? [{ name: FORWARDED, bytes: Buffer.from(`${words}\n`) }] : [];
  const own = isForwarded ? '' : words.trim();
  const said =
    own === ''
      ? `Look at what came with this, and say briefly what it is: ${[...names, ...material.map(({ name }) => name)].join(', ')}`
      : own;
  const [title = ''] = said.split('\n', 1);
  const task = hash('sha256', `${chat} ${id}`).slice(0, 12);
  const thread = { subject: title.slice(0, 200), message: `${chat} ${incoming.place}`, references: [] };
  const about = { message: id, id: `message-${task}`, from: person, title: title.slice(0, 200), text: said, thread };
  const { became, reason } = await inbox.task({ ...about, files: [...contents, ...material], ...positionOf(incoming) });
  return reply(became === 'task' ? 'I am on it.' : `I could not take it: ${reason}.`);
}

const FORWARDED = 'forwarded.md';

function isFlood(person: string, { heard }: Talk): boolean {
  const now = Date.now();
  const within = [...(heard.get(person) ?? []).filter((at) => now - at < MINUTE_MS), now];
  heard.set(person, within.slice(-(MOST_A_MINUTE + 2)));
  return within.length > MOST_A_MINUTE;
}

const isFirstTooMany = (person: string, { heard }: Talk): boolean => heard.get(person)?.length === MOST_A_MINUTE + 1;

/** Nothing depends on this answer: what came in is recorded, and a result comes as a delivery. */
export async function say(
  { chat, id }: Pick<IncomingText, 'chat' | 'id'>,
  words: string,
  inbox: TalkInbox,
  { messenger }: Talk,
  signal: AbortSignal,
): Promise<void> {
  const { text, markup } = messenger.limits;
  try {
    for (const [at, part] of partsOf(words, text, markup).entries())
      await messenger.sendText(
        chat,
        { ...part, buttons: [], replyTo: null, key: `say-${id}-${at}`, isRepeat: false },
        signal,
      );
  } catch (error) {
    inbox.log(`an answer could not be sent: ${messageOf(error)}`);
  }
}

const positionOf = ({ position }: { position?: string }): { position?: string } =>
  position === undefined ? {} : { position };
