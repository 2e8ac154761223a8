import { describe, expect, it } from 'vitest';
import { hostAuthors, hostsContacted } from '../../../src/kit/runs/hosts-contacted.ts';
import { foldResultFacts } from '../../../src/kit/runs/result-facts.ts';
import { resultPage } from '../../../src/rooms/task/roles/result.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';

const sha = 'a'.repeat(64);
let seq = 0;
const at = (event: NewEvent): Event =>
  ({
    run: 'r',
    cause: null,
    pen: 'run',
    v: 1,
    ...event,
    seq: (seq += 1),
    at: new Date(seq * 1000).toISOString(),
  }) as Event;
const nothing = { created: [], changed: [], removed: [] };

const started = (run: string, nodes: { id: string; title: string }[]): NewEvent => ({
  type: 'run.started',
  run,
  data: {
    title: 'Tidy',
    graph: { id: 'g', sha256: sha },
    nodes: nodes.map((node) => ({ needs: [], acceptance: [], ...node })),
    input: { name: 'tidy.md', fields: {} },
  },
});
const call = (node: string, line: string): NewEvent => ({
  type: 'call.started',
  run: 'r.c',
  data: { call: `r.c.${node}.0.1`, node, attempt: 1, tool: 'shell', class: 'write_local', input: { line } },
});
const ended = (node: string, data: object): NewEvent =>
  ({ type: 'call.ended', run: 'r.c', data: { call: `r.c.${node}.0.1`, node, ...data } }) as NewEvent;

const steps = [
  started('r.c', [
    { id: 'a', title: 'First' },
    { id: 'b', title: 'Second' },
    { id: 'c', title: 'Third' },
  ]),
  call('a', 'set -e; echo hi\necho ho'),
  ended('a', { status: 'ok', output: { stdout: 'hi\nho\n', stderr: '' }, usage: { ms: 5 }, settles: 'done' }),
  call('b', 'false'),
  ended('b', { status: 'failed', output: null, error: 'exit 1', settles: 'failed' }),
];

describe('hosts on the page of a result', () => {
  const get = (host: string, id: string): NewEvent[] => [
    {
      type: 'call.started',
      run: 'r.c',
      data: { call: id, node: 'a', attempt: 1, tool: 'http.get', class: 'read', input: { url: `http://${host}/x` } },
    },
    { type: 'call.ended', run: 'r.c', data: { call: id, node: 'a', status: 'ok', output: null } },
  ];

  it('are listed with whoever opened them', () => {
    const fields = { hosts: ['good.example'] };
    const input = { name: 't.md', title: 't', body: sha, fields, first_line: 1, dir: null };
    const task: NewEvent = {
      type: 'run.started',
      run: 'r',
      data: { title: 'T', graph: { id: 'g', sha256: sha }, input },
    };
    const grant = { tool: 'http.get', class: 'read', programs: [], hosts: ['asked.example'], policy: sha };
    const asked = {
      tool: 'http.get',
      class: 'read',
      author: 'model',
      command: '',
      why: '',
      env: [],
      values: [],
      changes: [],
      files: [],
      odd: [],
      grant,
    };
    const wait = { wait: 'w', node: 'a' };
    const events = [
      task,
      { type: 'wait.opened', run: 'r.c', data: { ...wait, for: { kind: 'approval', binding: sha, text: '?', asked } } },
      { type: 'wait.closed', run: 'r.c', data: { ...wait, answer: { verdict: 'approved', by: 'Ada' } } },
      ...get('good.example', 'c1'),
      ...get('asked.example', 'c2'),
      ...get('free.example', 'c3'),
    ].map((event) => at(event as NewEvent));
    const hosts = hostsContacted(events);
    expect(hosts).toEqual(['good.example', 'asked.example', 'free.example']);
    expect(hostAuthors(events, hosts)).toEqual({
      'good.example': 'from `hosts:` of the task',
      'asked.example': 'from your approval',
    });
  });
});

