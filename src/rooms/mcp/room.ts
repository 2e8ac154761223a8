/** What MCP servers contribute: their tools, as mcp.<server>.<tool>, once a person has accepted them. */
import { livePort } from '../../core/schema/live-port.ts';
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, policy, vault, sandbox, egress, artifacts, tools, runs, onDurable } = ports;

export const mcpServers = defineRoom({
  name: 'rooms/mcp',
  homeTools: async (at) => (await import('./accepted-tools.ts')).acceptedToolNames(at),
  detachedTools: async (place) => (await import('./accepted-tools.ts')).detachedMcpTools(place.home),
  findings: async (at) => (await import('./mcp-findings.ts')).mcpFindings(at),
  schemas: async () => ({ mcp: (await import('../../core/schema/mcp.ts')).McpFile }),
  needs: { home, policy, vault, sandbox, egress, artifacts, tools, runs, onDurable, live: livePort },
  open: async (needed) => (await import('./open-mcp.ts')).openMcp(needed),
});
