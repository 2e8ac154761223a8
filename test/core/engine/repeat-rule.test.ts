import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rooms } from '../../../src/app/rooms.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { type Json, JsonValue } from '../../../src/core/schema/json.ts';
import type { Author, Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { detachedTools } from '../../../src/kit/house/room-contributions.ts';
import { classifierOf } from '../../../src/kit/policy/classifier.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { classWith, judgeWith } from '../../../src/kit/sandbox/sandbox.ts';
import { describeEvent } from '../../../src/kit/views/event-sentence.ts';
import { explainRun } from '../../../src/kit/views/explanation.ts';
import { foldCalls } from '../../../src/kit/views/run-calls.ts';
import { httpTools } from '../../../src/rooms/desk/tools/http.ts';
import { shellTool } from '../../../src/rooms/desk/tools/shell.ts';
import { dataOf, engineWith, graphOf, memoryArtifacts, type Seen } from '../../support/engine-fakes.ts';

const folder = mkdtempSync(join(tmpdir(), 'oka-repeat-'));
const home = homeAt(folder);
const desk = join(home.workspace, 'desk');
let received: string[] = [];
const server = createServer((request, response) => {
  received.push(`${request.method} ${request.url}`);
  const status = Number(request.url?.slice(1)) || 0;
  if (status === 0) request.socket.destroy();
  else response.writeHead(status).end('no');
});
beforeAll(async () => {
  mkdirSync(desk, { recursive: true });
  mkdirSync(dirname(home.policy), { recursive: true });
  writeFileSync(home.config, JSON.stringify({ search: { provider: 'searxng', url: 'http://127.0.0.1:1' } }));
  copyFileSync(join(import.meta.dirname, '../../../share/home/rules/POLICY.md'), home.policy);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
const address = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

async function ran(tools: readonly Tool[], tool: string, input: Json, rest: object = {}, author: Author = 'operator') {
  const seen: Seen = engineWith({
    tools,
    middleware: standardChain({
      tools,
      clock: () => seen.time.now,
      sleep: async () => undefined,
      judge: () => ({ effect: 'allow', why: '' }),
    }),
  });
  const nodes = [
    { kind: 'tool', id: 'a', tool, input, ...(Object.keys(rest).length === 0 ? { max_retries: 2 } : rest) },
  ];
  const end = await (await seen.engine.start(graphOf(nodes, { author }), { id: 'r' })).done;
  return { ...seen, end };
}

/** Every tool of a home with an input of each kind that it treats differently, and how it may be repeated. */
const REPEATED: Readonly<Record<string, readonly [Json, 'read' | 'idempotent' | 'once'][]>> = {
  shell: [
    [{ line: 'wc -l a.txt' }, 'read'],
    [{ line: 'echo x >> a.txt' }, 'once'],
    [{ line: 'curl -X POST https://a.example/' }, 'once'],
  ],
  'files.write': [
    [{ path: 'a', content: 'x' }, 'idempotent'],
    [{ path: 'a', content: 'x', append: true }, 'once'],
  ],
  'files.remove': [
    [{ path: 'a' }, 'once'],
    [{ path: 'a', missing_ok: true }, 'idempotent'],
  ],
  'http.request': [[{ method: 'POST', url: 'https://a.example/' }, 'once']],
};

const FAILURES: Readonly<Record<string, () => Outcome | Promise<Outcome>>> = {
  'for a time': () => ({ status: 'failed', error: 'no', temporary: true }),
  'for an unknown reason': () => ({ status: 'failed', error: 'no' }),
  'for good': () => ({ status: 'failed', error: 'no', temporary: false }),
  'with an exit status': () => ({ status: 'failed', error: 'exit 1', temporary: false, isAnswer: true }),
  'by running out of time': () => new Promise<Outcome>(() => undefined),
  'by a throw': () => {
    throw new Error('no');
  },
};

describe('every tool of a home, with every kind of failure', () => {
  it('what may change something acts once, unless its tool says that it is idempotent; nothing is repeated for good', async () => {
    const place = { home, desk, artifacts: memoryArtifacts(), purpose: 'simulation' as const };
    const classify = classifierOf(home);
    const all = (await detachedTools(place, rooms)).map((tool) =>
      tool.name === 'shell'
        ? shellTool({ desk, env: {}, classify: classWith(classify, desk), judge: judgeWith(classify, desk) })
        : tool,
    );
    expect(all.length, 'tools').toBeGreaterThanOrEqual(40);
    const wrong: string[] = [];
    for (const tool of all)
      for (const [input, kind] of REPEATED[tool.name] ?? [[{}, kindOf(tool)] as const])
        for (const author of ['operator', 'model'] as const)
          for (const [name, fail] of Object.entries(FAILURES)) {
            let acted = 0;
            const failing: Tool = {
              ...tool,
              input: JsonValue,
              output: JsonValue,
              invoke: async () => ((acted += 1), fail()),
            };
            const limit = name === 'by running out of time' ? { timeout_seconds: 0.005, max_retries: 2 } : {};
            await ran([failing], tool.name, input, limit, author);
            const mayPass = !['for good', 'with an exit status'].includes(name);
            const expected = kind !== 'once' && mayPass ? 3 : 1;
            if (acted !== expected)
              wrong.push(`${tool.name} ${JSON.stringify(input)} ${author}, failed ${name}: ${acted}`);
          }
    expect(wrong).toEqual([]);
  });
});

function kindOf(tool: Tool): 'read' | 'idempotent' | 'once' {
  const effect = tool.classOf({}, 'operator');
  if (effect === 'read') return 'read';
  return effect === 'write_local' && tool.annotations.idempotent && tool.idempotent === undefined
    ? 'idempotent'
    : 'once';
}

describe('real commands and requests, counted outside', () => {
  const real = (): Tool[] => {
    const classify = classifierOf(home);
    const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
    return [
      shellTool({ desk, env, classify: classWith(classify, desk), judge: judgeWith(classify, desk) }),
      ...httpTools({ artifacts: memoryArtifacts(), allowHost: () => true }),
    ];
  };

  it.each<[string, string]>([
    ['another status', 'echo ran >> log.txt; false'],
    ['a search that finds nothing', 'echo ran >> log.txt; grep -c ERROR log.txt'],
    ['a program that is not there', 'echo ran >> log.txt; no-such-program'],
    ['a signal', 'echo ran >> log.txt; kill -9 $$'],
  ])('a command that ends with %s was executed once', async (_, line) => {
    for (const author of ['operator', 'model'] as const)
      for (const rest of [{}, { retry: { times: 2, on: ['exit'] } }, { on_error: 'retry' }]) {
        rmSync(join(desk, 'log.txt'), { force: true });
        await ran(real(), 'shell', { line }, rest, author);
        expect(readFileSync(join(desk, 'log.txt'), 'utf8')).toBe('ran\n');
      }
  });

  it('a command that sends something and fails is judged by its words, and sent once, whatever its rights are', async () => {
    received = [];
    const line = `curl -sS -X POST ${address('/200')}; false`;
    const { events, end } = await ran(real(), 'shell', { line, net: true });
    expect(end).toMatchObject({ status: 'failed' });
    expect(received).toEqual(['POST /200']);
    expect(dataOf(events, 'call.started')).toMatchObject([{ class: 'write_local', judged: 'external_mutation' }]);
    for (const shown of [explainRun(events).actions, foldCalls(events)])
      expect(shown).toMatchObject([{ class: 'external_mutation' }]);
  });

  it('a read is repeated where its node names the failure, and its events say so', async () => {
    received = [];
    const line = `curl -sSf ${address('/503')}`;
    const { events } = await ran(real(), 'shell', { line, net: true }, { retry: { times: 2, on: ['503'] } });
    expect(received).toHaveLength(3);
    expect(dataOf(events, 'call.started').map(({ judged, repeats }) => [judged, repeats])).toEqual([
      ['read', undefined],
      ['read', true],
      ['read', true],
    ]);
    const said = events.filter(({ type }) => type === 'call.started').map((event) => describeEvent(event));
    expect(said).toEqual(['a calls shell (read)', 'a repeats shell (read)', 'a repeats shell (read)']);
    expect(explainRun(events).actions.map(({ repeats }) => repeats === true)).toEqual([false, true, true]);
    received = [];
    await ran(real(), 'shell', { line, net: true });
    expect(received).toHaveLength(1);
  });

  it.each<[string, string, number]>([
    ['http.get', '/500', 3],
    ['http.get', '/429', 3],
    ['http.get', '/404', 1],
    ['http.get', '/cut', 3],
    ['http.request', '/500', 1],
    ['http.request', '/429', 1],
    ['http.request', '/404', 1],
    ['http.request', '/cut', 1],
  ])('%s answered by %s arrives %i times', async (tool, path, times) => {
    received = [];
    const input = { url: address(path), ...(tool === 'http.request' ? { method: 'POST', body: 'x' } : {}) };
    await ran(real(), tool, input);
    expect(received).toHaveLength(times);
  });

  it('a step that ended well and whose acceptance is not met is not done again', async () => {
    rmSync(join(desk, 'log.txt'), { force: true });
    const check: Tool = {
      ...real()[0]!,
      name: 'step.check',
      input: JsonValue,
      output: JsonValue,
      classOf: () => 'read',
      invoke: async () => ({ status: 'ok', output: { holds: false, reason: 'no' } }),
    };
    appendFileSync(join(desk, 'log.txt'), '');
    await ran(
      [...real(), check],
      'shell',
      { line: 'echo ran >> log.txt' },
      { max_retries: 2, acceptance: ['file: x'] },
    );
    expect(readFileSync(join(desk, 'log.txt'), 'utf8')).toBe('ran\n');
  });
});
