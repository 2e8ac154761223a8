/** What `oka doctor` reports about agents; nothing where a person has written none. */
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { checkAgents } from './check-agents.ts';

const MOST_NAMED = 3;

export function agentFindings(home: Home, providers: readonly string[]): Finding[] {
  const written = checkAgents(home, { providers }).filter(({ file }) => file !== null);
  if (written.length === 0) return [];
  const what = 'agents';
  const wrong = written.filter(({ problems }) => problems.length > 0).map(({ name }) => name);
  if (wrong.length === 0) return [{ state: 'good', what, found: `${written.length} can be mentioned` }];
  const more = wrong.length > MOST_NAMED ? ` and ${wrong.length - MOST_NAMED} more` : '';
  const found = `something is wrong with ${wrong.slice(0, MOST_NAMED).join(', ')}${more}`;
  return [{ state: 'odd', what, found, fix: 'Run oka agents check, and correct the files in .oka/rules/agents.' }];
}
