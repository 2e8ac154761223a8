import { describe, expect, it } from 'vitest';
import {
  type Flow,
  type FlowSources,
  foldFlow,
  whyRequestAsks,
  whyServerAsks,
} from '../../../src/core/guard/information-flow.ts';
import { grantsOf, NO_GRANTS } from '../../../src/core/guard/grants.ts';
import { linksIn, repeatsQuery } from '../../../src/core/guard/page-links.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { callOf } from '../../support/engine-fakes.ts';

const sources: FlowSources = {
  grants: NO_GRANTS,
  isPublicFile: (path: string) => path === 'open.txt',
  followsLinks: true,
};
let calls = 0;

/** A call and how it ended. */
function called(tool: string, input: Json, output: Json = null, status: 'ok' | 'failed' | 'denied' = 'ok'): NewEvent[] {
  const call = `r.a.0.${(calls += 1)}`;
  return [
    { type: 'call.started', run: 'r', data: { call, node: 'a', tool, class: 'read', input } },
    { type: 'call.ended', run: 'r', data: { call, node: 'a', status, output } },
  ];
}

const page = (url: string, body: string): NewEvent[] => called('http.get', { url, headers: {} }, { url, body });
const flowAfter = (events: NewEvent[][], change: Partial<typeof sources> = {}): Flow =>
  foldFlow(events.flat() as Event[], { ...sources, ...change });
const asks = (flow: Flow, url: string, change: object = {}): string | null =>
  whyRequestAsks(callOf({ tool: 'http.get', author: 'model', input: { url, headers: {} }, ...change }), flow, 'none');

describe('an address with a fragment', () => {
  const granted = { grants: grantsOf([{ by: 'person', from: 'the task', text: 'Look at http://a.example/x#part .' }]) };
  const read = [called('files.read', { path: 'notes.txt' })];
  const opens = (url: string): string | null =>
    whyRequestAsks(callOf({ tool: 'browser.open', author: 'model', input: { url } }), flowAfter(read, granted), 'none');

  it('is another one for a browser, whose page sees it, unless it was written with it', () => {
    expect(opens('http://a.example/x#notes')).toMatch(/notes\.txt/);
    expect(opens('http://a.example/x#part')).toBeNull();
    expect(opens('http://a.example/x')).toBeNull();
  });

  it('is the same one where only a server is asked', () => {
    expect(asks(flowAfter(read, granted), 'http://a.example/x#notes')).toBeNull();
  });
});

describe('what counts as read', () => {
  it.each([
    ['files.read', { path: 'notes.txt' }],
    ['files.list', { path: '.' }],
    ['shell', { line: 'true' }],
    ['memory.search', { query: 'x' }],
    ['some.tool', {}],
    ['http.get', { url: 'http://router/', headers: {} }],
    ['http.get', { url: 'http://10.0.0.1/', headers: {} }],
    ['http.get', { url: 'https://mail.example.org/', headers: { authorization: 'secret:MAIL' } }],
  ])('the output of %s %j', (tool, input) => {
    expect(flowAfter([called(tool, input)]).read).not.toBeNull();
  });

  it.each([
    ['files.read', { path: 'open.txt' }],
    ['files.write', { path: 'x', content: '' }],
    ['task.plan', {}],
    ['http.get', { url: 'https://www.example.org/', headers: {} }],
  ])('not that of %s %j', (tool, input) => {
    expect(flowAfter([called(tool, input)]).read).toBeNull();
  });

  it('not a check that is tried while the task is planned, but the same call of a step or of the critic', () => {
    const inside = (tool: string): NewEvent[] => {
      const around = called(tool, {});
      const check = called('files.read', { path: 'private.txt' }).map((event) => ({
        ...event,
        data: { ...event.data, call: `r.a.0.${calls - 1}.1`, node: null },
      }));
      return [...around.slice(0, 1), ...(check as NewEvent[]), ...around.slice(1)];
    };
    expect(flowAfter([inside('task.plan')]).read).toBeNull();
    expect(flowAfter([inside('task.critique')]).read).toContain('private.txt');
    expect(flowAfter([called('task.plan', {}), called('files.read', { path: 'private.txt' })]).read).toContain(
      'private',
    );
  });

  it('a call that was refused has read nothing, one that failed may have', () => {
    expect(flowAfter([called('files.read', { path: 'a' }, null, 'denied')]).read).toBeNull();
    expect(flowAfter([called('files.read', { path: 'a' }, null, 'failed')]).read).toContain('a (files.read)');
  });

  it('what has become of a public file: it cannot be read, or a link leads to it', () => {
    const path = 'open.txt';
    for (const status of ['failed', 'denied'] as const)
      expect(flowAfter([called('files.read', { path }, null, status)]).read).toBe('open.txt (files.read)');
    expect(flowAfter([called('files.read', { path }, { path, real: 'open.txt' })]).read).not.toBeNull();
  });

  it('a change of a public file that was not read first, unless the tool says whose content it was', () => {
    const edit = (output: Json, status: 'ok' | 'failed' = 'ok') =>
      flowAfter([called('files.edit', { path: 'open.txt', old: 'a', new: 'b' }, output, status)]).read;
    expect(edit({ path: 'open.txt' })).toBeNull();
    expect(edit(null, 'failed')).not.toBeNull();
    expect(edit({ path: 'open.txt', origin: [{ run: 'r0', call: 'r0.a' }] })).not.toBeNull();
  });

  it('the words of an answer that contain a number, an address or a password', () => {
    const answered = (text: string) =>
      ({ type: 'wait.closed', run: 'r', data: { wait: 'w', answer: { verdict: 'answered', text } } }) as NewEvent;
    expect(flowAfter([[answered('It is C01X00T47.')]]).read).toBe('your own words, which contain a code');
    expect(flowAfter([[answered('The second one.')]]).read).toBeNull();
  });

  it('what the first prompt contains, such as the result that a task corrects', () => {
    const flow = flowAfter([], { read: 'the result of r0' });
    expect(asks(flow, 'https://www.example.org/?q=x')).toContain('the result of r0');
  });

  it('what memory added to a prompt', () => {
    const item = { id: 'f1', tokens: 3, score: 1 };
    const packed = { type: 'context.packed', run: 'r', data: { items: [item] } } as unknown as NewEvent;
    expect(flowAfter([[packed]]).read).toBe('what is remembered');
    expect(asks(flowAfter([[packed]]), 'https://www.example.org/?q=x')).toContain('what is remembered');
  });
});

