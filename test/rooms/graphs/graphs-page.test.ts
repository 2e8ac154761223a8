import { hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import { graphCheckQuery } from '../../../src/rooms/graphs/graph-page/check-query.ts';
import { graphQuery, graphSchemaQuery, graphVersionQuery } from '../../../src/rooms/graphs/graph-page/graph-query.ts';
import { graphsQuery } from '../../../src/rooms/graphs/page/graphs-query.ts';
import { askQuery } from '../../support/ask-query.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const report = {
  id: 'report',
  title: 'List the desk',
  inputs: { type: 'object', properties: { where: { type: 'string' } } },
  nodes: [
    { kind: 'write_state', id: 'note', key: 'last', value: 'today', ...bounds },
    { kind: 'tool', id: 'look', tool: 'files.list', input: {}, needs: ['note'], ...bounds },
  ],
};
const text = `${JSON.stringify(report, null, 2)}\n`;

async function makeHome(dir: string): Promise<ReturnType<typeof homeAt>> {
  await oka('init', '--dir', dir);
  for (const folder of ['graphs', 'schedules']) mkdirSync(join(dir, 'workspace', folder), { recursive: true });
  writeFileSync(join(dir, 'workspace/graphs/report.json'), text);
  return homeAt(dir);
}

describe('the page of graphs', () => {
  it('lists each graph with its last run, its next time and what is wrong with it', async () => {
    using folder = temporaryFolder();
    const home = await makeHome(folder.dir);
    writeFileSync(join(folder.dir, 'workspace/graphs/broken.json'), '{ "id": ');
    const weekly = { graph: 'report', every: 'monday 08:00', timezone: 'UTC' };
    writeFileSync(join(folder.dir, 'workspace/schedules/weekly.json'), JSON.stringify(weekly));
    await oka('graph', 'run', 'report', '--id', 'r1', '--input', '{}', '--dir', folder.dir);
    const { graphs, templates } = await askQuery<{ graphs: unknown[]; templates: unknown[] }>(graphsQuery, home);
    expect(graphs).toEqual([
      expect.objectContaining({ graph: 'broken', mode: null, problem: expect.stringContaining('not JSON') }),
      expect.objectContaining({
        graph: 'report',
        title: 'List the desk',
        nodes: 2,
        problem: null,
        last_run: expect.objectContaining({ run: 'r1', status: 'done' }),
        next: expect.stringMatching(/T08:00:00/),
      }),
    ]);
    expect(JSON.stringify(graphs)).not.toContain(folder.dir);
    expect(templates).toContainEqual(expect.objectContaining({ template: expect.any(String) }));
  });
});

describe('the page of one graph', () => {
  it('shows its text, picture, runs, versions, state and input, and how a run went', async () => {
    using folder = temporaryFolder();
    const home = await makeHome(folder.dir);
    await oka('graph', 'run', 'report', '--id', 'r1', '--input', '{}', '--dir', folder.dir);
    const shown = await askQuery(graphQuery, home, { graph: 'report', run: 'r1' });
    expect(shown).toMatchObject({
      text,
      sha256: hash('sha256', text),
      source: 'file',
      mode: 'bounded',
      valid: true,
      inputs: report.inputs,
      runs: [{ run: 'r1', status: 'done' }],
      versions: [{ cause: 'run', current: true }],
      state: [{ key: 'last', value: 'today', by: 'r1' }],
      drawing: {
        nodes: [
          { id: 'note', status: 'done', times: 1 },
          { id: 'look', status: 'done', shape: 'step' },
        ],
        edges: [{ from: 'note', to: 'look', path: expect.stringMatching(/^M[\d.]/) }],
      },
    });
    const [{ version } = { version: '' }] = shown['versions'] as { version: string }[];
    expect(await askQuery(graphVersionQuery, home, { graph: 'report', version })).toMatchObject({ text });
    rmSync(join(folder.dir, 'workspace/graphs/report.json'));
    expect(await askQuery(graphQuery, home, { graph: 'report' })).toMatchObject({ source: 'version', sha256: null });
  });

  it('starts a new graph from a template, and refuses one that is not there', async () => {
    using folder = temporaryFolder();
    const home = await makeHome(folder.dir);
    const { templates } = await askQuery<{ templates: { template: string }[] }>(graphsQuery, home);
    const template = templates[0]?.template ?? '';
    const fresh = await askQuery(graphQuery, home, { graph: 'mine', template });
    expect(fresh).toMatchObject({ source: 'template', sha256: null, valid: true });
    expect(JSON.parse(fresh['text'] as string)).toMatchObject({ id: 'mine' });
    await expect(askQuery(graphQuery, home, { graph: 'nowhere' })).rejects.toThrow('there is no graph');
  });
});

describe('checking a graph that is being edited', () => {
  it('answers with every problem and its place, and the picture of what is there', async () => {
    using folder = temporaryFolder();
    const home = await makeHome(folder.dir);
    const wrong = { ...report, nodes: [...report.nodes, { kind: 'tool', id: 'x', tool: 'no.such', ...bounds }] };
    const checked = await askQuery(graphCheckQuery, home, { text: JSON.stringify(wrong) });
    expect(checked).toMatchObject({ valid: false, problems: [{ path: 'nodes.2' }] });
    expect((checked['drawing'] as { nodes: unknown[] }).nodes).toHaveLength(3);
    const unreadable = await askQuery(graphCheckQuery, home, { text: '{ "id": ' });
    expect(unreadable).toMatchObject({ valid: false, drawing: null, problems: [{ path: '(top)' }] });
    const many = Array.from({ length: 1200 }, (_, at) => ({ kind: 'wait', id: `n${at}` }));
    expect(await askQuery(graphCheckQuery, home, { text: JSON.stringify({ id: 'many', nodes: many }) })).toMatchObject({
      drawing: null,
    });
  });

  it('has the schema of everything that can be written in a graph, with descriptions', async () => {
    using folder = temporaryFolder();
    const { schema } = await askQuery<{ schema: object }>(graphSchemaQuery, await makeHome(folder.dir));
    const written = JSON.stringify(schema);
    for (const kind of ['ai_template', 'typed_condition', 'write_state']) expect(written).toContain(kind);
    expect(schema).toMatchObject({ properties: { nodes: expect.objectContaining({ type: 'array' }) } });
  });
});
