/**
 * Owns: notifications on the desktop of whoever starts oka in a terminal, without a setting, as long as channels.json
 * names no channel.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findDesktopCommand } from './desktop/desktop-command.ts';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import { DesktopChannel } from '../../core/schema/channel.ts';
import type { Home } from '../../core/schema/home.ts';
import { isContained, isOverSsh, messageEnvironment } from '../../kit/settings.ts';
import { type HomeChannels, loadChannels } from './channels-file.ts';

/** Whether notifications can be shown on the desktop that this terminal belongs to, and are to be. */
export function showsOnDesktop(home: Home): boolean {
  if (isContained() || isOverSsh()) return false;
  const env = messageEnvironment();
  return (
    findDesktopCommand(process.platform, env) !== null && hasSession(env) && withDesktop(loadChannels(home)) !== null
  );
}

/** The channels with the desktop as their only one; null where there are others, or it is switched off. */
export function withDesktop(file: HomeChannels): HomeChannels | null {
  const { policy, channels, disabled, problems } = file;
  if (!policy.desktop || channels.size + disabled.size + problems.length > 0) return null;
  return { ...file, channels: new Map([['desktop', DesktopChannel.parse({ kind: 'desktop' })]]) };
}

const servedFile = (home: Home): string => join(home.oka, 'state', 'desktop-channel');

/** Notes for other processes whether this worker notifies on its desktop. A full disk loses the note, no more. */
export function noteDesktop(home: Home, isServed: boolean): void {
  try {
    makeFolder(dirname(servedFile(home)), 0o700);
    if (isServed) replaceFile(servedFile(home), `${process.pid}\n`, { mode: 0o600 });
    else rmSync(servedFile(home), { force: true });
  } catch {
    // it is missing in the list of channels, and works
  }
}

/** Whether the worker that runs now notifies on its desktop; what a dead one has left does not count. */
export function isDesktopServed(home: Home): boolean {
  try {
    return Number(readFileSync(servedFile(home), 'utf8')) === penHolder(home.ledgers.run)?.pid;
  } catch {
    return false;
  }
}

/** What is said about it, once for a home. */
export function desktopNotice(home: Home): string | null {
  const file = join(home.oka, 'state', 'desktop-notice');
  if (existsSync(file)) return null;
  try {
    makeFolder(dirname(file), 0o700);
    replaceFile(file, 'oka up has said that it shows notifications on this desktop.\n');
  } catch {
    // a full disk does not prevent the start; it is said again the next time
  }
  return 'What needs you is also shown on this desktop ("desktop": false in .oka/rules/channels.json switches that off).';
}

/** Notifications on Linux go over the bus of a session. */
const hasSession = (env: Readonly<Record<string, string>>): boolean =>
  process.platform === 'darwin' ||
  env['DBUS_SESSION_BUS_ADDRESS'] !== undefined ||
  existsSync(join(env['XDG_RUNTIME_DIR'] ?? '/nowhere', 'bus'));
