/**
 * Owns: the agents of a home, as people wrote them in .oka/rules/agents.
 *
 * 1. oka is always there; a file oka.md replaces its persona and limits.
 * 2. A file that cannot be used costs only its own agent, and is never used in part: its limits would be lost.
 * 3. Nothing here writes, except `oka agents new` for a person.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertRegularFile, describeErrno, listFolder, lstatIfPresent } from '../../core/ledger/disk.ts';
import { type Agent, OKA_AGENT, ROLE_CAPABILITIES } from '../../core/schema/agent-file.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { nearestWord } from '../../core/schema/nearest-word.ts';
import { parseAgent } from '../../core/schema/parse-agent.ts';
import type { InvalidAgent } from '../ports/agents-port.ts';

export type FoundAgents = { agents: readonly Agent[]; invalid: readonly InvalidAgent[] };

const MOST_BYTES = 256 * 1024;
const MOST_AGENTS = 500;

export const agentsFolder = (home: Home): string => join(home.oka, 'rules', 'agents');
export const agentFile = (home: Home, name: string): string => join(agentsFolder(home), `${name}.md`);

/** All agents by name, oka first. */
export function findAgents(home: Home): FoundAgents {
  const agents: Agent[] = [];
  const invalid: InvalidAgent[] = [];
  for (const name of agentNames(home)) {
    try {
      agents.push(readAgent(home, name));
    } catch (error) {
      if (!(error instanceof OkaError)) throw error;
      invalid.push({ name, file: agentFile(home, name), error });
    }
  }
  const hasOka = [...agents, ...invalid].some(({ name }) => name === OKA_AGENT);
  const all = hasOka ? agents : [defaultOka(), ...agents];
  return { agents: all.toSorted(byName), invalid };
}

/** The agent of this name. Throws when there is none, or its file is not valid. */
export function agentNamed({ agents, invalid }: FoundAgents, name: string): Agent {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const wrong = invalid.find((each) => each.name === name);
  if (wrong !== undefined) throw wrong.error;
  const known = agents.map((agent) => agent.name);
  const near = nearestWord(name, known);
  throw new OkaError('usage', `there is no agent "${name}"${near === null ? '' : `; did you mean "${near}"?`}`, {
    fix: `There ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}. Make one: oka agents new ${name}`,
  });
}

function byName(a: Agent, b: Agent): number {
  const [first, second] = [a, b].map(({ name }) => (name === OKA_AGENT ? '' : name)) as [string, string];
  return first < second ? -1 : first > second ? 1 : 0;
}

function agentNames(home: Home): string[] {
  return listFolder(agentsFolder(home))
    .filter((file) => file.endsWith('.md') && !file.startsWith('.'))
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted()
    .slice(0, MOST_AGENTS);
}

function readAgent(home: Home, name: string): Agent {
  const file = agentFile(home, name);
  assertRegularFile(file);
  if ((lstatIfPresent(file)?.size ?? 0) > MOST_BYTES)
    throw new OkaError('invalid-file', `${file} is larger than ${MOST_BYTES / 1024} KB`);
  const text = readAgentText(file);
  return parseAgent({ name, text, file, sha256: hash('sha256', text) });
}

function readAgentText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new OkaError('invalid-file', `${file} was removed while it was read`);
    throw describeErrno(error, file);
  }
}

const PERSONA = `You are oka, the assistant of this home. You answer briefly and plainly, say what you do not know, and
do not claim to have done what you have not done. When work takes more than a few steps, start a task for it.`;

/** The agent that is there without a file. */
export function defaultOka(): Agent {
  return {
    name: OKA_AGENT,
    description: 'The assistant of this home.',
    role: 'writer',
    capabilities: ROLE_CAPABILITIES.writer.most,
    budget: {},
    frames: [],
    persona: PERSONA,
    file: null,
    sha256: hash('sha256', PERSONA),
  };
}
