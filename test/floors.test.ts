import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Rule, type Rules, type Violation, violationsOf } from './support/floors.ts';

const RULES: Rules = {
  floors: [
    ['schema'],
    ['ledger', 'engine', 'guard'],
    ['tools', 'models', 'memory', 'views', 'tree', 'chat', 'roles', 'graphs', 'intake', 'channels', 'replica', 'fleet'],
    ['kit'],
    ['daemon'],
    ['web'],
    ['cli'],
  ],
  pure: {
    folders: ['schema', 'engine', 'roles', 'graphs'],
    builtins: {
      'node:buffer': 'everything',
      'node:crypto': ['createHash', 'hash'],
      'node:path': 'everything',
      'node:util': 'everything',
    },
    never: {
      network: ['fetch', 'WebSocket', 'EventSource'],
      clock: ['Date.now', 'new Date()', 'new Date', 'Date()', 'Temporal.Now', 'performance'],
      timers: ['setTimeout', 'setInterval', 'setImmediate', 'AbortSignal.timeout'],
      randomness: ['Math.random', 'crypto'],
      environment: ['process', 'globalThis', 'global'],
    },
  },
  rooms: {
    folder: 'daemon',
    meetings: [
      'assistant → home',
      'fleet → views',
      'fleet → worker',
      'home → fleet',
      'home → network',
      'home → views',
      'maintain → home',
      'maintain → replica',
      'worker → desk',
      'worker → fleet',
      'worker → graphs',
      'worker → home',
      'worker → schedule',
      'worker → task',
    ],
  },
  environment: 'kit/settings.ts',
  doors: {
    '@ai-sdk/anthropic': ['models/'],
    '@ai-sdk/openai': ['models/'],
    '@ai-sdk/openai-compatible': ['models/'],
    '@dagrejs/dagre': ['web/'],
    '@hono/node-server': ['web/web-server.ts'],
    '@lancedb/lancedb': ['memory/embedding/vector-table.ts'],
    '@mozilla/readability': ['tools/documents/readable-html.ts'],
    '@nats-io/jetstream': ['fleet/'],
    '@nats-io/kv': ['fleet/'],
    '@nats-io/nats-core': ['fleet/'],
    '@nats-io/obj': ['fleet/'],
    '@nats-io/transport-node': ['fleet/'],
    '@preact/signals': ['web/'],
    '@xenova/transformers': ['memory/embedding/embedding-model.ts'],
    'age-encryption': ['guard/open-vault.ts'],
    ai: ['models/'],
    'apache-arrow': ['memory/embedding/vector-table.ts'],
    chokidar: ['intake/watch-inbox.ts'],
    convex: ['replica/convex.ts'],
    'es-module-lexer': ['tree/outline/module-names.ts'],
    dompurify: ['web/browser/components/markdown.ts'],
    execa: ['tools/launch.ts'],
    '@modelcontextprotocol/client': ['tools/mcp/'],
    '@modelcontextprotocol/server': ['daemon/assistant/assistant-server.ts'],
    fflate: ['tools/documents/office-archive.ts'],
    'gpt-tokenizer': ['memory/text/count-pieces.ts'],
    'gray-matter': ['schema/front-matter.ts'],
    diff: ['web/'],
    hono: ['web/'],
    htm: ['web/browser/html.ts'],
    ignore: ['tree/scan/ignore-rules.ts'],
    hucre: ['tools/documents/sheet-text.ts'],
    imapflow: ['channels/mail/imap-client.ts'],
    linkedom: ['tools/documents/readable-html.ts', 'tools/documents/xml-parts.ts'],
    mammoth: ['tools/documents/word-text.ts'],
    marked: ['web/browser/components/markdown.ts'],
    'node-cron': ['intake/cron-expression.ts'],
    nodemailer: ['channels/mail/smtp-client.ts'],
    'postal-mime': ['tools/documents/mail-text.ts', 'channels/mail/parse-mail.ts'],
    preact: ['web/'],
    re2js: ['schema/pattern.ts'],
    turndown: ['tools/documents/readable-html.ts'],
    uplot: ['web/'],
    unbash: ['guard/classify/'],
    unpdf: ['tools/documents/pdf-text.ts'],
    yaml: ['schema/front-matter.ts'],
    zod: ['schema/', 'graphs/', 'tools/builtin/', 'tools/mcp/', 'models/', 'web/'],
  },
  longest: 80,
  computed: 'web/browser/page-data.ts',
};

const sentences: Record<Rule, string> = {
  floors: 'a file imports its own folder or a lower floor, and nothing outside src',
  rooms: 'a room of daemon/ imports no other one, except where the list says that it still does',
  cycles: 'no file imports itself by way of others, not even its types',
  barrels: 'no file exists only to pass on what others export',
  pure: 'schema, engine, roles and graphs touch no fs, network, clock, randomness or environment',
  environment: 'process.env is read in kit/settings.ts only',
  doors: 'each npm package has one door',
  longest: 'no function has more than 80 lines',
};