describe('links', () => {
  it('are found whole in prose, markdown and HTML, absolute or relative', () => {
    const text =
      'See https://a.example/x. Or [it](https://b.example/y?z=1), <a href="/c?d=1&amp;e=2">c</a> <img src=i.png>';
    expect([...linksIn(text, 'https://base.example/dir/')]).toEqual(
      expect.arrayContaining([
        'https://a.example/x',
        'https://b.example/y?z=1',
        'https://base.example/c?d=1&e=2',
        'https://base.example/dir/i.png',
      ]),
    );
  });

  it('on a page may be followed as they are, unless the policy says no', () => {
    const events = [page('https://a.example/', '<a href="/b">b</a>'), called('files.read', { path: 'private' })];
    expect(asks(flowAfter(events), 'https://a.example/b')).toBeNull();
    expect(asks(flowAfter(events), 'https://a.example/b?x')).toContain('private (files.read)');
    expect(asks(flowAfter(events, { followsLinks: false }), 'https://a.example/b')).toContain('private');
  });

  it('on a page whose own address could carry something are no links', () => {
    const grants = grantsOf([
      { by: 'person', from: 'the task', text: '', hosts: [{ host: 'api.example', send: true }] },
    ]);
    const events = [
      called('files.read', { path: 'private' }),
      page('https://api.example/?echo=x', 'https://evil.example/x'),
    ];
    expect(asks(flowAfter(events, { grants }), 'https://evil.example/x')).toContain('evil.example');
  });

  it('that a page leads to lead on', () => {
    const events = [
      page('https://a.example/', 'https://b.example/'),
      called('files.read', { path: 'private' }),
      page('https://b.example/', 'https://c.example/'),
    ];
    expect(asks(flowAfter(events), 'https://c.example/')).toBeNull();
  });
});

describe('a search', () => {
  const search = (query: string, ...urls: string[]): NewEvent[] =>
    called('web.search', { query }, { results: urls.map((url) => ({ title: '', url, text: 'https://in.a.text/' })) });
  const read = called('files.read', { path: 'private' });

  it('reads nothing private, and what it found may be followed as it is', () => {
    const flow = flowAfter([search('tulips', 'https://a.example/b?q=tulips')]);
    expect(flow.read).toBeNull();
    const later = flowAfter([search('tulips', 'https://a.example/b?q=tulips'), read]);
    expect(asks(later, 'https://a.example/b?q=tulips')).toBeNull();
    expect(asks(later, 'https://a.example/b?q=tulips&x')).toContain('private');
    expect(asks(later, 'https://in.a.text/')).toContain('private');
  });

  it('for words chosen after something private was read gives links, except those that repeat the words', () => {
    const found = ['https://a.example/tulips', 'https://evil.example/?d=tulips', 'https://b.example/'];
    const flow = flowAfter([read, search('tulips', ...found)]);
    expect(found.map((url) => asks(flow, url) === null)).toEqual([true, false, true]);
    const forbidden = flowAfter([read, search('tulips', ...found)], { followsLinks: false });
    expect(found.map((url) => asks(forbidden, url) === null)).toEqual([false, false, false]);
  });

  it.each([
    ['https://a.example/?q=TULIPS+red', 'tulips', true],
    ['https://a.example/?q=tu%6Cips', 'tulips', true],
    ['https://a.example/?id=7', 'tulips 7', false],
    ['https://a.example/tulip-mania', 'tulip mania', false],
    ['https://a.example/my-password-is-correct-horse', 'my password is correct horse', true],
    ['https://my-password-is-correct.horse.example/', 'my password is correct', false],
    ['https://a.example/%E0%A4%A?q=tulips', 'tulips', true],
  ])('%s repeats "%s": %s', (link, query, isRepeated) => {
    expect(repeatsQuery(link, query)).toBe(isRepeated);
  });

  it('a page that web.read gave has links, too', () => {
    const events = [
      called(
        'web.read',
        { url: 'https://a.example/' },
        { url: 'https://a.example/', text: '[b](https://b.example/c)' },
      ),
      read,
    ];
    expect(flowAfter(events).read).toContain('private');
    expect(asks(flowAfter(events), 'https://b.example/c')).toBeNull();
    expect(
      asks(flowAfter(events), 'https://b.example/c', { tool: 'web.read', input: { url: 'https://b.example/c' } }),
    ).toBeNull();
  });
});

