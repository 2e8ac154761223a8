import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readVersions } from '../../../src/kit/graphs/stored-versions.ts';
import { type Host, withHost } from '../../../src/kit/house/host.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { answerOf, startedRun } from '../../../src/core/schema/room.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const graphOf = (path: string): object => ({
  id: 'report',
  nodes: [{ kind: 'tool', id: 'look', tool: 'files.list', input: { path }, ...bounds }],
});
const textOf = (graph: object): string => `${JSON.stringify(graph, null, 2)}\n`;

describe('saving a graph that a person has edited elsewhere', () => {
  it('writes the file, and saves what was there before and what is there now as versions', async () => {
    using folder = temporaryFolder();
    const file = await makeHome(folder.dir);
    const [first, second] = [textOf(graphOf('a')), textOf(graphOf('b'))];
    await inHost(folder.dir, async ({ handle }) => {
      expect(await write(handle, first, null)).toMatchObject({ graph: 'report' });
      expect(readFileSync(file, 'utf8')).toBe(first);
      expect(await write(handle, second, hash('sha256', first))).toMatchObject({ graph: 'report' });
    });
    expect(readFileSync(file, 'utf8')).toBe(second);
    const versions = await readVersions(homeAt(folder.dir), 'report');
    expect(versions.map(({ cause }) => cause)).toEqual(['created', 'edited']);
  });

  it('refuses a text that replaces another one than the person has read, and leaves the file', async () => {
    using folder = temporaryFolder();
    const file = await makeHome(folder.dir);
    const own = textOf(graphOf('by hand'));
    writeFileSync(file, own);
    await inHost(folder.dir, async ({ handle }) => {
      await expect(write(handle, textOf(graphOf('b')), null)).rejects.toThrow('there is a graph report already');
      const stale = hash('sha256', textOf(graphOf('a')));
      await expect(write(handle, textOf(graphOf('b')), stale)).rejects.toThrow('was changed meanwhile');
    });
    expect(readFileSync(file, 'utf8')).toBe(own);
  });

  it('refuses what makes the graph worse, with each new problem and its place', async () => {
    using folder = temporaryFolder();
    const file = await makeHome(folder.dir);
    await inHost(folder.dir, async ({ handle }) => {
      const text = textOf({ ...graphOf('a'), edges: [{ from: 'look', to: 'nowhere' }] });
      await expect(write(handle, text, null)).rejects.toThrow(/edges\.0.*nowhere/s);
      await expect(write(handle, '{ not JSON', null)).rejects.toThrow('is not JSON');
      await expect(write(handle, textOf({ ...graphOf('a'), id: 'other' }), null)).rejects.toThrow(
        'the id in the graph',
      );
    });
    expect(existsSync(file)).toBe(false);
  });

  it('lets a file that is not even JSON be corrected', async () => {
    using folder = temporaryFolder();
    const file = await makeHome(folder.dir);
    writeFileSync(file, '{ "id": "report", ');
    const text = textOf(graphOf('a'));
    await inHost(folder.dir, async ({ handle }) => {
      await write(handle, text, hash('sha256', '{ "id": "report", '));
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('a request to run a graph', () => {
  it('starts it with the given input, once for a name', async () => {
    using folder = temporaryFolder();
    const file = await makeHome(folder.dir);
    writeFileSync(file, textOf(graphOf('{{input.where}}')));
    mkdirSync(join(folder.dir, 'workspace/desk/here'), { recursive: true });
    const request: Intake = { kind: 'run_graph', id: 'first', graph: 'report', input: { where: 'here' } };
    await inHost(folder.dir, async ({ handle, engine }) => {
      await startedRun(await handle(request))?.done;
      expect(await engine.stateOf('first')).toMatchObject({ status: 'done' });
      await expect(handle(request)).rejects.toThrow('there is a run "first" already');
      await expect(handle({ ...request, id: 'second', graph: 'package.json' })).rejects.toThrow();
    });
    const [version] = await readVersions(homeAt(folder.dir), 'report');
    expect(version).toMatchObject({ cause: 'run' });
  });
});

async function makeHome(dir: string): Promise<string> {
  await oka('init', '--dir', dir);
  mkdirSync(join(dir, 'workspace/graphs'), { recursive: true });
  return join(dir, 'workspace/graphs/report.json');
}

const inHost = (dir: string, work: (host: Host) => Promise<void>): Promise<void> =>
  withHost(homeAt(dir), new AbortController().signal, work);

async function write(handle: Host['handle'], text: string, replaces: string | null): Promise<Json> {
  return answerOf(await handle({ kind: 'write_graph', graph: 'report', text, replaces }));
}
