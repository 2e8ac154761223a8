/** One addition is one file and one line: each example of the comments is put into a copy of the source, as a person would, and used. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Example, exampleModule } from '../support/examples.ts';
import { isThorough } from '../support/thorough.ts';

const TOP = join(import.meta.dirname, '../..');

/** Places of an existing file, and what stands there afterwards. */
type Edits = { file: string; at: readonly (readonly [string, string])[] };
type Addition = { file: string; edits: Edits };

const line = (text: string, before: string): readonly [string, string] => [before, `${text}\n${before}`];

const ADDITIONS: Record<Exclude<Example, 'room'>, Addition> = {
  tool: {
    file: 'src/rooms/skills/upper-tool.ts',
    edits: {
      file: 'src/rooms/skills/room.ts',
      at: [
        ["tools: ['skill.use', 'skill.read'],", "tools: ['skill.use', 'skill.read', 'text.upper'],"],
        [
          'tools: skillTextTools(opened.use)',
          "tools: [...skillTextTools(opened.use), (await import('./upper-tool.ts')).upperTool]",
        ],
      ],
    },
  },
  node: {
    file: 'src/rooms/graphs/kinds/upper.ts',
    edits: {
      file: 'src/rooms/graphs/room.ts',
      at: [['return [ask, ', "return [(await import('./kinds/upper.ts')).upperNode, ask, "]],
    },
  },
  channel: {
    file: 'src/rooms/channels/bell/bell-channel.ts',
    edits: {
      file: 'src/rooms/channels/channel-kinds.ts',
      at: [
        line(
          "import { bell } from './bell/bell-channel.ts';",
          "import { command } from './command/command-channel.ts';",
        ),
        line('  bell,', '  desktop,\n];'),
      ],
    },
  },
  page: {
    file: 'src/rooms/records/clock-page.ts',
    edits: {
      file: 'src/app/web/pages.ts',
      at: [
        line("import { clockPage } from '../../rooms/records/clock-page.ts';", 'import { comparePage }'),
        line('  clockPage,', '  designPage,\n];'),
      ],
    },
  },
  // docs/COMMANDS.md and the index are written by `npm run docs`; the index is what a command needs to be found.
  command: {
    file: 'src/rooms/records/commands/where-commands.ts',
    edits: {
      file: 'src/app/cli/command-index.ts',
      at: [
        line(
          "const where = () => import('../../rooms/records/commands/where-commands.ts');",
          "const verify = () => import('../../rooms/records/commands/verify-commands.ts');",
        ),
        line("      'home where': ['Print the folder of oka', where],", "      'model list': ["),
      ],
    },
  },
  provider: {
    file: 'src/kit/models/parrot.ts',
    edits: {
      file: 'src/kit/models/room.ts',
      at: [
        [
          "(await import('./built-in-providers.ts')).builtInProviders,",
          "[...(await import('./built-in-providers.ts')).builtInProviders, (await import('./parrot.ts')).parrot],",
        ],
      ],
    },
  },
  reader: {
    file: 'src/kit/documents/notebook-text.ts',
    edits: {
      file: 'src/kit/documents/document-kinds.ts',
      at: [
        line(
          "import { notebook } from './notebook-text.ts';",
          "import type { OfficeArchive } from './office-archive.ts';",
        ),
        ['documentKinds: readonly DocumentKind[] = [', 'documentKinds: readonly DocumentKind[] = [\n  notebook,'],
      ],
    },
  },
};

// below the source, whose packages it uses: the process that reads documents follows no link to them
mkdirSync(join(TOP, 'test-artifacts'), { recursive: true });
const folder = mkdtempSync(join(TOP, 'test-artifacts/additions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const copy = join(folder, 'copy');
const home = join(folder, 'home');

for (const part of ['src', 'share', 'bin', 'package.json', 'test/support/web-client.ts'])
  cpSync(join(TOP, part), join(copy, part), { recursive: true });
symlinkSync(join(TOP, 'native'), join(copy, 'native'));
for (const [example, { file, edits }] of Object.entries(ADDITIONS)) {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), exampleModule(file, [example as Example]));
  let text = readFileSync(join(copy, edits.file), 'utf8');
  for (const [place, becomes] of edits.at) {
    expect(text.split(place), `${edits.file}: ${place}`).toHaveLength(2);
    text = text.replace(place, becomes);
  }
  writeFileSync(join(copy, edits.file), text);
}

function run(argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', cwd: copy });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}
const oka = (...words: string[]): string => run([join(copy, 'bin/oka'), ...words, '--dir', home]);
beforeAll(() => void oka('init'));

it.runIf(isThorough)('a tool and a node kind, in a graph that people write', () => {
  const graph = join(folder, 'graph.json');
  const node = { kind: 'upper', id: 'only', text: 'quiet', timeout_seconds: 5, max_retries: 0 };
  writeFileSync(graph, JSON.stringify({ id: 'loud', nodes: [node] }));
  oka('graph', 'run', graph, '--id', 'r1');
  expect(oka('log', '--run', 'r1', '--json')).toContain('QUIET');
});

it.runIf(isThorough)('a channel: offered, written to channels.json, and used', () => {
  expect(run([join(copy, 'bin/oka'), 'channels', 'add', '--help'])).toContain('bell');
  oka('channels', 'add', 'ding', '--kind', 'bell');
  expect(oka('channels', 'list')).toContain('this terminal');
  oka('channels', 'test', 'ding');
  expect(oka('doctor')).toMatch(/channels\s+ding/);
});

it('a command', () => {
  expect(oka('home', 'where')).toContain(home);
  expect(run([join(copy, 'bin/oka'), 'help', 'all'])).toContain('Print the folder of oka');
});

it.runIf(isThorough)('a provider of models, which is asked before it is used', () => {
  oka('model', 'use', 'parrot:polly');
  expect(oka('model', 'list')).toContain('parrot:polly');
});

it('a document reader, in its process', () => {
  const file = join(folder, 'analysis.ipynb');
  writeFileSync(file, '{"cells": []}');
  expect(JSON.parse(run([join(copy, 'bin/oka'), 'read', file, '--json']))).toMatchObject({
    format: 'ipynb',
    text: '{"cells": []}',
  });
});

it.runIf(isThorough)('a page: in the document, with its data and a view that needs no code', () => {
  const asked = `
    import { openWebClient } from './test/support/web-client.ts';
    import { homeAt } from './src/kit/settings.ts';
    const client = await openWebClient({ home: homeAt(process.argv[1]) });
    const [page, data] = [await client.get('/clock'), await client.get('/api/v1/clock')];
    const [, view] = /"name":"clock".*?"view":"([^"]+)"/.exec(page.text) ?? [];
    const shown = await client.get(view ?? '');
    console.log(JSON.stringify({ page: page.status, data: JSON.parse(data.text), view: [view, shown.status] }));
    await client.close();
  `;
  const script = run(['--input-type=module-typescript', '--eval', asked, home]);
  expect(JSON.parse(script)).toEqual({
    page: 200,
    data: { now: expect.any(String) },
    view: [expect.stringContaining('data-view'), 200],
  });
});

it('each of them is one file and one place that exists', () => {
  for (const { file, edits } of Object.values(ADDITIONS)) {
    expect(existsSync(join(TOP, file)), `${file} is new`).toBe(false);
    expect(existsSync(join(TOP, edits.file))).toBe(true);
  }
});
