import { describe, expect, it } from 'vitest';
import { importGraph } from '../../../../src/rooms/graphs/kinds/import-graph.ts';
import { foreignToolNames } from '../../../../src/rooms/graphs/kinds/import-tools.ts';

const tools = new Set(['files.write', 'http.get', 'web.search']);
/** Without the notes on contracts that are missing, which few of these graphs have. */
const read = (graph: object) => {
  const { notes, ...rest } = importGraph({ id: 'g', start: 'start', ...graph }, tools, foreignToolNames);
  return { ...rest, notes: notes.filter(({ path }) => !path.startsWith('nodes.*.')) };
};
const start = { node_id: 'start', type: 'start', next: 'work' };
const end = { node_id: 'end', type: 'end' };
const write = { node_id: 'work', type: 'tool', next: 'end' };
const bigNode = { node_id: 'big', type: 'transform', value: 'big', next: 'end' };
const bad = { type: 'condition', strategy: 'typed_condition', left: 1, right: 2, if_true: 'end', if_false: 'end' };
const contract = { type: 'transform', input_schema: { type: 'object', required: ['a'] } };

describe('importGraph', () => {
  it('reads the names of its fields in both spellings, and gives the bounds that Anton adds', () => {
    const [first, second] = [
      { tool: 'write_file', args: { path: 'a.md', content: '{{input.text}}' } },
      { tool_name: 'filesystem_write_file', parameters: { path: 'a.md', content: '{{input.text}}' } },
    ].map((fields) => read({ name: 'Notes', nodes: [start, { ...write, ...fields }, end] }));
    expect(second).toEqual(first);
    expect(first).toEqual({
      graph: {
        id: 'g',
        title: 'Notes',
        mode: 'bounded',
        nodes: [
          { kind: 'transform', id: 'start', value: '{{input}}' },
          {
            kind: 'tool',
            id: 'work',
            tool: 'files.write',
            input: { path: 'a.md', content: '{{input.text}}' },
            timeout_seconds: 45,
            max_retries: 1,
            idempotency_key: 'g:work',
          },
          { kind: 'transform', id: 'end', value: '{{last}}' },
        ],
        edges: [
          { from: 'start', to: 'work' },
          { from: 'work', to: 'end' },
        ],
      },
      notes: [],
      problems: [],
    });
  });

  it('follows the first of several next nodes, as Anton does, and leaves out what nothing leads to', () => {
    const other = { node_id: 'other', type: 'transform', next: 'end', value: 1 };
    const { graph, notes } = read({ nodes: [{ ...start, next: ['end', 'other'] }, other, end] });
    expect(graph.edges).toEqual([{ from: 'start', to: 'end' }]);
    expect(graph.nodes.map(({ id }) => id)).toEqual(['start', 'end']);
    expect(notes.map(({ path }) => path)).toEqual(['nodes.0.next', 'nodes.1']);
  });

  it('a condition becomes edges by option, and who works with its output gets the output that Anton gives', () => {
    const check = { node_id: 'work', type: 'condition', strategy: 'typed_condition', operator: 'gt' };
    const { graph, problems } = read({
      nodes: [start, { ...check, left: '{{input.n}}', right: 3, if_true: 'big', if_false: 'end' }, bigNode, end],
    });
    expect(problems).toEqual([]);
    expect(graph.edges).toEqual([
      { from: 'start', to: 'work' },
      { from: 'work', to: 'big', option: 'true' },
      { from: 'work', to: 'work__false__to__end', option: 'false' },
      { from: 'work__false__to__end', to: 'end' },
      { from: 'big', to: 'end' },
    ]);
    expect(graph.nodes.find(({ id }) => id === 'work__false__to__end')).toMatchObject({
      value: { strategy: 'typed_condition', result: false, next: 'end' },
    });
  });

  it('every option of an llm_condition leads to its target, else the first to if_true and the others to if_false', () => {
    const check = { node_id: 'work', type: 'condition', strategy: 'llm_condition', prompt: 'Which? {{input}}' };
    const options = { branch_options: ['a', 'b', 'c'], branch_targets: { c: 'big' }, if_true: 'yes', if_false: 'no' };
    const ends = ['yes', 'no'].map((node_id) => ({ node_id, type: 'transform', value: node_id, next: 'end' }));
    const { graph } = read({ nodes: [start, { ...check, ...options }, ...ends, bigNode, end] });
    expect(graph.edges.filter(({ from }) => from === 'work')).toEqual([
      { from: 'work', to: 'yes', option: 'a' },
      { from: 'work', to: 'no', option: 'b' },
      { from: 'work', to: 'big', option: 'c' },
    ]);
    expect(graph.nodes[1]).toMatchObject({ kind: 'llm_condition', default: 'a' });
  });

  it('an edge back gets a bound', () => {
    const check = { node_id: 'check', type: 'condition', strategy: 'typed_condition', operator: 'eq' };
    const nodes = [
      start,
      { ...write, type: 'transform', value: 1, next: 'check' },
      { ...check, left: '{{work}}', right: 1, if_true: 'end', if_false: 'work' },
      end,
    ];
    expect(read({ max_steps: 40, nodes }).graph.edges.filter(({ max }) => max !== undefined)).toEqual([
      { from: 'check', to: 'work', option: 'false', max: 40 },
    ]);
  });

  it.each([
    ['a state node without state_access', { type: 'read_state', key: 'k' }, {}, /"work" uses state/],
    ['a tool that is not there', { tool: 'send_email', args: {} }, {}, /no tool "send_email"/],
    ['a template that names nothing', { type: 'transform', value: '{{nobody.x}}' }, {}, /nobody.*no such node/],
    ['an operator that is not there', { ...bad, operator: 'near' }, {}, /"near" is none of eq/],
    [
      'contracts that differ under never',
      contract,
      { execution_defaults: { ai_edge_policy: 'never' } },
      /cannot be the input/,
    ],
    ['a target that is not there', { type: 'transform', next: 'gone' }, {}, /no node "gone"/],
  ])('%s is a problem that names it', (_, fields, more, expected) => {
    const { problems } = read({
      ...more,
      nodes: [{ ...start, output_schema: { type: 'string' } }, { ...write, ...fields }, end],
    });
    expect(problems.map(({ text }) => text).join('\n')).toMatch(expected);
  });

  it('contracts that differ get a node in between that a model fills, and `any` is no contract', () => {
    const { graph, problems } = read({
      nodes: [{ ...start, output_schema: { type: 'string' } }, { ...write, ...contract }, end],
    });
    expect(problems).toEqual([]);
    expect(graph.edges.map(({ from, to }) => `${from} ${to}`)).toContain('start normalize__start__to__work');
    const any = {
      input_schema: { type: 'any' },
      output_schema: { type: 'object', properties: { a: { type: 'any' } } },
    };
    expect(read({ nodes: [start, { ...write, type: 'transform', ...any }, end] }).graph.nodes[1]).toEqual({
      kind: 'transform',
      id: 'work',
      value: '{{last}}',
      output_schema: { type: 'object', properties: { a: {} } },
    });
  });

  it('names that are not possible here are changed, also in templates', () => {
    const { graph, notes, problems } = read({
      start: '1. go',
      nodes: [
        { ...start, node_id: '1. go', next: 'state' },
        { ...end, node_id: 'state', input: '{{1. go.x}} {{graph_id}}' },
      ],
    });
    expect(graph.nodes.map(({ id }) => id)).toEqual(['_1_go', 'state_2']);
    expect(graph.nodes[1]?.['value']).toBe('{{_1_go.x}} g');
    expect(problems).toEqual([]);
    expect(notes).toHaveLength(2);
  });

  it('says which fields it left out, and refuses what is no such graph', () => {
    const { notes } = read({
      colour: 'red',
      version: 3,
      execution_defaults: { shade: 1 },
      nodes: [{ ...start, next: 'end', mock_output: 1 }, end],
    });
    expect(notes.map(({ path }) => path)).toEqual([
      'colour',
      'execution_defaults.shade',
      'version',
      'nodes.0.mock_output',
    ]);
    expect(() => read({ nodes: [{ node_id: 'start', type: 'warp' }] })).toThrow(/nodes\.0\.type/);
  });

  it('makes a list of a text where a list is wanted, and says so', () => {
    const schema = { properties: { hosts: { type: 'array' }, query: { type: 'string' } } };
    const choice = {
      node_id: 'work',
      type: 'condition',
      strategy: 'llm_condition',
      prompt: 'Which?',
      branch_options: 'big, end',
      branch_targets: { big: 'search', end: 'end' },
      if_true: 'search',
      if_false: 'end',
    };
    const search = (hosts: string) => ({
      node_id: 'search',
      type: 'tool',
      tool: 'web.search',
      args: { hosts, query: 'a, b' },
      next: 'end',
    });
    const importWith = (hosts: string) =>
      importGraph({ id: 'g', start: 'start', nodes: [start, choice, search(hosts), end] }, tools, {}, () => schema);
    const { graph, notes, problems } = importWith('a.example, b.example');
    expect(problems).toEqual([]);
    expect(graph.nodes.find(({ id }) => id === 'search')).toMatchObject({
      input: { hosts: ['a.example', 'b.example'], query: 'a, b' },
    });
    expect(JSON.stringify(graph.nodes.find(({ id }) => id === 'work'))).toContain('"big"');
    expect(notes.map(({ path }) => path)).toEqual([
      'nodes.1.branch_options',
      'nodes.*.input_schema',
      'nodes.*.output_schema',
      'nodes.2.args.hosts',
    ]);
    expect(notes[1]?.text).toBe('is missing, so nothing is checked there: work, search');
    expect(importWith('one').graph.nodes.find(({ id }) => id === 'search')).toMatchObject({
      input: { hosts: ['one'] },
    });
    expect(importWith('{{last}}').graph.nodes.find(({ id }) => id === 'search')).toMatchObject({
      input: { hosts: '{{last}}' },
    });
  });
});
