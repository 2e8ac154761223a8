/** Owns: notifications of the desktop that the worker runs on. */
import { execFile } from 'node:child_process';
import { z } from 'zod';
import type { Channel, ChannelMessage } from '../../../core/schema/channel-port.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { messageEnvironment } from '../../../kit/settings.ts';
import { defineChannel, sharedSettings } from '../channel-definition.ts';
import { openCommand } from '../command/command-channel.ts';
import { findDesktopCommand } from './desktop-command.ts';

const DESKTOP_MS = 10_000;

const DesktopChannel = z
  .strictObject({ kind: z.literal('desktop').describe('Notifications of this desktop.'), ...sharedSettings })
  .describe('Notifications of the desktop that the worker runs on, where there is a command for them.');

export const desktop = defineChannel({
  kind: 'desktop',
  label: 'notifications of this desktop',
  settings: DesktopChannel,
  fields: {},
  entryOf: () => ({}),
  addressOf: () => 'this desktop',
  open: openDesktop,
});

async function openDesktop(): Promise<Channel> {
  const env = messageEnvironment();
  const found = findDesktopCommand(process.platform, env);
  if (found === null)
    throw new OkaError('not-set-up', 'there is no desktop here, or no command that shows notifications on it', {
      fix: 'Install notify-send (libnotify), or remove the channel.',
    });
  const { program, updates } = found;
  const canUpdate = updates !== null && updates.test(await helpOf(program, env));
  const toArguments = (message: ChannelMessage): string[] => found.toArguments(message, canUpdate);
  return openCommand({ command: [program], timeoutMs: DESKTOP_MS, env, toArguments, canUpdate });
}

/** Empty where a program has none. */
async function helpOf(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(program, ['--help'], { env, timeout: DESKTOP_MS }, (_error, printed) => resolve(printed)).stdin?.end();
  return promise;
}
