/** Owns: the agents of a home while a process works with them; files that people change count at once. */
import type { Home } from '../../core/schema/home.ts';
import { agentNamed, findAgents, type FoundAgents } from './home-agents.ts';
import type { AgentsPort } from '../ports/agents-port.ts';

/** Reading ten files takes a millisecond; a chain of mentions asks several times a second. */
const FRESH_MS = 1000;

export function openAgents(home: Home, clock: () => number): AgentsPort {
  let known: { at: number; found: FoundAgents } | null = null;
  const find = (): FoundAgents => {
    const now = clock();
    if (known === null || Math.abs(now - known.at) >= FRESH_MS) known = { at: now, found: findAgents(home) };
    return known.found;
  };
  return {
    list: () => find().agents,
    get: (name) => agentNamed(find(), name),
    invalid: () => find().invalid,
  };
}
