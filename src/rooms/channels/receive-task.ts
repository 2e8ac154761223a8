/**
 * Owns: a task that came in through a channel or a hook: added to the inbox, and recorded; and what is not accepted.
 *
 * K1 A task is in the inbox before it is recorded, and is added once: after a crash in between it is recognised by its id.
 * K2 What is refused is recorded, though not more often than a person would read.
 */
import { join } from 'node:path';
import { addTask, LIMITS } from '../../kit/inbox/add-task.ts';
import { formatBytes } from '../../kit/inbox/plain-file.ts';
import type { ChannelInbox, ChannelReceived, Received } from '../../core/schema/channel-port.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Log } from '../../kit/log-line.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import { channelReceived } from './channel-events.ts';

export type TaskPorts = {
  home: Home;
  /** Whether a task of this id was accepted before. */
  isTask: (id: string) => boolean;
  ledger: Pick<LedgerPort, 'append'>;
};

/** `text` is the whole TASK.md, and `about` is what is recorded of it. */
type NewTask = {
  id: string;
  text: string;
  files: readonly { name: string; bytes: Uint8Array }[];
  about: Omit<ChannelReceived, 'became' | 'task'>;
};

export async function receiveTask({ id, text, files, about }: NewTask, ports: TaskPorts): Promise<Received> {
  const { home, ledger, isTask } = ports;
  const others = files.map(({ name, bytes }) => ({ path: name, bytes: Buffer.from(bytes), mode: 0o644 }));
  const isFolder = others.length > 0;
  const body = Buffer.from(text);
  assertSize(body, others);
  if (!isTask(id))
    addTask(join(home.workspace, 'inbox'), {
      name: isFolder ? id : `${id}.md`,
      bytes: body,
      files: isFolder ? others : null,
    });
  await ledger.append(channelReceived({ ...about, became: 'task', task: id }));
  return { became: 'task', reason: about.reason };
}

/** What the inbox would refuse later is refused while its sender can be informed. */
function assertSize(text: Buffer, files: readonly { bytes: Buffer }[]): void {
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (text.length > LIMITS.mostBytes)
    throw new OkaError('invalid-file', `its text is longer than ${formatBytes(LIMITS.mostBytes)}`);
  if (size > LIMITS.mostFolderBytes || files.length > LIMITS.mostFiles)
    throw new OkaError(
      'invalid-file',
      `it has more files than a task may have (${formatBytes(LIMITS.mostFolderBytes)})`,
    );
}

/** Refused messages that are recorded in an hour. */
const MOST_REFUSED = 20;

export type RefusalPorts = { channel: string; ledger: Pick<LedgerPort, 'append'>; log: Log; now: () => number };

export function recordRefusals({ channel, ledger, log, now }: RefusalPorts): ChannelInbox['refuse'] {
  let [refused, hour] = [0, 0];
  return async ({ message, from, reason, position }) => {
    const current = Math.floor(now() / 3_600_000);
    if (current !== hour) [refused, hour] = [0, current];
    refused += 1;
    if (refused > MOST_REFUSED) return;
    log(`${channel}: a message was not accepted: ${reason}`);
    const at = position === undefined ? {} : { position };
    await ledger.append(channelReceived({ channel, message, from, became: 'nothing', reason, ...at }));
  };
}
