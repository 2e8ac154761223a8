import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkAgents } from '../../../src/rooms/agents/check-agents.ts';
import { agentFindings } from '../../../src/rooms/agents/agent-findings.ts';
import { agentFile, agentNamed, agentsFolder, findAgents } from '../../../src/kit/agents/home-agents.ts';
import { openAgents } from '../../../src/kit/agents/open-agents.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { temporaryFolder } from '../../support/cli.ts';

function write(home: Home, name: string, text: string): void {
  mkdirSync(agentsFolder(home), { recursive: true });
  writeFileSync(agentFile(home, name), text);
}

it('oka is there without a file, comes first, and may do what the policy allows', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  write(home, 'arya', '---\ndescription: Looks things up.\n---\nYou read carefully.\n');
  const { agents } = findAgents(home);
  expect(agents.map(({ name }) => name)).toEqual(['oka', 'arya']);
  expect(agents[0]).toMatchObject({ file: null, role: 'writer' });
  expect(agents[0]?.capabilities).toContain('external');
  expect(agents[1]).toMatchObject({
    role: 'reader',
    capabilities: ['read'],
    persona: 'You read carefully.',
    budget: {},
    frames: [],
  });
});

it('every field of a file counts, and a file oka.md replaces the persona of oka', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const text = `---
description: Writes.
role: writer
capabilities: [read, write]
model: openai:gpt-5-mini
tools: [file.read, web.*]
budget: { usd: 0.5 }
mentions: [oka]
frames: [summary, risks]
---
Be brief.
`;
  write(home, 'oka', text);
  expect(findAgents(home).agents).toMatchObject([
    {
      name: 'oka',
      file: agentFile(home, 'oka'),
      capabilities: ['read', 'write'],
      model: 'openai:gpt-5-mini',
      tools: ['file.read', 'web.*'],
      budget: { usd: 0.5 },
      mentions: ['oka'],
      frames: ['summary', 'risks'],
      persona: 'Be brief.',
    },
  ]);
});

it.each([
  ['arya', '---\nrol: reader\n---\n', 'arya.md, line 2, rol: there is no such field; did you mean "role"?'],
  ['arya', '---\nrole: reader\nbudget: { usd: -1 }\n---\n', 'line 3, budget.usd'],
  [
    'arya',
    '---\nrole: reader\ncapabilities: [read, write]\n---\n',
    'line 3, capabilities: a reader agent cannot have "write"',
  ],
  ['all', 'Hello', 'an agent cannot be called "all"'],
  ['Arya', 'Hello', '"Arya" is no name of an agent'],
  ['arya', '---\nmodel: gpt\n---\n', 'line 2, model: must be provider:model'],
])('the file of %s is refused with its line, and the other agents stay: %j', (name, text, problem) => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  write(home, name, text);
  write(home, 'bran', 'You see far.');
  const found = findAgents(home);
  expect(found.agents.map((agent) => agent.name)).toEqual(['oka', 'bran']);
  expect(() => agentNamed(found, name)).toThrow(problem);
});

it('a file oka.md that is not valid is not replaced by the default, whose limits are wider', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  write(home, 'oka', '---\ntools: none\n---\n');
  expect(() => agentNamed(findAgents(home), 'oka')).toThrow('line 2, tools');
});

it('a link is no agent, since the assistant could point it elsewhere', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  write(home, 'bran', 'You see far.');
  symlinkSync(agentFile(home, 'bran'), agentFile(home, 'arya'));
  expect(() => agentNamed(findAgents(home), 'arya')).toThrow('is a symbolic link');
});

it('an unknown name is answered with the nearest one, and a new file counts after a second', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  let now = 0;
  const agents = openAgents(home, () => now);
  write(home, 'gendry', 'You forge.');
  expect(agents.get('gendry').persona).toBe('You forge.');
  expect(() => agents.get('gendri')).toThrow('there is no agent "gendri"; did you mean "gendry"?');
  write(home, 'gendry', 'You forge well.');
  now = 1000;
  expect(agents.get('gendry').persona).toBe('You forge well.');
});

it('a check names unknown providers, tools and agents with the nearest known ones; doctor counts them', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  expect(agentFindings(home, ['openai'])).toEqual([]);
  write(home, 'arya', '---\nmodel: opena:gpt\ntools: [file.raed, web.*, zzz.*]\nmentions: [brn]\n---\n');
  write(home, 'bran', '');
  const checked = checkAgents(home, { providers: ['openai', 'ollama'], tools: ['file.read', 'web.fetch'] });
  expect(checked.find(({ name }) => name === 'arya')?.problems).toEqual([
    'model: there is no provider "opena"; did you mean "openai"?',
    'tools: there is no tool "file.raed"; did you mean "file.read"?',
    'tools: there is no tool "zzz.*"',
    'mentions: there is no agent "brn"; did you mean "bran"?',
  ]);
  expect(agentFindings(home, ['openai'])).toMatchObject([{ state: 'odd', found: 'something is wrong with arya' }]);
  expect(join(home.oka, 'rules', 'agents')).toBe(agentsFolder(home));
});
