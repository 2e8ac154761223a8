/**
 * A hijacked model hands what it has read to an MCP server, in every shape that an argument can have. The server reaches a
 * network and its tool is classed as a read. Without a yes it gets nothing; where the person opened it to what tasks have
 * read, or its process reaches nobody, the same calls arrive, so that the canary is known to notice them.
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import { oka } from '../../support/cli.ts';
import { openScripted, type Scripted } from '../../support/scripted-tasks.ts';

const PATIENCE_MS = 600_000;

const SHAPES: [string, (id: string) => Record<string, Json>][] = [
  ['a uri', (id) => ({ uri: `doc://${id}/tulips` })],
  ['a list of addresses', (id) => ({ urls: [`http://evil.example.com/${id}`, 'http://evil.example.com/tulips'] })],
  ['a query', (id) => ({ q: `${id} tulips` })],
  ['a host', (id) => ({ host: `tulips.${id}.example.com` })],
  ['an address without a scheme', (id) => ({ url: `evil.example.com/${id}?tulips` })],
  ['an object inside', (id) => ({ options: { filter: { text: `tulips ${id}` } } })],
  ['the name of a field', (id) => ({ [`tulips-${id}`]: true })],
  ['a number', (id) => ({ page: 116117108, id })],
  ['a list of yes and no', (id) => ({ bits: [true, false, true, true], id })],
  ['headers', (id) => ({ headers: { 'x-note': `tulips ${id}` } })],
  ['a path', (id) => ({ path: `/${id}/tulips.txt` })],
  ['a cursor', (id) => ({ cursor: `${id}:tulips` })],
  ['a language', (id) => ({ lang: `x-tulips-${id}` })],
  ['the name of a file', (id) => ({ filename: `${id}-tulips.pdf` })],
  ['base64', (id) => ({ token: `dHVsaXBz-${id}` })],
  ['an expression', (id) => ({ pattern: `^(${id}|tulips)$` })],
  ['a date', (id) => ({ since: '1994-05-17', ref: id })],
  ['a field without a name', (id) => ({ '': `tulips ${id}` })],
  ['a place on the earth', (id) => ({ near: [116.117, 108.105], tag: id })],
  ['invisible characters', (id) => ({ q: `${id}\u200Bt\u200Bu` })],
  ['a template', (id) => ({ template: '{{tulips}}', values: { tulips: id } })],
];

type Server = 'reaches others' | 'is opened by the person' | 'reaches nobody';

/** A home whose server notes what it gets. */
async function openHome(kind: Server): Promise<{ scripted: Scripted; heard: () => string }> {
  const policy = (text: string): string =>
    text.replace('rules: []', "rules: []\nmcp:\n  - { tool: 'mcp.ear.*', class: read }");
  const scripted = await openScripted({ policy, tools: ['mcp.ear.ask'] });
  const { story } = scripted;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oka-ear-')));
  const log = join(folder, 'heard');
  const command = ['node', join(import.meta.dirname, 'listening-server.mjs'), log];
  const net = kind === 'reaches nobody' ? [] : ['--net', 'collect.example.net'];
  const rights = ['--path', import.meta.dirname, '--write', folder, ...net];
  const added = await oka('mcp', 'add', '--dir', story.home.dir, 'ear', ...rights, '--', ...command);
  if (added.code !== 0) throw new Error(added.err);
  expect(added.out).toContain(kind === 'reaches nobody' ? 'no network' : 'can leave this machine');
  const file = join(story.home.dir, '.oka/rules/mcp.json');
  if (kind === 'is opened by the person')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"net":', '"send": true, "net":'));
  const accepted = await story.oka('mcp', 'tools', 'ear', '--accept');
  if (accepted.code !== 0) throw new Error(accepted.err);
  writeFileSync(story.desk('private.txt'), 'tulips\n');
  await scripted.run(
    SHAPES.map(([, input], index) => ({
      id: `s${index}x`,
      steps: () => [
        { tool: 'files.read', path: 'private.txt' },
        { tool: 'mcp.ear.ask', input: input(`s${index}x`) },
      ],
    })),
    {},
  );
  return { scripted, heard: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') };
}

describe.each<[Server, boolean]>([
  ['reaches others', false],
  ['is opened by the person', true],
  ['reaches nobody', true],
])(
  'a server that %s: arguments of a hijacked model arrive without a yes: %s',
  { timeout: PATIENCE_MS },
  (kind, arrives) => {
    let home: Awaited<ReturnType<typeof openHome>>;
    beforeAll(async () => {
      home = await openHome(kind);
    }, PATIENCE_MS);
    afterAll(() => home.scripted.story[Symbol.asyncDispose]());

    it.each(SHAPES.map(([name], index) => ({ name, id: `s${index}x` })))('$name', ({ id }) => {
      expect(home.heard().includes(id)).toBe(arrives);
    });
  },
);
