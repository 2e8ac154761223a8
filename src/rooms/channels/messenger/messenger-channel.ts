/**
 * Owns: everything that is the same in all messengers: whom a message goes to, its parts, buttons and files, and what a
 * press of a button means. What comes in as text is in take-text.ts.
 *
 * C1 Announcements, questions and results go to the owner, who was paired first; the result of a task goes to the chat
 *    that sent it, and what is said in a conversation to its chat.
 * C2 Of a message in parts, each part is sent once by this process. Of what was cut off, by a crash or an answer that did
 *    not come, nobody knows whether it arrived: it is sent again, and says so where the network cannot tell.
 * C3 Nothing new is sent to a chat that is not paired any more.
 * C4 A button counts when its presser is paired, in the chat and at the message that it was sent to. What changes
 *    something outside takes a second tap, below the whole question.
 */
import type {
  AnswerButton,
  Channel,
  ChannelInbox,
  ChannelMessage,
  ChannelQuestion,
  DeliveryOutcome,
} from '../../../core/schema/channel-port.ts';
import { messageOf } from '../../../core/schema/errors.ts';
import { partsOf } from './message-text.ts';
import type { IncomingPress, Messenger, OutgoingButton, OutgoingText } from './messenger.ts';
import { NetworkError } from './messenger.ts';
import { newTalk, say, takeText, type Talk, type TalkInbox } from './take-text.ts';

const MOST_FILES = 10;
const PICTURE = /\.(png|jpe?g|gif|webp)$/i;
/** Deliveries in parts that this process remembers. */
const MOST_REMEMBERED = 50;

export function openMessenger(messenger: Messenger): Channel {
  const channel = new MessengerChannel(messenger);
  return {
    announce: (message, signal) => channel.send(message, [], signal),
    ask: (question, signal) => channel.ask(question, signal),
    canUpdate: true,
    close: (message, signal) => channel.close(message, signal),
    receive: (inbox, signal) => channel.receive(inbox, signal),
  };
}

/** What was sent, and whether the next one may have been sent before, or all of them. */
type Sent = { refs: string[]; files: number; isDoubtful: boolean; isOfOthers: boolean };

class MessengerChannel {
  readonly #messenger: Messenger;
  /** What of a delivery was sent, by its id (C2). */
  readonly #sent = new Map<string, Sent>();
  #inbox: TalkInbox | null = null;
  #talk: Talk | null = null;

  constructor(messenger: Messenger) {
    this.#messenger = messenger;
  }

  async ask(question: ChannelQuestion, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { limits } = this.#messenger;
    const buttons = question.buttons.map(toButton);
    const fit = buttons.length <= limits.buttons && buttons.every(({ payload }) => fits(payload, limits.payload));
    if (fit && buttons.length > 0) return this.send(question, buttons, signal);
    const hint = question.textToken === null ? '' : `\n\n${howToReply(question)}`;
    return this.send({ ...question, body: `${question.body}${hint}` }, [], signal);
  }

  async close(message: ChannelMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const place = this.#placeOf(message);
    if (place === null) return { status: 'sent', ref: null };
    return attempt(async () => {
      await this.#messenger.editText(place.chat, place.id, this.#texts(message, [])[0] ?? NOTHING, signal);
      return message.replaces?.ref ?? null;
    });
  }

