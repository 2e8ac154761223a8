/** Owns: what is wrong with an agent besides the form of its file: names of models, tools and agents that are not there. */
import { OKA_AGENT, type Agent } from '../../core/schema/agent-file.ts';
import type { Home } from '../../core/schema/home.ts';
import { nearestWord } from '../../core/schema/nearest-word.ts';
import { findAgents } from '../../kit/agents/home-agents.ts';

type CheckedAgent = { name: string; file: string | null; problems: readonly string[] };

/** What agents may name; without `tools` their names are not checked. */
type KnownNames = { providers: readonly string[]; tools?: readonly string[] };

/** Every agent of the home with its problems, those without any too. */
export function checkAgents(home: Home, names: KnownNames): CheckedAgent[] {
  const { agents, invalid } = findAgents(home);
  const known: Known = { ...names, agents: [...agents, ...invalid].map(({ name }) => name) };
  return [
    ...agents.map((agent) => ({ name: agent.name, file: agent.file, problems: nameProblems(agent, known) })),
    ...invalid.map(({ name, file, error }) => ({ name, file, problems: [error.message] })),
  ].toSorted((a, b) => (a.name === OKA_AGENT ? -1 : b.name === OKA_AGENT ? 1 : a.name < b.name ? -1 : 1));
}

type Known = KnownNames & { agents: readonly string[] };

function nameProblems({ model, tools = [], mentions = [] }: Agent, known: Known): string[] {
  const provider = model?.slice(0, model.indexOf(':'));
  return [
    ...(provider === undefined || known.providers.includes(provider)
      ? []
      : [`model: there is no provider "${provider}"${suggestion(provider, known.providers)}`]),
    ...(known.tools === undefined ? [] : unknownTools(tools, known.tools)),
    ...mentions
      .filter((name) => !known.agents.includes(name))
      .map((name) => `mentions: there is no agent "${name}"${suggestion(name, known.agents)}`),
  ];
}

function unknownTools(tools: readonly string[], known: readonly string[]): string[] {
  return tools
    .filter((tool) => !isKnownTool(tool, known))
    .map((tool) => `tools: there is no tool "${tool}"${suggestion(tool, known)}`);
}

function isKnownTool(name: string, tools: readonly string[]): boolean {
  if (!name.endsWith('*')) return tools.includes(name);
  return tools.some((tool) => tool.startsWith(name.slice(0, -1)));
}

function suggestion(word: string, names: readonly string[]): string {
  const near = nearestWord(word, names);
  return near === null ? '' : `; did you mean "${near}"?`;
}
