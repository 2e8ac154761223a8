/**
 * The port of a messenger: a network in which people chat. An adapter translates and does nothing else: it has no state,
 * repeats nothing and decides nothing. Whatever must be the same on all networks is in messenger-channel.ts.
 *
 * M1 `listen` hands over one message after the other, each at least once, with an id of the network that is the same when
 *    it comes again. What was handed over is durable when `take` resolves, so it may be acknowledged.
 * M2 Everything else throws a `NetworkError` when the network refuses, with its own delay where it names one.
 */
export type Messenger = {
  limits: Limits;
  listen(take: (incoming: Incoming) => Promise<void>, listening: Listening): Promise<void>;
  /** Resolves to the id of the message in its chat. */
  sendText(chat: string, text: OutgoingText, signal: AbortSignal): Promise<string>;
  editText(chat: string, id: string, text: OutgoingText, signal: AbortSignal): Promise<void>;
  sendFile(chat: string, file: OutgoingFile, signal: AbortSignal): Promise<string>;
  /** The content of a file that came in; it is refused when it is larger. */
  fetchFile(file: IncomingFile, mostBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  typing(chat: string, signal: AbortSignal): Promise<void>;
  editButtons(chat: string, id: string, buttons: readonly OutgoingButton[], signal: AbortSignal): Promise<void>;
  /** Says at the button itself what came of it; whether that is seen does not matter, so it never fails. */
  answerPress(press: string, text: string, signal: AbortSignal): Promise<void>;
};

type Limits = {
  /** Characters (UTF-16) of a message as it is shown. */
  text: number;
  /** Bytes that a button brings back, and buttons of a message; no buttons: 0. */
  payload: number;
  buttons: number;
  fileBytes: number;
  /** What a message is written in. */
  markup: Markup;
  /** What becomes of a message that is sent again under the same key: nothing, or people see it twice. */
  repeats: 'harmless' | 'visible in files' | 'visible';
};

export type Markup = 'html' | 'plain';

export type Listening = {
  /** How far was read before; null at first. */
  position: string | null;
  /** Says that the connection stands. */
  ready(): void;
  signal: AbortSignal;
};

export type OutgoingText = {
  /** In the markup of the network. */
  text: string;
  /** The same without any. */
  plain: string;
  buttons: readonly OutgoingButton[];
  replyTo: string | null;
  /** The same when the same message is sent again. */
  key: string;
  /** It may have arrived before: nobody knows. */
  isRepeat: boolean;
};

export type OutgoingButton = { label: string; payload: string };
type OutgoingFile = {
  name: string;
  content: Uint8Array;
  isPicture: boolean;
  /** What stands below it; mostly nothing. */
  caption: string;
} & Pick<OutgoingText, 'key' | 'isRepeat'>;
export type IncomingFile = { id: string; name: string; bytes: number | null };

type Place = {
  /** What names it for good; the same when it comes again. */
  id: string;
  position?: string;
  /** The network's own time, and what tells messages of the same moment apart, growing. */
  at: number;
  order: number;
  chat: string;
  isGroup: boolean;
  person: string;
  name: string;
};

export type IncomingText = Place & {
  kind: 'text';
  /** Its id in the chat, by which it can be answered. */
  place: string;
  text: string;
  /** The message that it answers. */
  replyTo: string | null;
  /** Written by somebody else. */
  isForwarded: boolean;
  isVoice: boolean;
  /** It is encrypted in a way that the adapter does not know. */
  isUnreadable?: boolean;
  files: readonly IncomingFile[];
};

/** A button that was pressed; `at` is not known of every press, and does not matter. */
export type IncomingPress = Place & { kind: 'press'; message: string; payload: string; press: string };

export type Incoming = IncomingText | IncomingPress;

type Failure = { isFinal?: boolean; isDoubtful?: boolean; retryAfterMs?: number };

/** The network does not do it. `isFinal`: trying again would not help. `isDoubtful`: perhaps it was done all the same. */
export class NetworkError extends Error {
  readonly isFinal: boolean;
  readonly isDoubtful: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, { isFinal = false, isDoubtful = false, retryAfterMs }: Failure = {}) {
    super(reason);
    this.isFinal = isFinal;
    this.isDoubtful = isDoubtful;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The body of an answer; a larger one is refused before all of it has come. */
export async function readUpTo({ body }: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most) throw new NetworkError('the file is too large', { isFinal: true });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