/** What is told of each fixture tree; a file in it is one way to break the rule that the tree is named after. */
const told: Record<Rule, string[]> = {
  floors: [
    `helpers/text.ts is on no floor: move it into one of ${RULES.floors.flat().join(', ')}`,
    `main.ts is on no floor: move it into one of ${RULES.floors.flat().join(', ')}`,
    'cli/outside.ts:1 imports ../../package.json, outside src: move what it needs into src',
    ...['engine/neighbour-type-inline.ts:2', 'engine/neighbour-type.ts:1', 'engine/neighbour.ts:1'].map(
      (at) => `${at} imports ledger/append.ts, a neighbour: let the two meet in daemon/wire.ts through a port`,
    ),
    'schema/upward.ts:1 imports ledger/append.ts, a floor above: move what both need down, or take it as a port',
    'tools/computed.ts:1 imports a computed path: write it out, so that its floor can be seen',
    'tools/upward-dynamic.ts:2 imports daemon/wire.ts, a floor above: move what both need down, or take it as a port',
    'web/neighbour-reexport.ts:1 imports cli/main.ts, a floor above: move what both need down, or take it as a port',
  ],
  rooms: [
    'daemon/chat/open.ts:1 imports daemon/agents/list.ts, another room: move what both need into kit/, or take it as a port',
  ],
  cycles: [
    ['ledger/a.ts', 'ledger/b.ts', 'ledger/c.ts', 'ledger/a.ts'],
    ['tools/by-type.ts', 'tools/of-type.ts', 'tools/by-type.ts'],
    ['tools/left.ts', 'tools/right.ts', 'tools/middle.ts', 'tools/left.ts'],
  ].map((circle) => {
    return `${circle[0]} is in a cycle, ${circle.join(' → ')}: move what they share into a file of its own`;
  }),
  barrels: [
    'ledger/all.ts only passes on what other files export: delete it and import from those',
    'ledger/by-hand.ts only passes on what other files export: delete it and import from those',
    'ledger/index.ts is an index: name the file after what it holds',
    'ledger/types.ts only passes on what other files export: delete it and import from those',
  ],
  pure: [
    'engine/chance.ts:1 imports node:crypto',
    'engine/chance.ts:3 uses Math.random',
    'engine/chance.ts:4 uses crypto',
    'engine/later.ts:1 uses setTimeout',
    'engine/later.ts:2 uses setImmediate',
    'engine/later.ts:3 uses AbortSignal.timeout',
    'graphs/load.ts:2 imports node:fs/promises',
    'roles/ask.ts:1 uses fetch',
    'roles/machine.ts:1 uses process',
    'roles/machine.ts:2 uses globalThis',
    'schema/files.ts:1 imports fs',
    'schema/files.ts:2 imports node:net',
    'schema/now.ts:1 uses Date.now',
    'schema/now.ts:2 uses new Date()',
    'schema/now.ts:3 uses Date()',
    'schema/now.ts:4 uses performance',
  ].map((what) => `${what} in a pure folder: take what it gives as an argument or through a port`),
  environment: [
    'cli/imported.ts:1',
    'cli/taken.ts:1',
    'tools/read.ts:1',
    'tools/read.ts:2',
    'tools/read.ts:3',
    'web/settings.ts:1',
  ].map((at) => `${at} reads process.env: read it in kit/settings.ts and pass it on`),
  doors: [
    'intake/lazy.ts:2 imports chokidar past its door: go through intake/watch-inbox.ts',
    'tools/input.ts:1 imports zod past its door: go through schema/ or graphs/ or tools/builtin/ or tools/mcp/ or models/ or web/',
    'tools/result.ts:1 imports execa past its door: go through tools/launch.ts',
    'tools/shell.ts:1 imports execa past its door: go through tools/launch.ts',
    'web/app.ts:1 imports @fastify/static, which has no door: give it one in test/floors.test.ts',
    'web/app.ts:3 imports fastify, which has no door: give it one in test/floors.test.ts',
  ],
  longest: ['ledger/long.ts:2', 'ledger/long.ts:84', 'ledger/long.ts:167'].map(
    (at) => `${at} is a function of 81 lines: split it, so that none has more than 80`,
  ),
};

/** The rooms of fixtures have met nobody before. */
const NO_MEETINGS: Rules = { ...RULES, rooms: { folder: 'daemon', meetings: [] } };

const inSource = violationsIn(join(import.meta.dirname, '../src'));

describe.each(Object.keys(sentences) as Rule[])('%s', (rule) => {
  it(sentences[rule], () => {
    expect(inSource.filter((each) => each.rule === rule).map(lineOf)).toEqual([]);
  });

  it('a breach is told with its place and its remedy, and as a breach of this rule only', () => {
    const found = violationsIn(fixture(rule), NO_MEETINGS);
    expect(found.map(lineOf)).toEqual(told[rule]);
    expect(found.filter((each) => each.rule !== rule)).toEqual([]);
  });
});

it('nothing is told of a tree that keeps the rules, however close it comes', () => {
  expect(violationsIn(fixture('kept'), NO_MEETINGS)).toEqual([]);
});

it('a pair of rooms that meet no more is told, so that the list gets shorter', () => {
  const found = violationsIn(fixture('rooms'), {
    ...RULES,
    rooms: { folder: 'daemon', meetings: ['chat → agents', 'chat → desk'] },
  });
  expect(found.map(lineOf)).toEqual(['chat → desk meet no more: take the pair off the list of meetings']);
});

function violationsIn(src: string, rules = RULES): Violation[] {
  const files = readdirSync(src, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return violationsOf(
    Object.fromEntries(paths.map((path) => [relative(src, path), readFileSync(path, 'utf8')])),
    rules,
  );
}

function fixture(name: string): string {
  return join(import.meta.dirname, 'fixture/floors', name, 'src');
}

function lineOf({ at, says }: Violation): string {
  return `${at} ${says}`;
}
