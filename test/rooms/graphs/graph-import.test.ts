/** Graphs of another runtime, imported and run through the command line. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, temporaryFolder } from '../../support/cli.ts';

const any = { input_schema: { type: 'any' }, output_schema: { type: 'any' } };
const tracker = {
  id: 'tracker',
  name: 'Remembers the highest',
  version: '0.2',
  start: 'start',
  execution_defaults: { guarantee_mode: 'bounded', ai_edge_policy: 'auto' },
  state_access: { default_enabled: true },
  nodes: [
    { node_id: 'start', type: 'start', output_schema: { type: 'any' }, next: 'before' },
    { node_id: 'before', type: 'read_state', key: 'highest', ...any, next: 'pick' },
    {
      node_id: 'pick',
      type: 'transform',
      ...any,
      value: { n: '{{input.n}}', was: '{{before.value}}' },
      next: ['check'],
    },
    {
      node_id: 'check',
      type: 'condition',
      strategy: 'typed_condition',
      operator: 'gt',
      left: '{{input.n}}',
      right: '{{input.floor}}',
      if_true: 'note',
      if_false: 'end',
      ...any,
    },
    { node_id: 'note', type: 'write_state', key: 'highest', value: '{{pick.n}}', ...any, next: 'file' },
    {
      node_id: 'file',
      type: 'tool',
      tool_name: 'filesystem_write_file',
      parameters: { path: 'highest.md', content: 'On {{date}}: {{note.output.value}}, before {{pick.was}}\n' },
      ...any,
      next: 'prior',
    },
    { node_id: 'prior', type: 'read_prior_runs', limit: 3, ...any, next: 'end' },
    { node_id: 'end', type: 'end', input_schema: { type: 'any' } },
  ],
};

async function homeWith(dir: string, graph: object) {
  await oka('init', '--dir', dir);
  writeFileSync(join(dir, 'foreign.json'), JSON.stringify(graph));
  return async (...words: string[]) => {
    const { code, out } = await oka(...words, '--dir', dir, '--json');
    return { code, data: JSON.parse(out) as Record<string, unknown> };
  };
}

const contracts = {
  id: 'contracts',
  start: 'start',
  state_access: { default_enabled: true },
  nodes: [
    { node_id: 'start', type: 'start', output_schema: { type: 'any' }, next: 'note' },
    {
      node_id: 'note',
      type: 'write_state',
      key: 'n',
      value: '{{input.n}}',
      input_schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      output_schema: { type: 'object', required: ['key', 'value'] },
      next: 'end',
    },
    { node_id: 'end', type: 'end', input_schema: { type: 'any' } },
  ],
};

describe('oka graph import', () => {
  it('carries over what nodes demand of their input and promise about their output', async () => {
    using folder = temporaryFolder();
    const run = await homeWith(folder.dir, contracts);
    expect(await run('graph', 'import', join(folder.dir, 'foreign.json'))).toMatchObject({ code: 0 });
    expect(await run('graph', 'run', 'contracts', '--input', '{"n": 7}')).toMatchObject({
      code: 0,
      data: { output: { key: 'n', value: 7 } },
    });
    const wrong = await run('graph', 'run', 'contracts', '--input', '{"n": "seven"}');
    expect(wrong).toMatchObject({ code: 1, data: { status: 'failed' } });
    expect(await run('graph', 'state', 'get', 'contracts', 'n')).toMatchObject({ data: { value: 7 } });
  });

  it('saves a graph that takes the same branches, writes the same state and has the same output', async () => {
    using folder = temporaryFolder();
    const run = await homeWith(folder.dir, tracker);
    const imported = await run('graph', 'import', join(folder.dir, 'foreign.json'));
    expect(imported).toMatchObject({ code: 0, data: { graph: 'tracker', problems: [], nodes: 9 } });
    const versions = await run('graph', 'versions', 'tracker');
    expect(versions).toMatchObject({ data: { versions: [{ cause: 'imported' }] } });
    const { hash } = (await run('graph', 'show', 'tracker')).data;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(versions.data)).toContain(hash as string);

    const high = await run('graph', 'run', 'tracker', '--input', '{"n": 7, "floor": 3}');
    expect(high).toMatchObject({
      code: 0,
      data: { status: 'done', output: { count: 0, runs: [] } },
    });
    expect(high.data['path']).toEqual(['start', 'before', 'pick', 'check', 'note', 'file', 'prior', 'end']);
    expect(readFileSync(join(folder.dir, 'workspace/desk/highest.md'), 'utf8')).toMatch(
      /^On \d{4}-\d\d-\d\d: 7, before null$/m,
    );
    expect(await run('graph', 'state', 'get', 'tracker', 'highest')).toMatchObject({ data: { value: 7 } });

    const low = await run('graph', 'run', 'tracker', '--input', '{"n": 2, "floor": 3}');
    expect(low).toMatchObject({
      data: { status: 'done', output: { strategy: 'typed_condition', result: false, next: 'end' } },
    });
    expect(await run('graph', 'state', 'get', 'tracker', 'highest')).toMatchObject({ data: { value: 7 } });
  });

  it('names everything that is in the way, saves nothing then, and a table in the settings names foreign tools', async () => {
    using folder = temporaryFolder();
    const [start, end] = [tracker.nodes[0], tracker.nodes.at(-1)];
    const note = { node_id: 'note', type: 'write_state', key: 'k', ...any, next: 'mail' };
    const mail = { node_id: 'mail', type: 'tool', tool: 'jot', args: { body: 'hello' }, ...any, next: 'end' };
    const graph = { id: 'mailer', start: 'start', nodes: [{ ...start, next: 'note' }, note, mail, end] };
    const run = await homeWith(folder.dir, graph);
    const file = join(folder.dir, 'foreign.json');
    const saved = join(folder.dir, 'workspace/graphs/mailer.json');
    const refused = await run('graph', 'import', file);
    expect(refused).toMatchObject({ code: 1, data: { file: null } });
    expect(JSON.stringify(refused.data['problems'])).toMatch(/\\"note\\" uses state.*no tool \\"jot\\"/);
    expect(existsSync(saved)).toBe(false);

    writeFileSync(file, JSON.stringify({ ...graph, state_access: { default_enabled: true } }));
    const names = { graph_import: { tools: { jot: { tool: 'memory.note', args: { body: 'text' } } } } };
    writeFileSync(join(folder.dir, '.oka/rules/config.json'), JSON.stringify(names));
    expect(await run('graph', 'import', file, '--dry-run')).toMatchObject({ code: 0, data: { file: null } });
    expect(await run('graph', 'import', file)).toMatchObject({
      code: 0,
      data: { file: expect.stringMatching(/workspace\/graphs\/mailer.json$/) as string },
    });
    const again = await oka('graph', 'import', file, '--dir', folder.dir);
    expect(again).toMatchObject({ code: 3 });
    expect(await run('graph', 'import', file, '--as', 'other')).toMatchObject({ code: 0, data: { graph: 'other' } });
  });
});
