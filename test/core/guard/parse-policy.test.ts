import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { classify as classifyCommand } from '../../../src/core/guard/classify/classify-command.ts';
import { parsePolicy } from '../../../src/core/guard/parse-policy.ts';
import type { Classified } from '../../../src/core/schema/command.ts';

/** Enough of a classifier to check examples against. */
function classify(line: string): Classified {
  const words = line.split(' ');
  return {
    class: words[0] === 'git' ? 'external_mutation' : words[0] === 'sudo' ? 'deny' : 'read',
    reason: 'a test says so',
    programs: words.slice(0, 1),
    paths: words.filter((word) => word.includes('/') && !word.includes(':')),
    hosts: words.flatMap((word) => (word.startsWith('https://') ? [new URL(word).hostname] : [])),
    net: false,
  };
}

const HEAD = `---
version: 1
defaults: { read: allow, write_local: allow, external_mutation: ask, deny: deny }
budgets: {}
`;

/** The first rule stands on line 6. */
const policy = (rules: string): string => `${HEAD}rules:\n${rules}---\nWords.\n`;
const parse = (text: string) => parsePolicy(text, 'POLICY.md', classify);

describe('the policy', () => {
  it('that ships is valid, allows reading and the desk, and asks about the rest', () => {
    const shipped = fileURLToPath(new URL('../../../share/home/rules/POLICY.md', import.meta.url));
    const { defaults, rules, approvals } = parse(readFileSync(shipped, 'utf8'));
    expect(defaults).toEqual({ read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' });
    expect(rules).toEqual([]);
    expect(approvals.expire_hours).toBe(24);
  });

  it('that its own prose shows as an example is valid', () => {
    const shipped = readFileSync(
      fileURLToPath(new URL('../../../share/home/rules/POLICY.md', import.meta.url)),
      'utf8',
    );
    const example = /\n {4}rules:\n((?: {6}.*\n)+)/.exec(shipped)?.[1]?.replaceAll(/^ {4}/gm, '') ?? '';
    const real = (line: string): Classified => classifyCommand({ line });
    expect(parsePolicy(policy(example), 'POLICY.md', real).rules).toHaveLength(2);
  });

  it.each([
    ['  - { effect: allowed, program: git }', 6, /effect/],
    ['  - effect: ask\n    programme: git', 7, /no such setting/],
    ['  - effect: deny', 6, /matches everything/],
    ['  - effect: ask\n    why: nothing is said', 6, /matches everything/],
    ['  - effect: allow\n    class: external_mutation', 6, /name the tool, the program or the host/],
    ['  - effect: allow\n    tool: shell\n    class: deny', 8, /always refused/],
    ['  - effect: ask\n    tool: "fi*es"', 7, /\* is allowed only at the end/],
    ['  - effect: ask\n    program: git\n    risk: extreme', 8, /risk/],
    ['  - effect: ask\n    program: ""', 7, /program/],
    ['  - effect: ask\n    program: git\n    program: ls', 8, /unique/],
    [
      '  - effect: allow\n    program: git\n    examples:\n      - git push\n      - ls x',
      10,
      /does not match this example/,
    ],
    ['  - effect: allow\n    program: sudo\n    examples: [sudo ls]', 8, /never allowed: a test says so/],
    ['  - effect: ask\n    tool: http.*\n    examples: [git push]', 8, /does not match/],
  ])('P1 P2 is refused with file, line and reason: %j', (rule, line, reason) => {
    expect(() => parse(policy(`${rule}\n`))).toThrow(
      expect.objectContaining({
        code: 'invalid-file',
        message: expect.stringMatching(new RegExp(`^POLICY\\.md(?:, |: )line ${line}\\b[^]*${reason.source}`)),
      }),
    );
  });

  it.each([
    ['', /no front matter/],
    ['# only prose\n', /no front matter/],
    [HEAD, /not closed/],
    ['---\nversion: 2\n---\n', /line 2, version/],
    [HEAD.replace('deny: deny', 'deny: allow').concat('---\n'), /line 3, defaults\.deny/],
    [HEAD.replace('budgets: {}', 'budgets: { usd: -1 }').concat('---\n'), /line 4, budgets\.usd/],
    [`${HEAD}approvals: { expire_hours: 0 }\n---\n`, /line 5, approvals\.expire_hours/],
    ['---js\n({})\n---\n', /only plain YAML/],
  ])('is refused whole when it is not understood whole: %j', (text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });

  it('names every problem at once', () => {
    const rules = '  - { effect: deny }\n  - { effect: allow, class: read }\n';
    expect(() => parse(policy(rules))).toThrow(/line 6, rules\.0[^]*line 7, rules\.1/);
  });

  it('keeps the examples of rules that match them', () => {
    const { rules } = parse(policy('  - effect: deny\n    path: a/**\n    examples: [cat a/b, ls x a/b/c]\n'));
    expect(rules[0]).toMatchObject({ effect: 'deny', examples: ['cat a/b', 'ls x a/b/c'] });
  });
});
