import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Rule, type Rules, type Violation, violationsOf } from './support/floors.ts';
import { silentCatches } from './support/silent-catches.ts';

const RULES: Rules = {
  floors: [['core/schema'], ['core/ledger', 'core/engine', 'core/guard'], ['core/chain'], ['kit'], ['rooms'], ['app']],
  pure: {
    folders: ['core/schema', 'core/engine', 'kit/task', 'rooms/task/roles', 'rooms/graphs/kinds'],
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
  strangers: ['rooms'],
  environment: 'kit/settings.ts',
  doors: {
    '@ai-sdk/anthropic': ['kit/models/'],
    '@ai-sdk/openai': ['kit/models/'],
    '@ai-sdk/openai-compatible': ['kit/models/'],
    '@hono/node-server': ['app/web/web-server.ts'],
    '@lancedb/lancedb': ['rooms/memory/embedding/vector-table.ts'],
    '@mozilla/readability': ['kit/documents/readable-html.ts'],
    '@nats-io/jetstream': ['rooms/fleet/servers/'],
    '@nats-io/kv': ['rooms/fleet/servers/'],
    '@nats-io/nats-core': ['rooms/fleet/servers/'],
    '@nats-io/obj': ['rooms/fleet/servers/'],
    '@nats-io/transport-node': ['rooms/fleet/servers/'],
    '@preact/signals': ['*/browser/'],
    '@xenova/transformers': ['rooms/memory/embedding/embedding-model.ts'],
    'age-encryption': ['kit/vault/open-vault.ts'],
    ai: ['kit/models/'],
    'apache-arrow': ['rooms/memory/embedding/vector-table.ts'],
    chokidar: ['kit/inbox/watch-inbox.ts'],
    convex: ['rooms/replica/copy/convex.ts'],
    'es-module-lexer': ['rooms/context/outline/module-names.ts'],
    dompurify: ['kit/web/browser/components/markdown.ts'],
    execa: ['kit/sandbox/launch.ts'],
    '@modelcontextprotocol/client': ['rooms/mcp/client/'],
    '@modelcontextprotocol/server': ['app/assistant/assistant-server.ts'],
    fflate: ['kit/documents/office-archive.ts'],
    'gpt-tokenizer': ['kit/text/count-pieces.ts'],
    'gray-matter': ['core/schema/front-matter.ts'],
    diff: ['rooms/runs/run-page/'],
    hono: ['kit/web/', 'app/web/', 'rooms/chat/page/typing-route.ts'],
    htm: ['kit/web/browser/html.ts'],
    'ical.js': ['rooms/accounts/calendar/expand-events.ts', 'rooms/accounts/calendar/edit-event.ts'],
    ignore: ['rooms/context/scan/ignore-rules.ts'],
    hucre: ['kit/documents/sheet-text.ts'],
    imapflow: ['kit/mail/imap-connection.ts'],
    linkedom: ['kit/documents/readable-html.ts', 'kit/documents/xml-parts.ts'],
    mammoth: ['kit/documents/word-text.ts'],
    marked: ['kit/web/browser/components/markdown.ts'],
    'node-cron': ['kit/schedule/cron-expression.ts'],
    nodemailer: ['kit/mail/smtp-client.ts'],
    'playwright-core': ['rooms/browsing/'],
    'postal-mime': ['kit/documents/mail-text.ts', 'kit/mail/parse-mail.ts'],
    preact: ['*/browser/'],
    re2js: ['core/schema/pattern.ts'],
    tsdav: ['rooms/accounts/calendar/caldav-client.ts'],
    turndown: ['kit/documents/readable-html.ts'],
    uplot: ['*/browser/'],
    unbash: ['core/guard/classify/'],
    unpdf: ['kit/documents/pdf-text.ts'],
    yaml: ['core/schema/front-matter.ts'],
    zod: [
      'core/schema/',
      'kit/define-tool.ts',
      'kit/models/',
      'kit/skills/',
      'kit/text/',
      'kit/web/',
      'rooms/',
      'app/',
    ],
  },
  longest: 80,
  computed: 'kit/web/browser/page-data.ts',
};

const sentences: Record<Rule, string> = {
  floors: 'a file imports its own folder or a lower floor, and nothing outside src',
  rooms: 'a room imports core, kit and itself',
  cycles: 'no file imports itself by way of others, not even its types',
  barrels: 'no file exists only to pass on what others export',
  pure: 'schema, engine, the text of roles and the kinds of nodes touch no fs, network, clock, randomness or environment',
  environment: 'process.env is read in kit/settings.ts only',
  doors: 'each npm package has one door',
  longest: 'no function has more than 80 lines',
};

/** What is told of each fixture tree; a file in it is one way to break the rule that the tree is named after. */
const told: Record<Rule, string[]> = {
  floors: [
    `helpers/text.ts is on no floor: move it into one of ${RULES.floors.flat().join(', ')}`,
    `main.ts is on no floor: move it into one of ${RULES.floors.flat().join(', ')}`,
    'app/cli/outside.ts:1 imports ../../../package.json, outside src: move what it needs into src',
    ...['core/engine/neighbour-type-inline.ts:2', 'core/engine/neighbour-type.ts:1', 'core/engine/neighbour.ts:1'].map(
      (at) => `${at} imports core/ledger/append.ts, a neighbour: let the two meet in app/ through a port`,
    ),
    'core/schema/upward.ts:1 imports core/ledger/append.ts, a floor above: move what both need down, or take it as a port',
    'kit/sandbox/computed.ts:1 imports a computed path: write it out, so that its floor can be seen',
    'kit/sandbox/upward-dynamic.ts:2 imports app/wire.ts, a floor above: move what both need down, or take it as a port',
    'kit/web/neighbour-reexport.ts:1 imports app/cli/main.ts, a floor above: move what both need down, or take it as a port',
  ],
  rooms: [
    'rooms/chat/open.ts:1 imports rooms/agents/list.ts, another room: move what both need into kit/, or take it as a port',
  ],
  cycles: [
    ['core/ledger/a.ts', 'core/ledger/b.ts', 'core/ledger/c.ts', 'core/ledger/a.ts'],
    ['kit/sandbox/by-type.ts', 'kit/sandbox/of-type.ts', 'kit/sandbox/by-type.ts'],
    ['kit/sandbox/left.ts', 'kit/sandbox/right.ts', 'kit/sandbox/middle.ts', 'kit/sandbox/left.ts'],
  ].map((circle) => {
    return `${circle[0]} is in a cycle, ${circle.join(' → ')}: move what they share into a file of its own`;
  }),
  barrels: [
    'core/ledger/all.ts only passes on what other files export: delete it and import from those',
    'core/ledger/by-hand.ts only passes on what other files export: delete it and import from those',
    'core/ledger/index.ts is an index: name the file after what it holds',
    'core/ledger/types.ts only passes on what other files export: delete it and import from those',
  ],
  pure: [
    'core/engine/chance.ts:1 imports node:crypto',
    'core/engine/chance.ts:3 uses Math.random',
    'core/engine/chance.ts:4 uses crypto',
    'core/engine/later.ts:1 uses setTimeout',
    'core/engine/later.ts:2 uses setImmediate',
    'core/engine/later.ts:3 uses AbortSignal.timeout',
    'core/schema/files.ts:1 imports fs',
    'core/schema/files.ts:2 imports node:net',
    'core/schema/now.ts:1 uses Date.now',
    'core/schema/now.ts:2 uses new Date()',
    'core/schema/now.ts:3 uses Date()',
    'core/schema/now.ts:4 uses performance',
    'rooms/graphs/kinds/load.ts:2 imports node:fs/promises',
    'rooms/task/roles/ask.ts:1 uses fetch',
    'rooms/task/roles/machine.ts:1 uses process',
    'rooms/task/roles/machine.ts:2 uses globalThis',
  ].map((what) => `${what} in a pure folder: take what it gives as an argument or through a port`),
  environment: [
    'app/cli/imported.ts:1',
    'app/cli/taken.ts:1',
    'kit/sandbox/read.ts:1',
    'kit/sandbox/read.ts:2',
    'kit/sandbox/read.ts:3',
    'kit/web/settings.ts:1',
  ].map((at) => `${at} reads process.env: read it in kit/settings.ts and pass it on`),
  doors: [
    'kit/inbox/lazy.ts:2 imports chokidar past its door: go through kit/inbox/watch-inbox.ts',
    'kit/sandbox/input.ts:1 imports zod past its door: go through core/schema/ or kit/define-tool.ts or kit/models/ or kit/skills/ or kit/text/ or kit/web/ or rooms/ or app/',
    'kit/sandbox/result.ts:1 imports execa past its door: go through kit/sandbox/launch.ts',
    'kit/sandbox/shell.ts:1 imports execa past its door: go through kit/sandbox/launch.ts',
    'kit/web/app.ts:1 imports @fastify/static, which has no door: give it one in test/floors.test.ts',
    'kit/web/app.ts:3 imports fastify, which has no door: give it one in test/floors.test.ts',
  ],
  longest: ['core/ledger/long.ts:2', 'core/ledger/long.ts:84', 'core/ledger/long.ts:167'].map(
    (at) => `${at} is a function of 81 lines: split it, so that none has more than 80`,
  ),
};

const inSource = violationsIn(join(import.meta.dirname, '../src'));

describe.each(Object.keys(sentences) as Rule[])('%s', (rule) => {
  it(sentences[rule], () => {
    expect(inSource.filter((each) => each.rule === rule).map(lineOf)).toEqual([]);
  });

  it('a breach is told with its place and its remedy, and as a breach of this rule only', () => {
    const found = violationsIn(fixture(rule));
    expect(found.map(lineOf)).toEqual(told[rule]);
    expect(found.filter((each) => each.rule !== rule)).toEqual([]);
  });
});

it('nothing is told of a tree that keeps the rules, however close it comes', () => {
  expect(violationsIn(fixture('kept'))).toEqual([]);
});

it('a catch says why it looks at no error, or returns what could not be read as a text', () => {
  const top = join(import.meta.dirname, '../src');
  const files = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const silent = files.flatMap((name) =>
    silentCatches(readFileSync(join(top, name), 'utf8')).map(
      (line) => `${name}:${line} says nothing: say why, or return an outcome`,
    ),
  );
  expect(silent).toEqual([]);
});

it('a silent catch is found, and one that says something is not', () => {
  const around = (body: string, about = ''): string => `${about}function read(file: string): string {\n${body}\n}\n`;
  const block = (note: string): string =>
    `  try {\n    return readFileSync(file);\n  } catch {${note}\n    return '';\n  }`;
  expect(silentCatches(around(block('')))).toEqual([4]);
  expect(silentCatches(around('  send(file).catch(() => undefined);'))).toEqual([2]);
  expect(silentCatches(around(block(' // there may be none')))).toEqual([]);
  expect(silentCatches(around(block(''), '/** Empty when there is none. */\n'))).toEqual([]);
  expect(silentCatches(around('  try {\n    return JSON.parse(file);\n  } catch {\n    return null;\n  }'))).toEqual(
    [],
  );
});

function violationsIn(src: string): Violation[] {
  const files = readdirSync(src, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return violationsOf(
    Object.fromEntries(paths.map((path) => [relative(src, path), readFileSync(path, 'utf8')])),
    RULES,
  );
}

function fixture(name: string): string {
  return join(import.meta.dirname, 'fixture/floors', name, 'src');
}

function lineOf({ at, says }: Violation): string {
  return `${at} ${says}`;
}
