/** Which command shows a notification on this desktop, and how it is called. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ChannelMessage } from '../../../core/schema/channel-port.ts';
import { cutBytes, toPlainBody } from '../plain-body.ts';

type DesktopCommand = {
  program: string;
  /** `canUpdate`: it prints the id of a notification, and a later one can take its place. */
  toArguments: (message: ChannelMessage, canUpdate: boolean) => string[];
  /** What a program's own help says when it can do that; null when it cannot in any version. */
  updates: RegExp | null;
};

const MOST_BODY = 600;

/** Null where there is no desktop, or no command for it. */
export function findDesktopCommand(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): DesktopCommand | null {
  if (platform === 'darwin') return { program: 'osascript', toArguments: toScript, updates: null };
  if (env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined) return null;
  const program = findProgram('notify-send', env['PATH'] ?? '');
  return program === null ? null : { program, toArguments: toNotifySend, updates: /--replace-id/ };
}

function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter).filter((part) => part !== '')) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // the next folder may have it
    }
  }
  return null;
}

const toNotifySend = ({ title, body, urgency, replaces }: ChannelMessage, canUpdate: boolean): string[] => [
  `--urgency=${urgency === 'high' ? 'critical' : urgency}`,
  '--app-name=oka',
  ...(canUpdate ? ['--print-id'] : []),
  ...(canUpdate && /^\d+$/.test(replaces?.ref ?? '') ? [`--replace-id=${replaces?.ref}`] : []),
  '--',
  cutBytes(title, 200),
  escapeMarkup(toPlainBody(body, MOST_BODY)),
];

/** The body of a notification is markup. */
const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The words are arguments of the script, never a part of it. */
const toScript = ({ title, body }: ChannelMessage): string[] => [
  '-e',
  'on run argv',
  '-e',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  '-e',
  'end run',
  cutBytes(title, 200),
  toPlainBody(body, MOST_BODY),
];
