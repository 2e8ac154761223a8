import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { watchConfig } from '../../src/kit/home/config-file.ts';
import { withHost } from '../../src/kit/house/host.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { openMaintenance } from '../../src/rooms/maintenance/open-maintenance.ts';
import { runPass } from '../../src/rooms/maintenance/pass.ts';
import { rooms } from '../../src/app/rooms.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import { viewFolds } from '../../src/kit/house/open-views.ts';
import { viewsFile, writeViews } from '../../src/kit/rows/views-writer.ts';
import { FoldStore } from '../../src/core/ledger/fold-store.ts';
import { eventData, type EventType } from '../../src/core/schema/event.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { Intake } from '../../src/core/schema/intake.ts';
import { answerOf } from '../../src/core/schema/room.ts';
import { okaWith, type Ran, temporaryFolder } from '../support/cli.ts';
import { eventWritersIn } from '../support/event-writers.ts';
import { forecastTool } from '../fixture/rooms/weather/forecast-tool.ts';
import { weather } from '../fixture/rooms/weather/room.ts';

const src = join(import.meta.dirname, '../../src');
const names = rooms.map(({ name }) => name);

/** The room whose folder a file is in; null for what rooms share. */
const roomOf = (file: string): string | null =>
  names.filter((name) => file.startsWith(`${name}/`)).toSorted((a, b) => b.length - a.length)[0] ?? null;

/** A graph of one forecast, in a file. */
function forecastGraph(folder: string): string {
  const file = join(folder, 'forecast.json');
  const node = { kind: 'tool', id: 'a', tool: 'weather.forecast', input: { city: 'Graz' } };
  writeFileSync(file, JSON.stringify({ id: 'one', nodes: [{ ...node, timeout_seconds: 5, max_retries: 0 }] }));
  return file;
}

describe('the list of rooms', () => {
  it('names each room by its folder, once, and every room.ts of src is in it', () => {
    const found = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('/room.ts'));
    expect(names.toSorted()).toEqual(
      found
        .filter((path) => path !== 'core/schema/room.ts')
        .map((path) => path.slice(0, -'/room.ts'.length))
        .toSorted(),
    );
  });

  it('every event has a room that names it, and every type but run.planned has a writer', () => {
    const types = new Set(Object.keys(eventData));
    const written = eventWritersIn(src, types);
    for (const [type, files] of written) {
      const named = rooms.filter(({ events }) => events?.includes(type as EventType)).map(({ name }) => name);
      const [writers, shared] = [
        files.map(roomOf).filter((room) => room !== null),
        files.filter((file) => !roomOf(file)),
      ];
      expect(named, `a room that writes ${type} names it`).toEqual(expect.arrayContaining(writers));
      expect(named.length, `some room names ${type}`).toBeGreaterThan(0);
      if (shared.length === 0) expect(named.toSorted(), type).toEqual([...new Set(writers)].toSorted());
    }
    expect([...types].filter((type) => !written.has(type))).toEqual(['run.planned']);
  });

  it('every kind of request has exactly one room that handles it', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const kinds = Intake.options.map(({ shape }) => shape.kind.value);
    await withHost(home, new AbortController().signal, async ({ handle }) => {
      for (const kind of kinds)
        await handle({ kind } as Intake)
          .then(answerOf)
          .catch((error: Error) => expect(error.message).not.toContain('no room handles'));
    });
  });
});