describe('factsOf', () => {
  it('tells each step: what it did, what it said, what became of it', () => {
    const facts = foldResultFacts([at(started('r', []))], [steps.map(at)], nothing);
    expect(facts?.steps).toMatchObject([
      { id: 'a', status: 'done', did: 'echo hi\necho ho', output: 'hi\nho', attempts: 1 },
      { id: 'b', status: 'failed', did: 'false', error: 'exit 1' },
      { id: 'c', status: 'pending' },
    ]);
    expect(facts).toMatchObject({ task: 'tidy.md', cost: { calls: 2, activeMs: 5 } });
  });

  it('counts the calls of a worker as calls, and shows no error that it got over or that a later plan replaced', () => {
    const finish = { kind: 'Finish', output: 'The total is 7.', rationale: '' };
    const worker = [
      started('r.c', [{ id: 'a', title: 'Work' }]),
      call('a', 'cat none.txt'),
      ended('a', { status: 'failed', output: null, error: 'exit 1' }),
      call('a', 'cat data.txt'),
      ended('a', { status: 'ok', output: { stdout: '7', stderr: '' } }),
      {
        type: 'call.started',
        run: 'r.c',
        data: { call: 'm', node: null, tool: 'model.complete', class: 'read', input: {} },
      },
      { type: 'decision.made', run: 'r.c', data: { node: 'a', turn: 2, decision: finish, settles: 'done' } },
    ] as NewEvent[];
    const facts = foldResultFacts([at(started('r', []))], [steps.map(at), worker.map(at)], nothing);
    expect(facts?.answer).toBe('The total is 7.');
    expect(facts?.steps.at(-1)).toMatchObject({ status: 'done', calls: 2 });
    expect(facts?.steps.filter((step) => 'error' in step)).toEqual([]);
    expect(facts?.cost).toMatchObject({ calls: 4, modelCalls: 1 });
    const page = facts === null ? '' : resultPage(facts);
    expect(page).toContain('Work (3.0 s, 2 calls)');
    expect(page).not.toContain('attempts');
    expect(page).not.toContain('exit 1');
  });

  it.each([
    ['done', 'done', 'done'],
    ['failed', 'rework', 'rework'],
    ['failed', 'impossible', 'impossible'],
    ['failed', undefined, 'failed'],
    ['cancelled', 'done', 'cancelled'],
    [undefined, undefined, 'running'],
  ])('a run that is %s and was judged %s has the verdict %s', (status, judged, verdict) => {
    const own = [
      started('r', []),
      ...(judged === undefined ? [] : [{ type: 'run.judged', data: { verdict: judged, criteria: [], reason: 'x' } }]),
      ...(status === undefined
        ? []
        : [{ type: 'run.ended', data: { status, reason: 'y', output: null, artifacts: [] } }]),
    ] as NewEvent[];
    expect(foldResultFacts(own.map(at), [], nothing)?.verdict).toBe(verdict);
  });

  it('a judgement does not count for what ended the run after another plan was asked for', () => {
    const own = [
      started('r', []),
      {
        type: 'run.judged',
        data: {
          verdict: 'rework',
          criteria: [{ text: 'file: a', holds: false, evidence: 'a is not there', by: 'check' }],
          reason: 'x',
        },
      },
      { ...call('plan', 'again'), run: 'r' },
      {
        type: 'run.ended',
        data: { status: 'failed', reason: 'plan: the key is not valid', output: null, artifacts: [] },
      },
    ] as NewEvent[];
    expect(foldResultFacts(own.map(at), [], nothing)).toMatchObject({
      verdict: 'failed',
      criteria: [{ evidence: 'judged before the last plan, and not again: a is not there' }],
    });
  });

  it('what waits for a person is a question, wherever in the runs it was asked; what was answered is none', () => {
    const wait = (run: string, name: string, text: string): NewEvent => ({
      type: 'wait.opened',
      run,
      data: { wait: name, node: 'n', for: { kind: 'question', text } },
    });
    const own = [
      started('r', []),
      { type: 'wait.opened', data: { wait: 'r.w', node: 'n', for: { kind: 'child', run: 'r.c' } } },
    ] as NewEvent[];
    const inside = [
      wait('r.c', 'r.c.1', 'First?'),
      wait('r.c', 'r.c.2', 'Second?'),
      {
        type: 'wait.closed',
        run: 'r.c',
        data: { wait: 'r.c.1', node: 'n', answer: { verdict: 'answered' } },
      } as NewEvent,
    ];
    const facts = foldResultFacts(own.map(at), [inside.map(at)], nothing);
    expect(facts?.questions).toMatchObject([{ id: 'r.c.2', text: 'Second?' }]);
    expect(facts === null ? '' : resultPage(facts)).toContain('oka answer r "…"');
    own.push({ type: 'run.ended', data: { status: 'cancelled', reason: 'by a person' } });
    expect(foldResultFacts(own.map(at), [inside.map(at)], nothing)?.questions).toEqual([]); // nobody waits any more
  });

  it('there is nothing to tell of a run that has not begun', () => {
    expect(foldResultFacts([], [], nothing)).toBeNull();
  });
});
