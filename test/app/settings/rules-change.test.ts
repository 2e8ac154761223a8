import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeRules, previewChange, type RulesChange } from '../../../src/app/settings/rules-change.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { temporaryFolder } from '../../support/cli.ts';

const HEAD =
  '---\nversion: 1\ndefaults: { read: allow, write_local: allow, external_mutation: ask, deny: deny }\nbudgets: {}\n';
const POLICY = `${HEAD}# Mine.
rules:
  - effect: deny
    program: curl # not here
  # About the tool below.
  - effect: ask
    tool: http.get
---
# Rules
`;

function homeWith(dir: string, files: Readonly<Record<string, string>>): Home {
  const home = homeAt(dir);
  mkdirSync(join(home.oka, 'rules'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.oka, 'rules', name), text);
  return home;
}

describe('a change of the rules', () => {
  it('adds a rule behind the others, and leaves every other byte as it was', () => {
    using folder = temporaryFolder();
    const home = homeWith(folder.dir, { 'POLICY.md': POLICY });
    const change: RulesChange = {
      change: 'add_rule',
      effect: 'ask',
      about: 'program',
      value: 'git',
      why: 'It: "pushes"',
    };
    const { after, problem } = changeRules(home, change);
    expect(problem).toBe(null);
    const added = '  - effect: ask\n    program: git\n    why: "It: \\"pushes\\""\n';
    expect(after).toBe(POLICY.replace('    tool: http.get\n', `    tool: http.get\n${added}`));
  });

  it.each([
    ['an empty list', `${HEAD}rules: []\n---\n`],
    ['no list', `${HEAD}---\n`],
  ])('adds the first one where there is %s', (_, text) => {
    using folder = temporaryFolder();
    const home = homeWith(folder.dir, { 'POLICY.md': text });
    const change: RulesChange = { change: 'add_rule', effect: 'deny', about: 'host', value: '*.example.org', why: '' };
    expect(changeRules(home, change)).toMatchObject({
      problem: null,
      after: `${HEAD}rules:\n  - effect: deny\n    host: "*.example.org"\n---\n`,
    });
  });

  it('takes away one rule, and the comment above the next one stays with it', () => {
    using folder = temporaryFolder();
    const home = homeWith(folder.dir, { 'POLICY.md': POLICY });
    const { after } = changeRules(home, { change: 'remove', list: 'rules', index: 0 });
    expect(after).toBe(POLICY.replace('  - effect: deny\n    program: curl # not here\n', ''));
    const second = changeRules(home, { change: 'remove', list: 'rules', index: 1 });
    expect(second.problem).toBe(null);
    expect(second.after).not.toContain('http.get');
    expect(second.after).toContain('program: curl # not here');
  });

  it('is refused where the guard could not read what would be there', () => {
    using folder = temporaryFolder();
    const home = homeWith(folder.dir, { 'POLICY.md': POLICY });
    const vague = POLICY.replace('    tool: http.get\n', '');
    expect(previewChange(home, { change: 'text', text: vague }).problem).toMatch(/matches everything/);
    expect(previewChange(home, { change: 'text', text: 'nothing' }).problem).toMatch(/front matter/);
    expect(previewChange(home, { change: 'text', text: POLICY }).problem).toBe('Nothing changes.');
    const nowhere = previewChange(home, { change: 'entry', file: 'mcp.json', name: 'x', entry: { comand: 'npx' } });
    expect(nowhere.problem).toMatch(/x cannot be used/);
  });

  it('switches a server off and on, and removes it, with the others as they were', () => {
    using folder = temporaryFolder();
    const servers = { mcpServers: { one: { command: 'npx' }, two: { url: 'https://example.org/mcp' } } };
    const home = homeWith(folder.dir, { 'POLICY.md': POLICY, 'mcp.json': JSON.stringify(servers) });
    const after = (change: RulesChange): unknown => JSON.parse(changeRules(home, change).after);
    const off: RulesChange = { change: 'switch', file: 'mcp.json', name: 'one', on: false };
    expect(after(off)).toEqual({ mcpServers: { ...servers.mcpServers, one: { command: 'npx', disabled: true } } });
    expect(after({ change: 'entry', file: 'mcp.json', name: 'two', entry: null })).toEqual({
      mcpServers: { one: { command: 'npx' } },
    });
    expect(changeRules(home, { ...off, name: 'three' }).problem).toMatch(/there is no three/);
  });

  it.each<RulesChange>([
    { change: 'add_rule', effect: 'ask', about: 'program', value: 'git', why: 'OKA' },
    { change: 'remove', list: 'rules', index: 0 },
    { change: 'text', text: POLICY.replace('# Mine.', '# Ours.').replace('# Rules', '# Rules\n\nMore.') },
    { change: 'entry', file: 'mcp.json', name: 'one', entry: { command: 'npx' } },
  ])('the command for the host makes the same file: $change', (change) => {
    using folder = temporaryFolder();
    const home = homeWith(folder.dir, { 'POLICY.md': POLICY });
    const { file, after } = changeRules(home, change);
    const { command } = previewChange(home, change, false);
    execFileSync('sh', ['-c', command ?? 'exit 1'], { cwd: folder.dir });
    expect(readFileSync(join(home.oka, 'rules', file), 'utf8')).toBe(after);
  });
});
