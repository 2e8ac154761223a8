import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { okaWith } from '../../support/cli.ts';
import { openStory } from '../../support/story.ts';

test('a server is added after what will run was shown, listed as waiting, and removed', async () => {
  await using story = await openStory();
  const at = ['--dir', story.home.dir];
  const file = join(story.home.oka, 'rules', 'mcp.json');
  const no = await okaWith({ answers: ['n'] }, 'mcp', 'add', ...at, 'notes', '--', 'node', 'x.js');
  expect(no).toMatchObject({ code: 1 });
  expect(no.out).toMatch(/would run:\s+node x\.js[\s\S]*no files of yours and no network/);
  const yes = await okaWith(
    { answers: ['y'] },
    'mcp',
    'add',
    '--env',
    'KEY=secret:K',
    ...at,
    'notes',
    '--',
    'npx',
    '-y',
    'x',
  );
  expect(yes).toMatchObject({ code: 0 });
  expect(yes.out).toContain('oka tools install node:x');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    mcpServers: { notes: { command: 'npx', args: ['-y', 'x'], env: { KEY: 'secret:K' } } },
  });
  expect((await story.oka('mcp', 'list')).out).toContain('nobody has accepted its tools yet');
  expect(await story.oka('mcp', 'test', 'notes')).toMatchObject({
    code: 1,
    out: expect.stringContaining('the package x is not installed') as string,
  });
  expect(await story.oka('mcp', 'remove', 'notes')).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: {} });
});

test('a name that is taken, an entry without a command and a folder that is never opened are refused', async () => {
  await using story = await openStory();
  const at = ['--dir', story.home.dir];
  const add = (...words: string[]) => okaWith({}, 'mcp', 'add', ...at, ...words);
  expect(await add('Notes', '--', 'node')).toMatchObject({ code: 0 });
  expect(await add('notes', '--', 'node')).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is a server "Notes" already') as string,
  });
  expect(await add('a b', '--', 'node')).toMatchObject({ code: 2 });
  expect(await add('none')).toMatchObject({ code: 2, err: expect.stringContaining('either a command') as string });
  const rules = await add('rules', '--write', story.home.oka, '--', 'node');
  expect(rules).toMatchObject({ code: 3, err: expect.stringContaining('the rules and records of oka') as string });
});

test('an entry that cannot be used costs only itself, and the form of other clients is understood', async () => {
  await using story = await openStory();
  writeFileSync(
    join(story.home.oka, 'rules', 'mcp.json'),
    JSON.stringify({
      mcpServers: {
        good: { type: 'stdio', command: 'node', args: ['x'], autoApprove: ['a'], alwaysAllow: [] },
        off: { command: 'node', disabled: true },
        old: { type: 'sse', url: 'https://example.org/sse' },
        odd: { command: 7 },
        'with space': { command: 'node' },
      },
    }),
  );
  const { out } = await story.oka('mcp', 'list', '--json');
  const { servers, problems } = JSON.parse(out) as { servers: { name: string }[]; problems: { server: string }[] };
  expect(servers.map(({ name }) => name)).toEqual(['good']);
  expect(problems.map(({ server }) => server)).toEqual(['old', 'odd', 'with space']);
  expect(await story.oka('classify', '--tool', 'mcp.good.act')).toMatchObject({
    code: 0,
    out: expect.stringContaining('external_mutation: ask') as string,
  });
});
