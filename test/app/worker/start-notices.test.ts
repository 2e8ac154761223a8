import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import { connectionProblem, reportAtStart } from '../../../src/app/worker/worker.ts';
import type { Goal } from '../../../src/core/ledger/goal.ts';
import type { Models } from '../../../src/kit/models/role-models.ts';
import { temporaryFolder } from '../../support/cli.ts';

/** An address where something listens, and, once it is disposed of, nothing does. */
async function listening() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

const modelAt = (baseUrl: string): Models => ({ for: () => null, called: () => ({ baseUrl }) as never });

it('a model that nothing answers for is named once; one that is there, and none at all, are not', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const graph = { goals: [], ended: [] };
  const server = await listening();
  expect(await connectionProblem(new URL(server.url))).toBeNull();
  reportAtStart(home, graph as never, modelAt(server.url), log);
  reportAtStart(home, graph as never, { for: () => null, called: () => null }, log);
  await server[Symbol.asyncDispose]();
  reportAtStart(home, graph as never, modelAt(server.url), log);
  await expect.poll(() => lines).toHaveLength(1);
  expect(lines[0]).toContain(`the model is not reachable: nothing answers at ${server.url} (ECONNREFUSED)`);
});

it('files that were not accepted and questions that are open are named when the worker starts', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const rejected = join(home.workspace, 'inbox/rejected');
  mkdirSync(rejected, { recursive: true });
  for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) {
    writeFileSync(join(rejected, name), 'x');
    writeFileSync(join(rejected, `${name}.reason.md`), `# ${name}\n\nline 2: no such field\n`);
  }
  const lines: string[] = [];
  const goals = [{ waits: [{ for: { kind: 'approval' } }, { for: { kind: 'child' } }] }] as unknown as Goal[];
  reportAtStart(home, { goals } as never, { for: () => null, called: () => null }, (line) => void lines.push(line));
  expect(lines).toEqual([
    'not accepted before: a.md: line 2: no such field',
    'not accepted before: b.md: line 2: no such field',
    'not accepted before: c.md: line 2: no such field',
    'not accepted before: 1 more; oka status lists them',
    'one question waits for you: oka status',
  ]);
});
