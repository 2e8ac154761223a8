import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lineClassifierOf } from '../../../src/kit/policy/classifier.ts';
import { openPolicy, type PolicyFile } from '../../../src/kit/policy/policy-file.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { askingHome } from '../../support/approvals.ts';
import { temporaryFolder } from '../../support/cli.ts';

/** A change counts when it has stayed for a look. */
function lookedAt(file: PolicyFile): string[] {
  return [file.poll(), file.poll(), file.poll()].map(({ kind }) => kind);
}

const opened = (home: Home): PolicyFile => openPolicy(home.policy, lineClassifierOf(home));

describe('the policy of a home', () => {
  it('Y1 a change is told once, and holds when it is told to', () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const policy = opened(home);
    const before = policy.now();
    expect(lookedAt(policy)).toEqual(['same', 'same', 'same']);
    writeFileSync(home.policy, readFileSync(home.policy, 'utf8').replace('effect: ask', 'effect: deny'));
    policy.poll();
    const looked = policy.poll();
    if (looked.kind !== 'loaded') throw new Error(looked.kind);
    expect(policy.now()).toBe(before);
    policy.activate(looked);
    expect(policy.now()).toMatchObject({ policy: { rules: [{ effect: 'deny' }] } });
    expect(policy.now().sha256).not.toBe(before.sha256);
    expect(lookedAt(policy)).toEqual(['same', 'same', 'same']);
  });

  it('Y1 what is not valid, not there or not a file leaves the one before, and is told once', () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const policy = opened(home);
    const before = policy.now();
    writeFileSync(home.policy, '---\nversion: 1\n---\n');
    expect(lookedAt(policy)).toEqual(['same', 'invalid', 'same']);
    renameSync(home.policy, `${home.policy}.moved`);
    expect(lookedAt(policy)).toEqual(['same', 'invalid', 'same']);
    symlinkSync(`${home.policy}.moved`, home.policy);
    expect(lookedAt(policy)).toEqual(['same', 'invalid', 'same']);
    expect(policy.now()).toBe(before);
  });

  it('the same words saved again are no change', () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const policy = opened(home);
    const text = readFileSync(home.policy);
    rmSync(home.policy);
    writeFileSync(home.policy, text);
    expect(lookedAt(policy)).toEqual(['same', 'same', 'same']);
  });

  it('checks examples by the classifier of the home', () => {
    using folder = temporaryFolder();
    const rule = (example: string) => (policy: string) =>
      policy.replace('rules:\n', `rules:\n  - { effect: deny, program: rm, examples: ["${example}"] }\n`);
    expect(opened(askingHome(folder.dir, rule('rm -r notes'))).now().policy.rules).toHaveLength(2);
    expect(() => opened(askingHome(folder.dir, rule('ls notes')))).toThrow(/line \d+, rules\.0\.examples\.0/);
  });
});
