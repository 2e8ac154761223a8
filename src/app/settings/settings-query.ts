/** The queries of the page Settings. Values of secrets are in none of them, and nothing is written. */
import { z } from 'zod';
import { readChannelsStatus } from '../../rooms/channels/channels-status.ts';
import { mcpFile } from '../../rooms/mcp/mcp-file.ts';
import { readFileSync } from 'node:fs';
import { readHomeStatus } from '../status/home-status.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { readEntry } from '../../core/schema/mcp.ts';
import { openAccess } from '../../kit/web/login/access.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { canWrite, previewChange, RulesChange } from './rules-change.ts';
import { RulesPreview, SettingsAnswer } from './settings-answers.ts';

type Settings = z.input<typeof SettingsAnswer>;

export const settingsQuery = defineQuery({
  params: z.strictObject({}),
  answer: SettingsAnswer,
  read: async ({ home }): Promise<Settings> => ({
    model: (await readHomeStatus(home)).model,
    writable: canWrite(home),
    passphrase: openAccess(home).hasPassphrase(),
    channels: await listChannels(home),
    servers: listServers(home),
  }),
});

export const rulesPreviewQuery = defineQuery({
  params: z.strictObject({ change: RulesChange }),
  answer: RulesPreview,
  isPosted: true,
  read: ({ home, params: { change } }) => Promise.resolve(previewChange(home, change)),
});

async function listChannels(home: Home): Promise<Settings['channels']> {
  const { channels, problems } = await readChannelsStatus(home);
  return [
    ...channels.map(({ channel, kind, to, disabled, problem }) => ({
      name: channel,
      kind,
      to,
      on: !disabled,
      problem,
    })),
    ...problems.map(({ channel, problem }) => ({
      name: channel ?? 'channels.json',
      kind: '',
      to: '',
      on: false,
      problem,
    })),
  ];
}

function listServers(home: Home): Settings['servers'] {
  const entries = readServers(home);
  if (typeof entries === 'string') return [{ name: 'mcp.json', how: '', on: false, problem: entries }];
  return Object.entries(entries).map(([name, entry]) => {
    const read = readEntry(name, entry);
    if (typeof read === 'string') return { name, how: '', on: false, problem: read };
    return { name, how: String(read['url'] ?? read['command']), on: !read.disabled, problem: null };
  });
}

/** The entries as they are written, also those that are left out; else what is wrong with the file. */
function readServers(home: Home): Record<string, unknown> | string {
  try {
    const whole = JSON.parse(readFileSync(mcpFile(home), 'utf8')) as { mcpServers?: Record<string, unknown> };
    return whole.mcpServers ?? {};
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? {} : 'It is not JSON; correct the file.';
  }
}
