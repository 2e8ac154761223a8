/**
 * Owns: what comes in through a channel: checked, recorded, and passed on as an intake or a task.
 *
 * R1 An answer counts when its token is genuine, came through the channel of its delivery, and its wait is open. It is
 *    submitted as an `answer` intake with the same id however often it arrives; the engine checks it once more.
 * R2 Anything else changes nothing, and is recorded (receive-task.ts).
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setFrontMatter } from '../../kit/inbox/set-front-matter.ts';
import { placeOfSentence } from '../../kit/task/task-kind.ts';
import { submit } from '../../kit/requests/submit-request.ts';
import type { ChannelInbox, IncomingAnswer, IncomingTask, Received } from '../../core/schema/channel-port.ts';
import type { DaySpendingState } from '../../core/guard/day-spending.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { chosenOption, type WaitAnswer } from '../../core/schema/wait.ts';
import { isGenuine, parseToken } from './answer-token.ts';
import { channelReceived } from './channel-events.ts';
import { messengerInbox } from './messenger/messenger-inbox.ts';
import { canApprove } from './compose-message.ts';
import { announcedThings, type AskedWait, channelState, type Reaching } from './reaching-state.ts';
import { receiveTask, recordRefusals, type RefusalPorts, type TaskPorts } from './receive-task.ts';

type InboxPorts = TaskPorts &
  RefusalPorts & {
    state: () => Reaching;
    spending: () => DaySpendingState;
    /** Classes of calls that may be approved from here. */
    approvable: () => readonly string[];
    key: Buffer;
    ready: () => void;
  };

export function channelInbox(ports: InboxPorts): ChannelInbox {
  const { channel, state, log } = ports;
  const isKnown = (message: string): boolean => channelState(state(), channel).received.includes(message);
  const refuse = recordRefusals(ports);
  return {
    isKnown,
    refuse,
    log: (line) => log(`${channel}: ${line}`),
    ready: ports.ready,
    position: () => channelState(state(), channel).position,
    messenger: messengerInbox(ports, isKnown),
    tasksSince: (from, moment) =>
      channelState(state(), channel).tasks.filter((task) => task.from === from && task.at > moment).length,
    async answer(incoming) {
      if (isKnown(incoming.message)) return { became: 'nothing', reason: 'it was handled before' };
      const checked = checkAnswer(incoming, ports);
      if ('problem' in checked) {
        await refuse({ ...incoming, reason: checked.problem });
        return { became: 'nothing', reason: checked.problem };
      }
      return acceptAnswer(incoming, checked, ports);
    },
    async task(incoming) {
      if (isKnown(incoming.message)) return { became: 'nothing', reason: 'it was handled before' };
      try {
        return await acceptTask(incoming, ports);
      } catch (error) {
        // Only what can never be a task is refused; a full disk is no reason to lose one.
        if (!(error instanceof OkaError) || error.code !== 'invalid-file') throw error;
        const reason = messageOf(error);
        await refuse({ ...incoming, reason });
        return { became: 'nothing', reason };
      }
    },
  };
}

type Checked = { wait: AskedWait; delivery: string; answer: Said };
type Said = Pick<WaitAnswer, 'verdict' | 'text' | 'always_for_tool'>;

function checkAnswer({ token, text }: IncomingAnswer, ports: InboxPorts): Checked | { problem: string } {
  const parsed = parseToken(token);
  if (parsed === null) return { problem: 'it has no token' };
  const { delivery, choice } = parsed;
  if (delivery.slice(0, delivery.lastIndexOf('.')) !== ports.channel)
    return { problem: 'its token is for another channel' };
  const wait = askedBy(delivery, ports);
  if (wait === null) return { problem: 'what it answers is not open any more' };
  if (!isGenuine(ports.key, wait, parsed)) return { problem: 'its token is not genuine' };
  if (choice === 'n') return { wait, delivery, answer: { verdict: 'denied', text: 'denied from a message' } };
  if (choice === 'y' || choice === 'a') {
    const answer = approvalOf(wait, choice === 'a', ports);
    return 'problem' in answer ? answer : { wait, delivery, answer };
  }
  const read = choice === 't' ? readWords(text ?? '', wait, ports) : { words: wait.options[Number(choice)] ?? '' };
  if ('problem' in read) return read;
  if ('verdict' in read) return { wait, delivery, answer: read };
  if (read.words === '') return { problem: 'it has no answer' };
  return { wait, delivery, answer: { verdict: 'answered', text: read.words } };
}

