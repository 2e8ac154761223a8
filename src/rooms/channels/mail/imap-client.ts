/** Owns: the mailbox that is read, as oka needs it: candidates, headers, single mails, and the mark that one was read. Nothing is moved or deleted, and nothing is marked but what was handled. */
import type { MailChannel } from './mail-settings.ts';
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import { MOST_HEADER_BYTES } from '../../../kit/mail/mail-header.ts';
import {
  askingImap,
  type ImapConnection,
  type MailFilter,
  newImapConnection,
} from '../../../kit/mail/imap-connection.ts';

type ImapServer = NonNullable<MailChannel['imap']>;

export type Mailbox = {
  /** Changes when the numbers of mails do not mean the same mails any more. */
  readonly validity: string;
  /** Numbers of unread mails of the last month that have one of these words in To, Cc, Delivered-To or Subject. */
  find(words: readonly string[]): Promise<number[]>;
  headers(uids: readonly number[]): AsyncGenerator<MailHead, void>;
  /** The mail, or its first bytes; null when it is gone. */
  source(uid: number, mostBytes: number): Promise<Uint8Array | null>;
  markRead(uid: number): Promise<void>;
  /** Resolves when mail came, the connection ended, the signal was given or the time is over. */
  nextChange(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

export type MailHead = { uid: number; header: Uint8Array; bytes: number };

const RECENT_MS = 30 * 86_400_000;

/** At the signal the connection is closed, whatever the server was asked and does not answer. */
export async function openMailbox(server: ImapServer, tools: ChannelTools, signal: AbortSignal): Promise<Mailbox> {
  const client = await newImapConnection(server, tools);
  signal.throwIfAborted();
  const stop = (): void => client.close();
  signal.addEventListener('abort', stop, { once: true });
  let problem: Error | null = null;
  const waiting = new Set<() => void>();
  let isChanged = false;
  const wake = (): void => {
    isChanged = true;
    for (const each of waiting) each();
  };
  client.on('error', (error: Error) => {
    problem = error;
    wake();
  });
  client.on('close', () => {
    problem ??= new Error('the server has closed the connection');
    signal.removeEventListener('abort', stop);
    wake();
  });
  client.on('exists', wake);
  const box = await openBox(client, server.mailbox);
  return {
    validity: String(box.uidValidity),
    find: async (words) => (await client.search(searchFor(words), { uid: true })) || [],
    async *headers(uids) {
      const query = { uid: true, size: true, bodyParts: [{ key: 'header', start: 0, maxLength: MOST_HEADER_BYTES }] };
      for await (const mail of client.fetch([...uids].join(','), query, { uid: true }))
        yield { uid: mail.uid, bytes: mail.size ?? 0, header: mail.headers ?? Buffer.alloc(0) };
    },
    source: async (uid, mostBytes) => {
      const mail = await client.fetchOne(String(uid), { source: { start: 0, maxLength: mostBytes } }, { uid: true });
      return (mail && mail.source) || null;
    },
    markRead: async (uid) => void (await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })),
    async nextChange(ms, signal) {
      if (!isChanged) await waitFor(waiting, ms, signal);
      isChanged = false;
      if (problem !== null) throw problem;
    },
    close: () => client.close(),
  };
}

async function openBox(client: ImapConnection, mailbox: string): Promise<{ uidValidity: bigint }> {
  try {
    return await askingImap(async () => {
      await client.connect();
      return client.mailboxOpen(mailbox);
    });
  } catch (error) {
    client.close();
    throw error;
  }
}

function searchFor(words: readonly string[]): MailFilter {
  const or = words.flatMap((word): MailFilter[] => [
    { to: word },
    { cc: word },
    { subject: word },
    { header: { 'delivered-to': word } },
  ]);
  return { seen: false, deleted: false, since: new Date(Date.now() - RECENT_MS), or };
}

async function waitFor(waiting: Set<() => void>, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  waiting.add(resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await promise;
  clearTimeout(timer);
  waiting.delete(resolve);
}
