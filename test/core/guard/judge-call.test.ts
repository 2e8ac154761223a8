import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDescriber, type Given, grantOf, createJudge } from '../../../src/core/guard/judge-call.ts';
import type { Flow } from '../../../src/core/guard/information-flow.ts';
import { type Facts, hostMatches, ruleMatches } from '../../../src/core/guard/rule-match.ts';
import type { Classified } from '../../../src/core/schema/command.ts';
import { Policy, PolicyRule } from '../../../src/core/schema/policy.ts';
import type { Origin, Tool, ToolCall } from '../../../src/core/schema/tool.ts';
import { callOf } from '../../support/engine-fakes.ts';

const SHA = 'a'.repeat(64);
const tools = new Map<
  string,
  Pick<Tool, 'targets' | 'annotations' | 'internal' | 'passesTo' | 'allowedBy' | 'asksEachTime'>
>([
  ['mcp.desk.add', { targets: ['text'], annotations: notes('high', true) }],
  ['mcp.free.add', { targets: ['text'], annotations: notes('high', true), allowedBy: 'Ada' }],
  ['mcp.far.add', { targets: ['text'], annotations: notes('high', true), allowedBy: 'Ada', passesTo: 'far' }],
  ['mail.draft', { targets: [], annotations: notes('high', false), allowedBy: 'Ada' }],
  ['mail.send', { targets: ['to'], annotations: notes('high', true), asksEachTime: true }],
  ['shell', { targets: ['argv', 'line', 'dir'], annotations: notes('high', true) }],
  ['files.write', { targets: ['path'], annotations: notes('medium', false) }],
  ['files.remove', { targets: ['path'], annotations: notes('medium', true) }],
  ['http.get', { targets: ['url'], annotations: notes('medium', false) }],
  ['http.request', { targets: ['url'], annotations: notes('high', true) }],
  ['task.plan', { targets: [], annotations: notes('medium', false), internal: true }],
  ['http.post', { targets: ['url'], annotations: notes('high', false) }],
]);

function notes(risk: 'medium' | 'high', destructive: boolean) {
  return { read_only: false, idempotent: false, cacheable: false, risk, destructive };
}

