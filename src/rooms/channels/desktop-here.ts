/**
 * Owns: notifications on the desktop of whoever starts oka in a terminal, without a setting, as long as channels.json
 * names no channel.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findDesktopCommand } from './desktop/desktop-command.ts';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
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
  return { ...file, channels: new Map([['desktop', { kind: 'desktop', content: 'full', disabled: false }]]) };
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
