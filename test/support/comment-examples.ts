/** Written by `npm run docs` out of comments in src: the examples there, which are compiled and used by tests. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Channel } from '../../src/core/schema/channel-port.ts';
import type { ProviderDefinition } from '../../src/core/schema/model-provider.ts';
import type { NodeKind } from '../../src/core/schema/node-kind.ts';
import type { Model } from '../../src/core/schema/ports.ts';
import { defineRoom } from '../../src/core/schema/room.ts';
import { answer, command, type Commands } from '../../src/kit/cli/command-module.ts';
import { defineTool } from '../../src/kit/define-tool.ts';
import type { DocumentKind } from '../../src/kit/documents/document-kinds.ts';
import { ports } from '../../src/kit/ports/room-ports.ts';
import { definePage, defineQuery } from '../../src/kit/web/page.ts';
import { defineChannel, sharedSettings } from '../../src/rooms/channels/channel-definition.ts';

export const upperTool = defineTool({
  name: 'text.upper',
  about: 'Writes a text in capitals.',
  input: z.strictObject({ text: z.string().describe('The text.') }),
  output: z.string().describe('The text in capitals.'),
  annotations: { read_only: true, idempotent: true, cacheable: true, risk: 'low' },
  targets: ['text'],
  class: 'read',
  act: ({ text }) => ({ status: 'ok', output: text.toUpperCase() }),
});

export const upperNode: NodeKind = {
  kind: 'upper',
  about: 'Writes a text in capitals.',
  fields: { text: z.string().describe('The text.') },
  lower: ({ id, text = '' }) => [{ kind: 'tool', id, tool: 'text.upper', input: { text } }],
};

export const upper = defineRoom({
  name: 'rooms/upper',
  tools: ['text.upper'],
  nodes: () => Promise.resolve([upperNode]),
  findings: (home) => Promise.resolve([{ state: 'good', what: 'upper', found: `capitals for ${home.dir}` }]),
  needs: { home: ports.home },
  open: ({ home }) => ({ tools: [upperTool], close: () => rmSync(join(home.oka, 'upper'), { force: true }) }),
});

export const parrot: ProviderDefinition = {
  name: 'parrot',
  keyName: null,
  needsKey: () => false,
  baseUrl: () => '',
  priceOf: () => ({ in: 0, out: 0 }),
  open: ({ model }) => {
    const complete: Model['complete'] = async ({ messages }) => ({
      text: messages.at(-1)?.text ?? '',
      call: null,
      usage: { tokens_in: 1, tokens_out: 1, usd: 0, ms: 0 },
      model: `parrot:${model}`,
    });
    return { id: `parrot:${model}`, complete, stream: complete };
  },
};

export const BellChannel = z.strictObject({ kind: z.literal('bell').describe('A bell.'), ...sharedSettings });

export const bell = defineChannel({
  kind: 'bell',
  label: 'the bell of this terminal',
  settings: BellChannel,
  fields: {},
  entryOf: () => ({}),
  addressOf: () => 'this terminal',
  open: () => {
    const ring: Channel['announce'] = () => {
      process.stderr.write('\u0007');
      return Promise.resolve({ status: 'sent', ref: null });
    };
    return Promise.resolve({ announce: ring, ask: ring });
  },
});

export const notebook: DocumentKind = {
  format: 'ipynb',
  names: [],
  head: (_start, extension) => extension === 'ipynb',
  read: ({ bytes }) => Promise.resolve({ text: new TextDecoder().decode(bytes) }),
};

export const commands: Commands = {
  'home where': command({
    summary: 'Print the folder of oka',
    example: 'oka home where',
    run: async ({ home }) => answer({ folder: home.dir }),
  }),
};

export const clockPage = definePage({
  name: 'clock',
  path: '/clock',
  title: 'Clock',
  nav: { order: 90, key: 'o', icon: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2' },
  query: defineQuery({
    params: z.strictObject({}),
    answer: z.strictObject({ now: z.string().describe('The time of this machine.') }),
    read: () => Promise.resolve({ now: new Date().toISOString() }),
  }),
  intakes: [],
});
