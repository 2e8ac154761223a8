import { describe, expect, it } from 'vitest';
import { NO_GRANTS } from '../../../src/core/guard/grants.ts';
import { flowOfRun } from '../../../src/kit/policy/run-flow.ts';
import { memoryEvents } from '../../../src/core/engine/in-memory-stores.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { Policy } from '../../../src/core/schema/policy.ts';
import { graphOf, memoryArtifacts } from '../../support/engine-fakes.ts';

const defaults = { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' };
const policy = Policy.parse({ version: 1, defaults, budgets: {} });

/** A task's run, and inside it the run of its plan, which reads a file. */
async function worldWith(fields: { [key: string]: Json }, run = 'r', text = 'Ask https://www.example.org/.') {
  const [events, artifacts] = [memoryEvents(() => 0), memoryArtifacts()];
  const graph = {
    id: 'g',
    sha256: (await artifacts.put(JSON.stringify(graphOf([{ kind: 'tool', id: 'a', tool: 'x' }])))).sha256,
  };
  const body = (await artifacts.put(text)).sha256;
  const input = { name: 't.md', title: 't', body, fields, first_line: 1, dir: null };
  events.stage({ type: 'run.started', run, data: { title: 't', graph, input } });
  events.stage({
    type: 'wait.opened',
    run: 'r',
    data: { wait: 'r.execute.0.w0', node: 'execute', for: { kind: 'child', run: 'r.execute' } },
  });
  events.stage({ type: 'run.started', run: 'r.execute', data: { title: 'p', graph, parent: 'r' } });
  return {
    graph,
    events,
    artifacts,
    flowOf: (run: string) => flowOfRun({ events, artifacts, flush: async () => undefined, policy: () => policy }, run),
  };
}

describe('what a run has read', () => {
  it.each(['r', 'r.execute'])('is what any run around or inside has read, seen from %s', async (run) => {
    const { events, flowOf } = await worldWith({ public: ['open/**'] });
    const read = (path: string): void => {
      const call = `r.execute.a.0.${path.length}`;
      events.stage({
        type: 'call.started',
        run: 'r.execute',
        data: { call, node: 'a', tool: 'files.read', class: 'read', input: { path } },
      });
      events.stage({ type: 'call.ended', run: 'r.execute', data: { call, node: 'a', status: 'ok' } });
    };
    read('open/a.txt');
    expect(await flowOf(run)).toMatchObject({
      read: null,
      grants: { addresses: new Map([['https://www.example.org/', 'an address in the task']]) },
    });
    read('notes.txt');
    expect((await flowOf(run)).read).toContain('notes.txt');
  });

  it('is also what the run has read that it was made from, and its own graph counts as written by the person', async () => {
    const { events, artifacts, flowOf } = await worldWith({});
    const call = 'r.execute.a.0.1';
    const data = { call, node: 'a', tool: 'files.read', class: 'read' as const, input: { path: 'notes.txt' } };
    events.stage({ type: 'call.started', run: 'r.execute', data });
    events.stage({ type: 'call.ended', run: 'r.execute', data: { call, node: 'a', status: 'ok' } });
    const patched = graphOf([{ kind: 'tool', id: 'a', tool: 'x', input: 'https://new.example.org/' }]);
    const { sha256 } = await artifacts.put(JSON.stringify(patched));
    const started = { title: 't', graph: { id: 'g', sha256 }, link: { kind: 'fork' as const, run: 'r.execute' } };
    events.stage({ type: 'run.started', run: 'f', data: started });
    const flow = await flowOf('f');
    expect(flow.read).toContain('notes.txt');
    expect(flow.grants.addresses.get('https://new.example.org/')).toBe('an address in the graph');
  });

  it('is not known of a run that goes on from one that is not there, and so may be anything', async () => {
    const { events, graph, flowOf } = await worldWith({});
    const link = { kind: 'replay' as const, run: 'gone' };
    events.stage({ type: 'run.started', run: 'f', data: { title: 't', graph, link } });
    expect((await flowOf('f')).read).toBe('what gone had read');
  });

  it('begins with an output that a person has fixed, also in a graph that another run has started', async () => {
    const { events, artifacts, flowOf } = await worldWith({});
    const pinned = graphOf([{ kind: 'tool', id: 'a', tool: 'x' }], { pins: { a: 'tulips' } });
    const { sha256 } = await artifacts.put(JSON.stringify(pinned));
    const data = { title: 'p', graph: { id: 'g', sha256 }, parent: 'r' };
    events.stage({ type: 'run.started', run: 'r.execute.sub', data });
    expect((await flowOf('r.execute.sub')).read).toBe('an output that was fixed by hand');
  });

  it.each([
    ['clean', null, 'files.write'],
    ['one that had read something private', 'notes.txt', 'files.write'],
    ['a command', null, 'shell'],
  ])(
    'a file below a public path that another run wrote is private unless that run was clean: %s',
    async (_, first, tool) => {
      const { events, flowOf, graph } = await worldWith({ public: ['open/**'] });
      const act = (run: string, node: string, used: string, input: Json, output?: Json): void => {
        const call = `${run}.${node}.0.1`;
        const started = { call, node, tool: used, class: 'read' as const, input };
        events.stage({ type: 'call.started', run, data: started });
        events.stage({ type: 'call.ended', run, data: { call, node, status: 'ok', ...(output && { output }) } });
      };
      events.stage({ type: 'run.started', run: 'w', data: { title: 'w', graph } });
      if (first !== null) act('w', 'a', 'files.read', { path: first });
      act('w', 'b', tool, { path: 'open/a.txt', content: 'a' });
      act('r.execute', 'c', 'files.read', { path: 'open/a.txt' }, { origin: [{ run: 'w', call: 'w.b.0.1' }] });
      expect((await flowOf('r')).read === null).toBe(first === null && tool === 'files.write');
      act('r.execute', 'd', 'files.read', { path: 'open/b.txt' }, { origin: [{ run: 'gone', call: 'gone.b.0.1' }] });
      expect((await flowOf('r')).read).not.toBeNull();
    },
  );

  it('names who opened a host, and an agent of a conversation opens none', async () => {
    const hosts = ['docs.example.org', { host: 'api.example.org', send: true }];
    expect((await (await worldWith({ hosts })).flowOf('r')).grants.hosts).toEqual([
      { host: 'docs.example.org', send: false, from: '`hosts:` of the task' },
      { host: 'api.example.org', send: true, from: '`hosts:` of the task' },
    ]);
    const from_chat = { conversation: '01jd3k5m7abc', message: '01jd3k5m7xyz', agent: 'oka' };
    expect((await (await worldWith({ hosts, from_chat })).flowOf('r')).grants).toEqual(NO_GRANTS);
  });

  it('grants nothing because of a mail', async () => {
    const mail = `mail-${'0'.repeat(24)}`;
    expect((await (await worldWith({ hosts: ['a.example'] }, mail)).flowOf(mail)).grants).toEqual(NO_GRANTS);
  });

  it('grants nothing because of a mail that is done again, nor in runs that are made from its run', async () => {
    const mail = `mail-${'0'.repeat(24)}`;
    const { events, flowOf } = await worldWith({ hosts: ['a.example'] }, mail);
    expect((await (await worldWith({}, `${mail}-12345678`)).flowOf(`${mail}-12345678`)).grants).toEqual(NO_GRANTS);
    const [first] = await Array.fromAsync(events.read({ run: mail }));
    if (first?.type !== 'run.started') throw new Error('a run begins with run.started');
    const made = (run: string, from: string): void =>
      void events.stage({ type: 'run.started', run, data: { ...first.data, link: { kind: 'fork', run: from } } });
    made('one', mail);
    made('two', 'one');
    for (const run of ['one', 'two']) expect((await flowOf(run)).grants).toEqual(NO_GRANTS);
  });

  it.each([
    ['the text of a task', {}, 'r', 'My number is C01X00T47.'],
    ['the text of a mail', {}, `mail-${'0'.repeat(24)}`, 'My number is C01X00T47.'],
    ['a title', { title: 'Visa for C01X00T47' }, 'r', 'Look it up.'],
    ['a criterion', { accept: ['It names C01X00T47.'] }, 'r', 'Look it up.'],
  ])('begins with a number in %s', async (_, fields, run, text) => {
    const { flowOf } = await worldWith(fields, run, text);
    expect((await flowOf(run)).read).toBe('your own words, which contain a code');
  });

  it('begins with a number that a graph was started with', async () => {
    const { events, graph, flowOf } = await worldWith({});
    events.stage({ type: 'run.started', run: 'g', data: { title: 'g', graph, input: { about: ['C01X00T47'] } } });
    expect((await flowOf('g')).read).toBe('your own words, which contain a code');
  });

  it('begins with the result that a task corrects', async () => {
    expect((await (await worldWith({ corrects: 'r0' })).flowOf('r.execute')).read).toBe('the result of r0');
  });
});
