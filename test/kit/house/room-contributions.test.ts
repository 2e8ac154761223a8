import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { detachedTools, knownToolNames } from '../../../src/kit/house/room-contributions.ts';
import { openArtifacts } from '../../../src/core/ledger/artifact-store.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';
import { open, ran } from '../../support/deps.ts';
import { ports } from '../../../src/kit/ports/room-ports.ts';
import { Graph } from '../../../src/core/schema/graph.ts';
import { toolsListing } from '../../../src/core/schema/tool-listing.ts';

const graphWith = (tool: string): Graph =>
  Graph.parse({
    id: 'g',
    nodes: [{ kind: 'tool', id: 'a', tool, input: { nonsense: true }, max_retries: 0, timeout_seconds: 5 }],
  });

/** What has tools only where somebody has set it up. */
const EVERYTHING = { search: { provider: 'searxng', url: 'http://127.0.0.1:1' }, browser: { on: true } };

describe('names of tools', () => {
  it('are those that the engine has: each can be called, and one it does not have cannot', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    writeFileSync(home.config, JSON.stringify(EVERYTHING));
    const names = await knownToolNames();
    expect(names).toEqual(expect.arrayContaining(['shell', 'deps.install', 'memory.search', 'model.complete']));
    await open(home, async (host) => {
      const runs = await Promise.all(names.map((tool, at) => ran(host, graphWith(tool), `r${at}`)));
      expect(runs.map(({ status }) => status)).toEqual(names.map(() => 'failed'));
      await expect(ran(host, graphWith('no.such'), 'r')).rejects.toThrow('there is no tool "no.such"');
    });
  });

  it('are known to a simulation, as the engine has them: those of the web and of the browser only where they are set up', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
    const place = { home, desk: join(home.workspace, 'desk'), artifacts, purpose: 'simulation' as const };
    const unknown = async (): Promise<string[]> => {
      const simulated = new Set((await detachedTools(place)).map(({ name }) => name));
      return (await knownToolNames()).filter((name) => !simulated.has(name));
    };
    expect((await unknown()).filter((name) => !/^(?:web|browser)\./.test(name))).toEqual([]);
    expect(await unknown()).toEqual(expect.arrayContaining(['web.search', 'browser.open']));
    writeFileSync(home.config, JSON.stringify(EVERYTHING));
    expect(await unknown()).toEqual([]);
    const simulated = await detachedTools(place);
    const inEngine = await open(home, async ({ valuesOf }) => valuesOf({ tools: ports.tools }).tools.list());
    expect(toolsListing(simulated)).toBe(toolsListing(inEngine));
  });

  it('a graph may install a tool, and is valid', async () => {
    using folder = temporaryFolder();
    const file = join(folder.dir, 'graph.json');
    writeFileSync(file, JSON.stringify(graphWith('deps.install')));
    await oka('init', '--dir', folder.dir);
    expect(await oka('graph', 'validate', file, '--dir', folder.dir)).toMatchObject({ code: 0 });
  });
});