/** An approval is given from here where the operator allows that; for every call of a tool where the question offers it. */
function approvalOf(wait: AskedWait, isForTool: boolean, { approvable }: InboxPorts): Said | { problem: string } {
  if (!canApprove(approvable(), wait)) return { problem: NOT_FROM_HERE };
  if (isForTool && wait.tool === undefined) return { problem: 'it can only be allowed this once' };
  return { verdict: 'approved', ...(isForTool && wait.tool !== undefined ? { always_for_tool: wait.tool } : {}) };
}

type Words = { words: string } | { problem: string } | Said;

/** An answer in words: it approves or denies, names an option, or is the answer itself. Nothing is guessed. */
function readWords(text: string, wait: AskedWait, ports: InboxPorts): Words {
  const [line = ''] = text.trim().split('\n', 1);
  const word = line.trim().replace(/[.!]+$/, '');
  if (wait.kind === 'approval') {
    if (/^(deny|denied|no)$/i.test(word)) return { verdict: 'denied', text: text.trim().slice(0, 2000) };
    const isForTool = /^always(?: for this tool)?$/i.test(word);
    if (!isForTool && !/^(approve|approved|yes)$/i.test(word)) return { problem: 'it says neither approve nor deny' };
    return approvalOf(wait, isForTool, ports);
  }
  if (wait.options.length === 0) return { words: text.trim() };
  const option =
    chosenOption(wait.options, text) ?? chosenOption(wait.options, line) ?? chosenOption(wait.options, word);
  return option === null
    ? { problem: `it is none of the possible answers: ${wait.options.join(', ')}` }
    : { words: option };
}

const NOT_FROM_HERE = 'approving from a message is not allowed for such a call';

/** The open wait that a delivery asks about, if it asks about one alone. */
function askedBy(delivery: string, { channel, state }: InboxPorts): AskedWait | null {
  const { messages, open } = channelState(state(), channel);
  const sent = messages[delivery];
  const [only, ...others] =
    sent === undefined
      ? open?.delivery === delivery
        ? announcedThings(state(), open)
        : []
      : sent.things.flatMap((key) => state().things[key] ?? []);
  return only === undefined || others.length > 0 ? null : only.wait;
}

async function acceptAnswer(incoming: IncomingAnswer, checked: Checked, ports: InboxPorts): Promise<Received> {
  const { home, channel, ledger } = ports;
  const { message, from, position } = incoming;
  const { wait, delivery } = checked;
  const by = (from ?? channel).slice(0, 200);
  const bound = wait.binding === null ? {} : { binding: wait.binding };
  const answer: WaitAnswer = { ...checked.answer, by, through: channel, ...bound };
  const id = `channel-${hash('sha256', `${channel} ${message}`).slice(0, 32)}`;
  submit(join(home.oka, 'intake'), { kind: 'answer', wait: wait.id, answer }, id);
  const reason = `it was ${answer.verdict}`;
  const at = position === undefined ? {} : { position };
  await ledger.append(
    channelReceived({ channel, message, from, became: 'answer', reason, wait: wait.id, delivery, ...at }),
  );
  return { became: 'answer', reason };
}

function acceptTask(incoming: IncomingTask, ports: InboxPorts): Promise<Received> {
  const { message, from, id, title, text, files, thread, position } = incoming;
  const place = files.length > 0 ? {} : placeOfSentence(`# ${title}\n${text}`);
  const head = setFrontMatter('', { id, title, ...place });
  const at = position === undefined ? {} : { position };
  const about = { channel: ports.channel, message, from, reason: 'it came from an allowed sender', thread, ...at };
  return receiveTask({ id, text: `${head}${text}\n`, files, about }, ports);
}
