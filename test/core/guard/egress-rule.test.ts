import { describe, expect, it } from 'vitest';
import { egressRule, mayRedirectTo } from '../../../src/core/guard/egress-rule.ts';
import { Policy, type PolicyRule } from '../../../src/core/schema/policy.ts';

const rule = (host: string, effect: PolicyRule['effect'] = 'allow', more: Partial<PolicyRule> = {}): PolicyRule => ({
  effect,
  host,
  examples: [],
  ...more,
});
const verdict = (rules: PolicyRule[], host: string, port = 443, named: string[] = []): string =>
  egressRule(rules, [])(host, port, named).verdict;

describe('E1 what no rule names is refused', () => {
  it('without rules nothing is allowed', () => expect(verdict([], 'example.org')).toBe('refused'));

  it.each([
    ['example.org', 'example.org', 'allowed'],
    ['Example.ORG', 'example.org', 'allowed'],
    ['example.org', 'www.example.org', 'refused'],
    ['example.org', 'evil-example.org', 'refused'],
    ['example.org', 'example.org.evil.test', 'refused'],
    ['*.example.org', 'www.example.org', 'allowed'],
    ['*.example.org', 'a.b.example.org', 'allowed'],
    ['*.example.org', 'example.org', 'refused'],
    ['*.example.org', 'evilexample.org', 'refused'],
    ['*', 'anything.test', 'allowed'],
    ['2001:db8::1', '2001:db8::1', 'allowed'],
    ['[2001:db8::1]', '2001:db8::1', 'allowed'],
    ['192.0.2.1', '192.0.2.1', 'allowed'],
  ])('%s for %s is %s', (pattern, host, expected) => expect(verdict([rule(pattern)], host)).toBe(expected));

  it('a rule about more than a host does not apply to connections', () => {
    for (const more of [
      { program: 'curl' },
      { path: '**' },
      { class: 'read' },
      { risk: 'low' },
      { destructive: false },
    ] as const)
      expect(verdict([rule('example.org', 'allow', more)], 'example.org')).toBe('refused');
    expect(verdict([rule('example.org', 'allow', { tool: 'http.get' })], 'example.org')).toBe('refused');
    for (const tool of ['shell', 'sh*', '*'])
      expect(verdict([rule('example.org', 'allow', { tool })], 'example.org')).toBe('allowed');
  });
});

describe('E2 the stricter rule decides', () => {
  it('a deny rule refuses on every port, whatever else allows it', () => {
    const rules = [rule('*'), rule('*.internal.test', 'deny', { why: 'ours' })];
    expect(
      egressRule(rules, [{ host: 'a.internal.test', port: 443 }])('a.internal.test', 443, ['a.internal.test']),
    ).toEqual({ verdict: 'refused', reason: 'ours' });
    expect(verdict([rule('x.test:8443'), rule('x.test', 'deny')], 'x.test', 8443)).toBe('refused');
  });

  it('an ask rule refuses unless this very step was allowed', () => {
    const rules = [rule('*'), rule('example.org', 'ask')];
    expect(verdict(rules, 'example.org')).toBe('refused');
    expect(verdict(rules, 'example.org', 443, ['example.org'])).toBe('allowed');
    expect(verdict(rules, 'example.org', 22, ['example.org'])).toBe('refused');
  });
});

describe('E3 ports', () => {
  it.each([
    ['example.org', 80, 'allowed'],
    ['example.org', 443, 'allowed'],
    ['example.org', 22, 'refused'],
    ['example.org:8443', 8443, 'allowed'],
    ['example.org:8443', 443, 'refused'],
    ['*:8443', 8443, 'allowed'],
  ] as const)('%s on %i is %s', (pattern, port, expected) =>
    expect(verdict([rule(pattern)], 'example.org', port)).toBe(expected),
  );

  it('a port in brackets', () => expect(verdict([rule('[2001:db8::1]:8443')], '2001:db8::1', 8443)).toBe('allowed'));
});

it.each([
  ['nas.local', 'own network'],
  ['nas.local:443', 'own network'],
  ['git.example.org:443', 'own network'],
  ['192.168.1.20', 'own network'],
  ['nas', 'own network'],
  ['git.example.org', 'public'],
  ['*.example.org:443', 'public'],
  ['*', 'public'],
])('E4 a rule for %s reaches machines that are %s', (pattern, reach) => {
  const [host = ''] = pattern
    .replace('*', 'git.example.org')
    .replace('git.example.org.example', 'git.example')
    .split(':');
  expect(egressRule([rule(pattern)], [])(host, 443)).toMatchObject({ verdict: 'allowed', reach });
});

it('E4 only a registry may be on the own network without being named, on its own host and port', () => {
  const allows = egressRule([rule('example.org')], [{ host: 'npm.local', port: 4873 }]);
  expect(allows('npm.local', 4873)).toMatchObject({ verdict: 'allowed', reach: 'own network' });
  expect(allows('npm.local', 443)).toMatchObject({ verdict: 'refused' });
  expect(allows('example.org', 443)).toMatchObject({ verdict: 'allowed', reach: 'public' });
});

it('E4 a server of a model that the operator configured may be there, too, unless a rule forbids it', () => {
  const servers = ['model.local:11434', '[fd00::1]:8080'];
  const asked = (host: string, port: number, rules: PolicyRule[] = []) =>
    egressRule(rules, [])(host, port, [], servers);
  expect(asked('model.local', 11_434)).toMatchObject({ verdict: 'allowed', reach: 'own network' });
  expect(asked('fd00::1', 8080)).toMatchObject({ verdict: 'allowed', reach: 'own network' });
  expect(asked('model.local', 443)).toMatchObject({ verdict: 'refused' });
  expect(asked('model.local', 11_434, [rule('model.local', 'deny')])).toMatchObject({ verdict: 'refused' });
});

it('a server may send http.get on to where it could have gone without a question', () => {
  const defaults = { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' } as const;
  const budgets = { tokens: 1, usd: 1, tool_calls: 1, retries: 1, replans: 1, seconds: 1, depth: 1, output_bytes: 1 };
  const sentOn = (rules: PolicyRule[], read: 'allow' | 'ask' = 'allow'): boolean =>
    mayRedirectTo(Policy.parse({ version: 1, defaults: { ...defaults, read }, budgets, rules }), 'b.test');
  expect(sentOn([])).toBe(true);
  expect(sentOn([rule('b.test', 'deny')])).toBe(false);
  expect(sentOn([rule('*', 'allow'), rule('*.test', 'ask')])).toBe(false);
  expect(sentOn([], 'ask')).toBe(false);
  expect(sentOn([rule('a.test')], 'ask')).toBe(false);
  expect(sentOn([rule('b.test', 'allow', { tool: 'http.get' })], 'ask')).toBe(true);
});