  async send(message: ChannelMessage, buttons: OutgoingButton[], signal: AbortSignal): Promise<DeliveryOutcome> {
    const chat = this.#chatFor(message);
    if (chat === null && message.chat !== undefined && this.#inbox !== null)
      return { status: 'failed', reason: 'the chat that it is for is not paired any more', isFinal: true };
    if (chat === null) return { status: 'failed', reason: 'nobody is paired with it yet: oka channels pair' };
    return attempt(async () => {
      const texts = this.#texts(message, [...buttons, ...resultButtons(message, this.#messenger)]);
      const place = this.#placeOf(message);
      if (place !== null && texts.length === 1) {
        await this.#messenger.editText(place.chat, place.id, texts[0] ?? NOTHING, signal);
        return `${place.chat} ${place.id}`;
      }
      const sent = this.#sentOf(message);
      for (const text of texts.slice(sent.refs.length)) {
        const id = await sendOnce(sent, (isRepeat) => {
          const said = isRepeat && this.#messenger.limits.repeats === 'visible' ? withDoubt(text) : text;
          return this.#messenger.sendText(chat, { ...said, isRepeat }, signal);
        });
        sent.refs.push(`${chat} ${id}`);
      }
      await this.#sendFiles(message, chat, sent, signal);
      return sent.refs.at(-1) ?? null;
    });
  }

  async receive(given: ChannelInbox, signal: AbortSignal): Promise<void> {
    const { messenger } = given;
    if (messenger === undefined) throw new Error('a messenger needs an inbox for messages');
    const inbox = (this.#inbox = { ...given, messenger });
    this.#talk ??= newTalk(this.#messenger);
    const talk = this.#talk;
    await this.#messenger.listen(
      async (incoming) => {
        if (inbox.isKnown(incoming.id)) return;
        try {
          if (incoming.kind === 'press') await this.#press(incoming, inbox, signal);
          else await takeText(incoming, inbox, talk, signal);
        } catch (error) {
          // What the network refuses for good would come again and again, and hold up everything behind it.
          if (!(error instanceof NetworkError) || !error.isFinal) throw error;
          const { id: message, person: from } = incoming;
          await inbox.refuse({ message, from, reason: error.message, ...positionOf(incoming) });
        }
      },
      { position: inbox.position(), ready: () => inbox.ready(), signal },
    );
  }

  #chatFor({ chat, origin }: ChannelMessage): string | null {
    if (chat !== undefined) return this.#isPaired(chat) ? chat : null;
    const from = placeOf(origin?.thread?.message ?? null);
    if (from !== null && this.#isPaired(from.chat)) return from.chat;
    return this.#inbox?.messenger.paired()[0]?.chat ?? null;
  }

  readonly #isPaired = (chat: string): boolean =>
    this.#inbox?.messenger.paired().some((each) => each.chat === chat) === true;

  /** The message that a new one takes the place of, where it may still be read. */
  #placeOf({ replaces }: ChannelMessage): ReturnType<typeof placeOf> {
    const place = placeOf(replaces?.ref ?? null);
    return place !== null && this.#isPaired(place.chat) ? place : null;
  }

  #sentOf({ delivery, attempt }: ChannelMessage): Sent {
    const found = this.#sent.get(delivery);
    if (found !== undefined) return found;
    const sent = { refs: [], files: 0, isDoubtful: false, isOfOthers: attempt > 1 };
    this.#sent.set(delivery, sent);
    const [oldest = ''] = this.#sent.keys();
    if (this.#sent.size > MOST_REMEMBERED) this.#sent.delete(oldest);
    return sent;
  }

  #texts(message: ChannelMessage, buttons: readonly OutgoingButton[]): OutgoingText[] {
    const { limits } = this.#messenger;
    const head = message.title === '' || message.title === 'oka' ? '' : `**${message.title.replaceAll('*', '')}**`;
    const link = message.link === null ? '' : message.link;
    const markdown = [head, message.body, link].filter((each) => each !== '').join('\n\n');
    const parts = partsOf(markdown === '' ? '…' : markdown, limits.text, limits.markup);
    const replyTo = placeOf(message.origin?.thread?.message ?? null)?.id ?? null;
    return parts.map((part, at) => ({
      ...part,
      buttons: at === parts.length - 1 ? buttons : [],
      replyTo: at === 0 ? replyTo : null,
      key: `${message.delivery}-${at}`,
      isRepeat: false,
    }));
  }

  async #sendFiles(message: ChannelMessage, chat: string, sent: Sent, signal: AbortSignal): Promise<void> {
    const { limits } = this.#messenger;
    const files = message.files.filter(({ bytes }) => bytes <= limits.fileBytes).slice(0, MOST_FILES);
    for (const [at, file] of files.entries()) {
      if (at < sent.files) continue;
      const content = file.read();
      const about = { name: file.name, isPicture: PICTURE.test(file.name), key: `${message.delivery}-file-${at}` };
      if (content !== null)
        await sendOnce(sent, (isRepeat) => {
          const caption = isRepeat && limits.repeats !== 'harmless' ? DOUBT : '';
          return this.#messenger.sendFile(chat, { ...about, content, caption, isRepeat }, signal);
        });
      sent.files += 1;
    }
  }

  async #press(press: IncomingPress, inbox: TalkInbox, signal: AbortSignal): Promise<void> {
    const about = { message: press.id, from: press.person, ...positionOf(press) };
    const tell = (text: string): Promise<void> => this.#messenger.answerPress(press.press, text, signal);
    if (!inbox.messenger.paired().some(({ person, chat }) => person === press.person && chat === press.chat)) {
      await inbox.refuse({ ...about, reason: 'a button was pressed by somebody who is not paired' });
      return tell('This is not for you.');
    }
    const [, act = '', rest = ''] = /^([?!u]):(.+)$/s.exec(press.payload) ?? [];
    if (act === 'u') {
      if (!inbox.messenger.mayUndo(rest, press)) {
        await inbox.refuse({ ...about, reason: 'somebody else has sent the task that it undoes' });
        return tell('Only its owner may undo this.');
      }
      const undone = inbox.messenger.undo(rest, press.id, signal);
      const talk = this.#talk ?? newTalk(this.#messenger);
      void undone
        .then((words) => say(press, words, inbox, talk, signal))
        .catch((error: unknown) => inbox.log(messageOf(error)));
      await inbox.refuse({ ...about, reason: 'it was the button Undo' });
      return tell('It is being undone.');
    }
    if (act === '' || !inbox.messenger.isTokenOf(rest, `${press.chat} ${press.message}`)) {
      await inbox.refuse({ ...about, reason: 'a button came back from another message' });
      return tell('This was settled, or belongs to another message.');
    }
    if (act === '?') {
      await this.#askAgain(press, rest, inbox, signal);
      return tell('It changes something outside: please tap once more.');
    }
    const { became, reason } = await inbox.answer({ ...about, token: rest });
    return tell(became === 'answer' ? 'Noted.' : `It does not count: ${reason}.`);
  }

  /** The buttons of the question itself become those of the second tap, so that the whole question stands above them. */
  async #askAgain(
    { chat, message }: IncomingPress,
    token: string,
    inbox: TalkInbox,
    signal: AbortSignal,
  ): Promise<void> {
    const deny = inbox.messenger.tokenFor(`${chat} ${message}`, 'n');
    const buttons = [
      { label: 'Yes, do exactly this', payload: `!:${token}` },
      ...(deny === null ? [] : [{ label: 'Deny', payload: `!:${deny}` }]),
    ];
    await this.#messenger.editButtons(chat, message, buttons, signal);
  }
}