describe('a request of a model', () => {
  it('to a host that a page named, but not to a link on it, is asked about', () => {
    const flow = flowAfter([page('https://a.example/', 'go to https://b.example/')]);
    expect(asks(flow, 'https://b.example/?more')).toContain('a page named b.example');
    expect(asks(flow, 'https://a.example/?more')).toBeNull();
    expect(asks(flow, 'https://c.example/')).toBeNull();
  });

  it('to a host that a page names without a scheme is asked about', () => {
    const flow = flowAfter([page('https://a.example/', 'report to b.example?msg=… or //c.example/ or d.example:8080')]);
    for (const host of ['b.example', 'c.example', 'd.example:8080'])
      expect(asks(flow, `https://${host}/?more`)).toContain(`a page named ${host}`);
  });

  it('is opened by no answer in free text', () => {
    const data = {
      wait: 'w',
      node: 'a',
      answer: { verdict: 'answered' as const, text: 'https://b.example/x', by: 'Ada' },
    };
    const flow = flowAfter([called('files.read', { path: 'private' }), [{ type: 'wait.closed', run: 'r', data }]]);
    expect(asks(flow, 'https://b.example/x')).toContain('b.example');
  });

  it('says who opened a host, and which line would let it be sent to', () => {
    const grants = grantsOf([{ by: 'person', from: 'the task', text: '', hosts: ['docs.example'] }]);
    const flow = flowAfter([called('files.read', { path: 'private' })], { grants });
    const why = asks(flow, 'https://docs.example/?q=x');
    expect(why).toContain('`hosts:` of the task opens to reading alone');
    expect(why).toContain("hosts: [{ host: 'docs.example', send: true }]");
  });

  it('that follows links tells at most 16 bits in a run, and as much as it wants to a host that a grant names', () => {
    const links = Array.from({ length: 64 }, (_, index) => `https://a.example/${index}`);
    const click = (index: number): NewEvent[] => page(`https://a.example/${index}`, '');
    const events = [page('https://a.example/', links.join(' ')), called('files.read', { path: 'private' })];
    expect(asks(flowAfter([...events, click(1)]), 'https://a.example/2')).toBeNull();
    expect(asks(flowAfter([...events, click(1), click(2)]), 'https://a.example/3')).toContain('18 bits');
    const grants = grantsOf([{ by: 'person', from: 'the task', text: '', hosts: ['a.example'] }]);
    expect(asks(flowAfter([...events, click(1), click(2)], { grants }), 'https://a.example/3')).toBeNull();
  });
});

describe('a server that can pass on what it is given', () => {
  const shapes: Json[] = [
    ...['uri', 'url', 'q', 'query', 'host', 'path', 'name', 'id', 'text'].map((field) => ({ [field]: 'tulips' })),
    { urls: ['evil.example/?d=tulips'] },
    { url: 'evil.example/tulips' },
    { filter: { where: [{ equals: 'tulips' }] } },
    { tulips: true },
    { count: 116_117 },
    { when: null },
    { list: [] },
  ];
  const why = (events: NewEvent[][], input: Json, change: object = {}): string | null =>
    whyServerAsks(callOf({ tool: 'mcp.docs.find', author: 'model', input, ...change }), 'docs', flowAfter(events));

  it.each(shapes)('is asked about after something private was read: %j', (input) => {
    const asked = why([called('files.read', { path: 'private' })], input);
    expect(asked).toContain('the server docs');
    expect(asked).toContain('"send": true');
    expect(why([], input)).toBeNull();
  });

  it('may get again what it gave, and not what another one did', () => {
    expect(why([called('mcp.docs.read', { id: 1 })], { id: 2 })).toBeNull();
    expect(why([called('mcp.mail.read', { id: 1 })], { id: 2 })).toContain('mcp.mail.read');
    expect(why([called('mcp.docs.read', {}), called('files.read', { path: 'private' })], { id: 2 })).toContain(
      'private',
    );
  });

  it('is free where nothing is sent, or a person wrote the call', () => {
    const read = [called('files.read', { path: 'private' })];
    expect(why(read, {})).toBeNull();
    expect(why(read, { q: 'x' }, { author: 'operator' })).toBeNull();
  });
});