function policyWith(...rules: object[]): Policy {
  const defaults = { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' };
  return Policy.parse({ version: 1, defaults, budgets: {}, rules });
}

type Case = { call?: Partial<ToolCall>; found?: Partial<Classified>; given?: Given[]; declared?: boolean };

const pushed: Partial<Classified> = {
  class: 'external_mutation',
  programs: ['git'],
  hosts: ['git.example.org'],
  net: true,
};

/** A command that a model wrote, unless it is said otherwise. */
function judged(policy: Policy, { call = {}, found, given = [], declared = false }: Case = {}) {
  const classified = {
    class: 'read',
    reason: 'a test says so',
    programs: [],
    paths: [],
    hosts: [],
    net: false,
  } as const;
  const judge = createJudge({
    policy: () => ({ policy, sha256: SHA }),
    describe: createDescriber(tools, () => (found === undefined ? null : { ...classified, ...found })),
    allowedInRun: () => given,
    declaresNetwork: () => declared,
  });
  return judge(callOf({ tool: 'shell', author: 'model', input: { line: 'x' }, ...call }));
}

const FACTS: Facts = {
  tool: '',
  class: 'read',
  programs: [],
  paths: [],
  hosts: [],
  risk: 'medium',
  destructive: false,
};

const from = (origins: Record<string, Origin>): Partial<ToolCall> => ({ origins: () => origins });

describe('a question', () => {
  it.each<[string, Case]>([
    ['a command', { found: pushed }],
    [
      'a change at a host',
      { call: { tool: 'http.request', class: 'external_mutation', input: { url: 'http://a.example/x' } } },
    ],
    [
      'a machine of the own network',
      { call: { tool: 'http.get', class: 'read', input: { url: 'http://10.0.0.5:3000/x' } } },
    ],
    [
      'a file that makes programs run',
      { call: { tool: 'files.write', class: 'write_local', input: { path: '.vscode/tasks.json' } } },
    ],
    ['a tool of a server', { call: { tool: 'mcp.desk.add', class: 'external_mutation', input: { text: 'x' } } }],
  ])('about %s names the rule that would allow it', (_, given) => {
    const asked = judged(policyWith(), given);
    expect(asked.effect).toBe('ask');
    const [, line = ''] = /To allow it, put this rule into \.oka\/rules\/POLICY\.md: - (\{.+\})$/.exec(asked.why) ?? [];
    expect(line).not.toBe('');
    expect(judged(policyWith(parse(line) as object), given)).toMatchObject({ effect: 'allow' });
  });

  it('about several programs, or a command that goes nobody knows where, names none', () => {
    for (const found of [{ programs: ['git', 'sh'] }, { hosts: [] }])
      expect(judged(policyWith(), { found: { ...pushed, ...found } }).why).not.toContain('To allow it');
  });
});

describe('the judge', () => {
  it.each([
    ['read', 'allow'],
    ['write_local', 'allow'],
    ['external_mutation', 'ask'],
    ['deny', 'deny'],
  ] as const)('J3 without a rule %s is what the default says: %s', (effect, verdict) => {
    expect(judged(policyWith(), { found: { class: effect } })).toMatchObject({ effect: verdict });
  });

  it('J6 an allow rule about a host beats an ask rule that names none, for reads only', () => {
    const policy = policyWith(
      { effect: 'ask', tool: 'http.*' },
      { effect: 'allow', tool: 'http.*', host: 'docs.example.org' },
    );
    const get = { tool: 'http.get', class: 'read', input: { url: 'https://docs.example.org/x' } } as const;
    const post = { ...get, tool: 'http.request', class: 'external_mutation' } as const;
    expect(judged(policy, { call: get }).effect).toBe('allow');
    expect(judged(policy, { call: { ...get, input: { url: 'https://other.example.org/' } } }).effect).toBe('ask');
    expect(judged(policy, { call: post }).effect).toBe('ask');
    const named = policyWith(
      { effect: 'ask', host: 'docs.example.org' },
      { effect: 'allow', tool: 'http.*', host: '*.example.org' },
    );
    expect(judged(named, { call: get }).effect).toBe('ask');
  });

  it('a default that asks about reads does not ask about work of oka itself', () => {
    const policy = { ...policyWith(), defaults: { ...policyWith().defaults, read: 'ask' } } as const;
    expect(judged(policy, { call: { tool: 'task.plan', class: 'read' } }).effect).toBe('allow');
    expect(judged(policy, { call: { tool: 'http.get', class: 'read' } }).effect).toBe('ask');
  });

  it('J1 nothing allows what is never run', () => {
    const grant: Given = { ...grantOf(factsOf({ class: 'deny' }), SHA), effect: 'allow', by: 'Ada' };
    const policy = policyWith({ effect: 'allow', program: 'rm' }, { effect: 'allow', tool: 'shell' });
    expect(judged(policy, { found: { class: 'deny', programs: ['rm'] }, given: [grant] }).effect).toBe('deny');
  });

  it('J1 a deny rule overrules every allow rule, for whoever wrote the command', () => {
    const policy = policyWith({ effect: 'allow', tool: 'shell' }, { effect: 'deny', program: 'git', why: 'not here' });
    expect(judged(policy, { found: pushed })).toMatchObject({
      effect: 'deny',
      why: expect.stringContaining('not here'),
    });
    expect(judged(policy, { found: { programs: ['ls', '/usr/bin/git'] }, call: { author: 'operator' } }).effect).toBe(
      'deny',
    );
  });

  it('J2 a change outside whose target came out of a tool needs an approval, whatever rules and answers say', () => {
    const policy = policyWith({ effect: 'allow', program: 'git', host: '*' });
    const grant: Given = { ...grantOf(factsOf(pushed), SHA), effect: 'allow', by: 'Ada' };
    const call = from({ line: 'tool' });
    const verdict = judged(policy, { found: pushed, call, given: [grant] });
    expect(verdict).toEqual({ effect: 'ask', why: expect.stringContaining('(line) came out of a tool') });
    expect(judged(policyWith(), { found: { class: 'write_local' }, call }).effect).toBe('allow');
    expect(judged(policyWith(), { found: { class: 'read' }, call }).effect).toBe('allow');
  });

  it('J3 an allow rule lifts the default for what it names', () => {
    const policy = policyWith({ effect: 'allow', program: 'git', host: 'git.example.org' });
    expect(judged(policy, { found: pushed }).effect).toBe('allow');
    expect(judged(policy, { found: { ...pushed, hosts: ['elsewhere.org'] } }).effect).toBe('ask');
    expect(judged(policy, { found: { ...pushed, hosts: [] } }).effect).toBe('ask');
  });

  it('M1 a second command on the line is not carried along by an allow rule', () => {
    const policy = policyWith({ effect: 'allow', program: 'git' });
    expect(judged(policy, { found: { ...pushed, programs: ['git', 'curl'] } }).effect).toBe('ask');
    expect(judged(policy, { found: { ...pushed, programs: ['./git'] } }).effect).toBe('ask');
    const hosts = policyWith({ effect: 'allow', host: 'git.example.org' });
    expect(judged(hosts, { found: { ...pushed, hosts: ['git.example.org', 'evil.org'] } }).effect).toBe('ask');
  });

  it('J3 an ask rule overrules an allow rule', () => {
    const policy = policyWith(
      { effect: 'allow', program: 'git' },
      { effect: 'ask', host: '*.example.org', why: 'look' },
    );
    expect(judged(policy, { found: pushed })).toMatchObject({ effect: 'ask', why: expect.stringContaining('look') });
  });

  it('J4 an answer for the whole run stands for the same again and for nothing else', () => {
    const grant: Given = { ...grantOf(factsOf(pushed), SHA), effect: 'allow', by: 'Ada' };
    const asked = (found: Partial<Classified>, change: Partial<Given> = {}, call: Partial<ToolCall> = {}) =>
      judged(policyWith(), { found, given: [{ ...grant, ...change }], call }).effect;
    expect(asked(pushed)).toBe('allow');
    expect(asked({ ...pushed, programs: ['git', 'git'] })).toBe('allow');
    expect(asked({ ...pushed, programs: ['git', 'curl'] })).toBe('ask');
    expect(asked({ ...pushed, programs: [] })).toBe('ask');
    expect(asked({ ...pushed, hosts: ['evil.org'] })).toBe('ask');
    expect(asked(pushed, { class: 'write_local' })).toBe('ask');
    expect(asked(pushed, { tool: 'http.post' })).toBe('ask');
    expect(asked(pushed, { policy: 'b'.repeat(64) })).toBe('ask');
    expect(asked(pushed, { effect: 'deny' })).toBe('deny');
  });

  it('J5 what the operator wrote runs as a local write, whatever its class', () => {
    const own = { author: 'operator', ...from({ line: 'operator' }) } as const;
    expect(judged(policyWith(), { found: { class: 'deny' }, call: own }).effect).toBe('allow');
    expect(judged(policyWith(), { found: { class: 'external_mutation', net: false }, call: own }).effect).toBe('allow');
    const strict = policyWith({ effect: 'ask', class: 'write_local', tool: 'shell' });
    expect(judged(strict, { found: { class: 'deny' }, call: own }).effect).toBe('ask');
  });

  it('J5 it needs an answer for the network, unless the task declares it', () => {
    const own = { author: 'operator', ...from({ line: 'task' }) } as const;
    expect(judged(policyWith(), { found: pushed, call: own }).effect).toBe('ask');
    expect(judged(policyWith(), { found: pushed, call: own, declared: true }).effect).toBe('allow');
  });

  it.each(['tool', 'model', 'memory'] as const)('J5 filled with words of %s it is not the operator’s own', (origin) => {
    const call = { author: 'operator', ...from({ line: origin }) } as const;
    expect(judged(policyWith(), { found: { class: 'deny' }, call }).effect).toBe('deny');
  });

  it('J7 a tool that writes a file which makes other programs run is asked about, and says why', () => {
    const write = (path: string, call: Partial<ToolCall> = {}): Partial<ToolCall> => ({
      tool: 'files.write',
      class: 'write_local',
      input: { path, content: 'x' },
      ...call,
    });
    const all = policyWith({ class: 'write_local', effect: 'allow' });
    expect(judged(all, { call: write('notes.md') }).effect).toBe('allow');
    for (const path of ['.git/hooks/pre-commit', './a/../.envrc', '.vscode/tasks.json'])
      expect(judged(all, { call: write(path) })).toMatchObject({ effect: 'ask', why: expect.stringContaining(path) });
    const grant = {
      ...grantOf({ ...FACTS, tool: 'files.write', class: 'write_local' }, SHA),
      effect: 'allow',
    } as const;
    expect(judged(all, { call: write('.envrc'), given: [{ ...grant, by: 'ann' }] }).effect).toBe('ask');
    expect(judged(all, { call: write('.envrc', { author: 'operator' }) }).effect).toBe('allow');
    expect(judged(policyWith({ path: '.envrc', effect: 'allow' }), { call: write('.envrc') }).effect).toBe('allow');
  });

  it('what is not a command is judged by its targets', () => {
    const policy = policyWith(
      { effect: 'allow', tool: 'http.*', host: 'api.example.org' },
      { effect: 'deny', tool: 'files.*', path: 'archive/**' },
    );
    const post = (url: string) =>
      judged(policy, { call: { tool: 'http.post', class: 'external_mutation', input: { url } } }).effect;
    expect(post('https://api.example.org/x')).toBe('allow');
    expect(post('https://API.example.org./x')).toBe('allow');
    expect(post('https://api.example.org@evil.org/')).toBe('ask');
    expect(post('https://')).toBe('ask');
    const write = (path: string) =>
      judged(policy, { call: { tool: 'files.write', class: 'write_local', input: { path } } }).effect;
    expect(write('archive/a')).toBe('deny');
    expect(write('./new/../archive//a/b')).toBe('deny');
    expect(write('archives/a')).toBe('allow');
  });

  it('a tool that nobody knows counts as dangerous', () => {
    const policy = policyWith({ effect: 'deny', risk: 'high' });
    expect(judged(policy, { call: { tool: 'new', class: 'write_local' } }).effect).toBe('deny');
  });
});

function factsOf(change: Partial<Classified>): Facts {
  const { class: effect = 'read', programs = [], paths = [], hosts = [] } = change;
  return { tool: 'shell', class: effect, programs, paths, hosts, risk: 'high', destructive: true };
}

describe('a rule', () => {
  const matches = (rule: object, found: Partial<Facts>) =>
    ruleMatches(PolicyRule.parse(rule), { ...factsOf({}), ...found });

  it.each([
    ['archive/**', 'archive/2019.csv', 'yes'],
    ['archive/**', 'archive', 'yes'],
    ['archive/*', 'archive/a/b', 'no'],
    ['**/*.key', 'a/b/c.key', 'yes'],
    ['**/*.key', 'c.key', 'yes'],
    ['a?c', 'abc', 'yes'],
    ['a.c', 'abc', 'no'],
    ['/etc/**', '/etc/passwd', 'yes'],
    ['archive/**', '$DIR/x', 'maybe'],
    ['archive/**', 'arch*/x', 'maybe'],
    ['archive/**', 'src/*.ts', 'no'],
    ['archive/**', '~/x', 'maybe'],
    ['archive/**', 'src', 'no'],
  ])('M2 about the path %j and %j: %s', (path, written, match) => {
    expect(matches({ effect: 'deny', path }, { paths: ['other', written] })).toBe(match);
  });

  it('M2 about a folder that contains what the rule names: a write may reach it, a listing does not', () => {
    const rule = { effect: 'ask', path: 'a/secret/**' };
    expect(matches(rule, { paths: ['a'], class: 'write_local' })).toBe('maybe');
    expect(matches(rule, { paths: ['.'], class: 'write_local' })).toBe('maybe');
    expect(matches(rule, { paths: ['a'], class: 'read' })).toBe('no');
  });

  it('that allows by path allows nothing that is not known before it runs', () => {
    const rule = { effect: 'allow', tool: 'shell', path: 'out/**' };
    expect(matches(rule, { paths: ['out/a'] })).toBe('yes');
    expect(matches(rule, { paths: ['out/a', 'out/$X'] })).toBe('maybe');
    expect(matches(rule, { paths: ['out/../in'] })).toBe('no');
    expect(matches(rule, { paths: [] })).toBe('no');
  });

  it('knows risk in both directions, and families of tools', () => {
    expect(matches({ effect: 'ask', risk: 'medium' }, { risk: 'high' })).toBe('yes');
    expect(matches({ effect: 'ask', risk: 'high' }, { risk: 'medium' })).toBe('no');
    expect(matches({ effect: 'allow', tool: 's*', risk: 'medium' }, { risk: 'high' })).toBe('no');
    expect(matches({ effect: 'allow', tool: 's*', risk: 'medium' }, { risk: 'low' })).toBe('yes');
    expect(matches({ effect: 'deny', destructive: true }, { destructive: false })).toBe('no');
    expect(matches({ effect: 'deny', tool: 'she' }, {})).toBe('no');
  });

  it('knows hosts, and those below', () => {
    expect(hostMatches('*.example.org', 'a.example.org')).toBe(true);
    expect(hostMatches('*.example.org', 'example.org')).toBe(false);
    expect(hostMatches('*.example.org', 'evilexample.org')).toBe(false);
    expect(hostMatches('Example.org', 'example.ORG.')).toBe(true);
    expect(hostMatches('example.org', 'example.org.evil.net')).toBe(false);
  });
});

describe('J9 what a person has said of every call of a tool of a server', () => {
  const ofServer = (tool: string, more: Partial<ToolCall> = {}): Case => ({
    call: { tool, class: 'external_mutation', input: { text: 'x' }, ...more },
  });

  it('takes the place of the default, and is offered where the default alone asks', () => {
    expect(judged(policyWith(), ofServer('mcp.desk.add'))).toMatchObject({ effect: 'ask', mayBeAlways: true });
    expect(judged(policyWith(), ofServer('mcp.free.add'))).toMatchObject({
      effect: 'allow',
      why: expect.stringContaining('Ada allowed every call of it') as string,
    });
  });

  it.each(['ask', 'deny'])('is not stronger than a rule that says %s', (effect) => {
    const policy = policyWith({ effect, tool: 'mcp.*' });
    for (const tool of ['mcp.desk.add', 'mcp.free.add']) {
      const verdict = judged(policy, ofServer(tool));
      expect(verdict.effect).toBe(effect);
      expect(verdict.mayBeAlways).toBeUndefined();
    }
  });

  it('opens nothing for a value that came out of a tool, and the question does not offer it', () => {
    for (const tool of ['mcp.desk.add', 'mcp.free.add']) {
      const verdict = judged(policyWith(), ofServer(tool, { origins: () => ({ text: 'tool' }) }));
      expect(verdict.effect).toBe('ask');
      expect(verdict.mayBeAlways).toBeUndefined();
    }
  });

  it('carries nothing that the run has read to a server that can pass it on', () => {
    const judge = createJudge({
      policy: () => ({ policy: policyWith(), sha256: SHA }),
      describe: createDescriber(tools, () => null),
    });
    const call = callOf({
      tool: 'mcp.far.add',
      author: 'model',
      class: 'external_mutation',
      input: { text: 'tulips' },
    });
    const read: Flow = {
      read: 'private.txt',
      links: new Set(),
      named: new Set(),
      grants: { addresses: [], hosts: [] } as never,
      readFrom: new Map([['', 'private.txt']]),
      bits: 0,
    };
    expect(judge(call, read)).toMatchObject({ effect: 'ask' });
    expect(judge(call, read).mayBeAlways).toBeUndefined();
    expect(judge(call, null)).toMatchObject({ effect: 'allow' });
  });

  it('is never offered for a tool of oka', () => {
    const verdict = judged(policyWith(), { call: { tool: 'http.request', class: 'external_mutation', input: {} } });
    expect(verdict).toMatchObject({ effect: 'ask' });
    expect(verdict.mayBeAlways).toBeUndefined();
  });
});

describe('J9 drafts in the own account', () => {
  const draft: Case = { call: { tool: 'mail.draft', class: 'external_mutation', input: { to: ['bob@x.test'] } } };

  it('are made unasked where its settings allow them, and asked about where a rule says so', () => {
    expect(judged(policyWith(), draft)).toMatchObject({ effect: 'allow' });
    expect(judged(policyWith({ effect: 'ask', tool: 'mail.draft' }), draft)).toMatchObject({ effect: 'ask' });
  });
});

describe('J10 a call of a tool that asks each time', () => {
  const send = (more: Partial<Case> = {}, origin: Origin = 'operator'): Case => ({
    call: { tool: 'mail.send', class: 'external_mutation', input: { to: ['bob@x.test'] }, ...from({ to: origin }) },
    ...more,
  });
  const everything = policyWith({ effect: 'allow', tool: 'mail.send' });

  it('needs an approval of its own, whatever rules and earlier answers allow', () => {
    const grant = { tool: 'mail.send', class: 'external_mutation', policy: SHA } as const;
    const answer: Given = { ...grant, programs: [], hosts: [], effect: 'allow', by: 'Ada' };
    for (const given of [[], [answer]])
      for (const policy of [policyWith(), everything]) {
        const verdict = judged(policy, send({ given }));
        expect(verdict).toMatchObject({ effect: 'ask' });
        expect(verdict.why).not.toContain('To allow it');
        expect(verdict.mayBeAlways).toBeUndefined();
      }
  });

  it('says that its receivers came out of a tool, and is refused where a rule refuses it', () => {
    expect(judged(everything, send({}, 'tool')).why).toContain('its target (to) came out of a tool');
    expect(judged(policyWith({ effect: 'deny', tool: 'mail.send' }), send())).toMatchObject({ effect: 'deny' });
  });
});
