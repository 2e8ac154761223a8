/** What agents contribute: who can be mentioned, and what `oka doctor` reports about their files. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, agents: agentsPort } = ports;

export const agents = defineRoom({
  name: 'rooms/agents',
  schemas: async () => ({ agent: (await import('../../core/schema/agent-file.ts')).AgentFile }),
  findings: async (at, { loadProviders }) => {
    const providers = (await loadProviders()).map(({ name }) => name);
    return (await import('./agent-findings.ts')).agentFindings(at, providers);
  },
  needs: { home },
  gives: { agents: agentsPort },
  open: async (needed) => {
    const { openAgents } = await import('../../kit/agents/open-agents.ts');
    return { gives: { agents: openAgents(needed.home, Date.now) } };
  },
});
