/** Owns: which code serves a kind of channel. Each is loaded when a channel of its kind is configured. */
import { execFile } from 'node:child_process';
import type { ChannelSettings } from '../../core/schema/channel.ts';
import type { Channel, ChannelMessage, ChannelTools } from '../../core/schema/channel-port.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import { messageEnvironment } from '../../kit/settings.ts';

/** Where a channel that has files of its own finds them. */
type ChannelHome = { home: Home; ledger: Pick<LedgerPort, 'append'> };

export async function openChannel(
  settings: ChannelSettings,
  tools: ChannelTools,
  { home, ledger }: ChannelHome,
): Promise<Channel> {
  switch (settings.kind) {
    case 'mail':
      return (await import('./mail/mail-channel.ts')).openMailChannel(settings, tools);
    case 'ntfy':
      return (await import('./ntfy/ntfy-channel.ts')).openNtfy(settings, tools);
    case 'apprise':
      return (await import('./apprise/apprise-channel.ts')).openApprise(settings, tools);
    case 'webhook':
      return (await import('./webhook/webhook-channel.ts')).openWebhook(settings, tools);
    case 'command':
      return (await import('./command/command-channel.ts')).openCommand({
        command: settings.command,
        timeoutMs: settings.timeout * 1000,
        env: messageEnvironment(),
      });
    case 'desktop':
      return openDesktop();
    case 'push': {
      const { pushStore } = await import('./push-subscriptions.ts');
      const store = pushStore(home, tools.name, ledger);
      store.key(); // the dashboard needs it before the first browser can subscribe
      return (await import('./push/push-channel.ts')).openPush(settings, tools, store);
    }
  }
}

const DESKTOP_MS = 10_000;

async function openDesktop(): Promise<Channel> {
  const { findDesktopCommand } = await import('./desktop/desktop-command.ts');
  const { openCommand } = await import('./command/command-channel.ts');
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