describe('a capability that is one folder and one line', () => {
  const list = [...rooms, weather];
  const run = (home: Home, ...words: string[]): Promise<Ran> => okaWith({ rooms: list }, ...words, '--dir', home.dir);

  it('brings a tool, a node kind, a view, a command and a finding', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const graph = join(folder.dir, 'graph.json');
    const bounds = { timeout_seconds: 5, max_retries: 0 };
    const nodes = [
      { kind: 'tool', id: 'first', tool: 'weather.forecast', input: { city: 'Graz' }, ...bounds },
      { kind: 'forecast', id: 'second', city: 'Linz', needs: ['first'], ...bounds },
    ];
    writeFileSync(graph, JSON.stringify({ id: 'forecasts', nodes }));
    expect(await run(home, 'graph', 'validate', graph)).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 nodes'),
    });
    expect(await run(home, 'graph', 'run', graph, '--id', 'r1')).toMatchObject({ code: 0 });
    expect(await run(home, 'show', 'r1')).toMatchObject({ out: expect.stringContaining('second') });
    expect((await run(home, 'doctor')).out).toContain(`weather   forecasts are made in ${home.workspace}`);
    const days = await run(home, 'weather', 'days', '--city', 'Linz', '--json');
    expect(days).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(days.out)).toEqual([{ day: expect.any(String), city: 'Linz' }]);
    expect((await run(home, 'weather', 'days')).out).toMatch(/city.*\n.*Graz\n.*Linz/);
    expect((await okaWith({ rooms: list }, 'help', 'all')).out).toContain('List the days that there is a forecast for');
    expect(JSON.parse((await run(home, 'schema', 'graph')).out)).toMatchObject({
      properties: {
        nodes: {
          items: {
            oneOf: expect.arrayContaining([
              expect.objectContaining({ properties: expect.objectContaining({ city: expect.anything() }) }),
            ]),
          },
        },
      },
    });
  });

  it('has the rows of its view in the store of all views', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const graph = join(folder.dir, 'graph.json');
    const node = { kind: 'forecast', id: 'only', city: 'Graz', timeout_seconds: 5, max_retries: 0 };
    writeFileSync(graph, JSON.stringify({ id: 'forecasts', nodes: [node] }));
    expect(await run(home, 'graph', 'run', graph, '--id', 'r1')).toMatchObject({ code: 0 });
    const views = await viewFolds(list);
    await writeViews(home, views, new AbortController().signal);
    const store = FoldStore.openReadOnly(viewsFile(home), views.shape);
    expect([...store.each('forecast/')]).toMatchObject([[expect.any(String), { city: 'Graz' }]]);
    store.close();
  });

  it('has settings of its own: checked, in the schema of config.json, and given to it alone', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const bounds = { timeout_seconds: 5, max_retries: 0 };
    const write = (settings: object): void => writeFileSync(home.config, JSON.stringify(settings));
    write({ weather: { outlook: 'rainy' } });
    const output = await withHost(
      home,
      new AbortController().signal,
      async ({ engine }) => {
        const graph = Graph.parse({
          id: 'one',
          nodes: [{ kind: 'tool', id: 'a', tool: 'weather.forecast', input: { city: 'Graz' }, ...bounds }],
        });
        const { done } = await engine.start(graph, { id: 'r1' });
        return (await done).nodes[0]?.output;
      },
      { rooms: list },
    );
    expect(output).toBe('Graz: rainy');
    expect(JSON.parse((await run(home, 'schema', 'config')).out)).toMatchObject({
      properties: { weather: { properties: { outlook: { default: 'sunny' } } }, memory: expect.anything() },
    });
    expect((await run(home, 'doctor')).out).toContain(`config    ${home.config}`);
    expect((await okaWith({}, 'doctor', '--dir', home.dir)).out).toContain('weather: there is no such setting');
    expect(await run(home, 'maintain', '--once')).toMatchObject({ code: 0 });
    expect(await okaWith({}, 'maintain', '--once', '--dir', home.dir)).toMatchObject({
      err: expect.stringContaining('weather: there is no such setting'),
    });
    const check = watchConfig(home, list);
    const checkOfProduct = watchConfig(home);
    write({ weather: { outlook: 'sunny' } });
    await Promise.all([check(), checkOfProduct()]);
    expect((await check()).kind).toBe('changed');
    expect((await checkOfProduct()).kind).toBe('invalid');
    write({ weather: { outlook: 'windy' } });
    expect((await run(home, 'doctor')).out).toContain('weather.outlook:');
    await expect(
      withHost(home, new AbortController().signal, () => Promise.resolve(), { rooms: list }),
    ).rejects.toMatchObject({ code: 'invalid-file', message: expect.stringContaining('weather.outlook') });
  });

  it('learns from what happened, beside the rooms of the product', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const graph = forecastGraph(folder.dir);
    expect(await run(home, 'graph', 'run', graph, '--id', 'r1')).toMatchObject({ code: 0 });
    const { signal } = new AbortController();
    const m = await openMaintenance(home, await loadConfig(home), { rooms: list });
    try {
      await runPass(m, signal);
      expect(m.store.get('city/Graz')).toBe(true);
      expect(m.parts.map(({ name }) => name)).toContain('todos');
    } finally {
      await m.close();
    }
  });

  it('has a provider of models, which config.json names like a built-in one', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    writeFileSync(home.config, JSON.stringify({ models: { use: 'echo:one' } }));
    const input = { role: 'planner', messages: [{ role: 'user', text: 'hello' }] };
    const node = { kind: 'tool', id: 'a', tool: 'model.complete', input, timeout_seconds: 5, max_retries: 0 };
    const graph = Graph.parse({ id: 'one', nodes: [node] });
    const { signal } = new AbortController();
    const output = await withHost(
      home,
      signal,
      async ({ engine }) => (await (await engine.start(graph, { id: 'r1' })).done).nodes[0]?.output,
      { rooms: list },
    );
    expect(output).toMatchObject({ text: '/echo hello', model: 'echo:one' });
    await expect(withHost(home, signal, () => Promise.resolve())).rejects.toThrow(
      'models.use in config.json: there is no provider "echo"',
    );
  });

  it('is simulated and replayed like everything else', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const graph = forecastGraph(folder.dir);
    const simulated = await run(home, 'simulate', graph, '--json');
    expect(JSON.parse(simulated.out)).toMatchObject({
      status: 'done',
      calls: [{ tool: 'weather.forecast', class: 'read', verdict: 'allow' }],
    });
    expect(await run(home, 'graph', 'run', graph, '--id', 'r1')).toMatchObject({ code: 0 });
    const replayed = await run(home, 'replay', 'r1', '--mode', 'full', '--json');
    expect(JSON.parse(replayed.out)).toMatchObject({ calls: [{ tool: 'weather.forecast', state: 'same' }] });
    expect(await run(home, 'replay', 'r1', '--mode', 'decision')).toMatchObject({
      code: 0,
      out: expect.stringContaining('its tools are unchanged'),
    });
    const without = await okaWith({}, 'replay', 'r1', '--mode', 'decision', '--dir', home.dir);
    expect(without.out).toContain('tools that no longer exist: weather.forecast');
    const other = { ...weather, detachedTools: async () => [{ ...forecastTool('sunny'), input: z.string() }] };
    const changed = await okaWith({ rooms: [...rooms, other] }, 'replay', 'r1', '--mode', 'full', '--dir', home.dir);
    expect(changed.out).toContain('tools that changed since: weather.forecast');
  });

  it('is not there without its line', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    expect(await okaWith({}, 'weather', 'days', '--dir', home.dir)).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no command'),
    });
  });
});

describe('the recipes in CONTRIBUTING.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../CONTRIBUTING.md'), 'utf8');
  const recipes = [...text.matchAll(/^- \*\*An? (.+?)\*\*(.*)$/gm)].map(([, what = '', how = '']) => ({ what, how }));

  it('are there for everything that a capability may add', () => {
    expect(recipes.map(({ what }) => what)).toEqual([
      'tool',
      'node kind',
      'channel',
      'page',
      'command',
      'provider of models',
      'document reader',
      'intake',
      'event type',
      'view',
      'finding',
    ]);
  });

  it('name files that are there', () => {
    const files = recipes.flatMap(({ how }) =>
      [...how.matchAll(/`([a-z-]+\/[a-z/-]+\.ts)`/g)].map(([, file = '']) => file),
    );
    expect(files.filter((file) => !existsSync(join(src, file)))).toEqual([]);
    expect(files).toContain('core/schema/intake.ts');
  });
});