const NOTHING: OutgoingText = { text: '…', plain: '…', buttons: [], replyTo: null, key: 'nothing', isRepeat: false };

/** Below the limit of a text by design: adapters leave that much room. */
const DOUBT = '(It may have come before.)';

const withDoubt = (text: OutgoingText): OutgoingText => ({
  ...text,
  text: `${text.text}\n\n${DOUBT}`,
  plain: `${text.plain}\n\n${DOUBT}`,
});

/** Notes whether what was sent may have arrived, where it failed (C2). */
async function sendOnce(sent: Sent, send: (isRepeat: boolean) => Promise<string>): Promise<string> {
  try {
    const id = await send(sent.isOfOthers || sent.isDoubtful);
    sent.isDoubtful = false;
    return id;
  } catch (error) {
    // What the network has answered with a refusal has not arrived; whatever else went wrong, it may have.
    sent.isDoubtful ||= !(error instanceof NetworkError) || error.isDoubtful;
    throw error;
  }
}

const toButton = ({ label, token, changesOutside }: AnswerButton): OutgoingButton => ({
  label,
  payload: `${changesOutside === true ? '?' : '!'}:${token}`,
});

/** Where there is no button, a reply to this very message answers it. */
const howToReply = ({ buttons }: ChannelQuestion): string =>
  buttons.length === 0
    ? 'Reply to this message to answer.'
    : `Reply to this message with one of: ${buttons.map(({ label }) => label).join(', ')}`;

const fits = (payload: string, most: number): boolean => Buffer.byteLength(payload) <= most;

/** What ended can be undone where it is read. */
function resultButtons({ kind, run }: ChannelMessage, { limits }: Messenger): OutgoingButton[] {
  if (run === null || (kind !== 'done' && kind !== 'failed') || limits.buttons === 0) return [];
  const undo = { label: 'Undo', payload: `u:${run}` };
  return fits(undo.payload, limits.payload) ? [undo] : [];
}

/** A message is named by its chat and its id there. */
function placeOf(ref: string | null): { chat: string; id: string } | null {
  const [, chat, id] = /^(\S+) (\S+)$/.exec(ref ?? '') ?? [];
  return chat === undefined || id === undefined ? null : { chat, id };
}

const positionOf = ({ position }: { position?: string }): { position?: string } =>
  position === undefined ? {} : { position };

async function attempt(send: () => Promise<string | null>): Promise<DeliveryOutcome> {
  try {
    return { status: 'sent', ref: await send() };
  } catch (error) {
    if (!(error instanceof NetworkError)) return { status: 'failed', reason: messageOf(error) };
    const { isFinal, retryAfterMs } = error;
    return {
      status: 'failed',
      reason: messageOf(error),
      ...(isFinal ? { isFinal } : {}),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }
}
