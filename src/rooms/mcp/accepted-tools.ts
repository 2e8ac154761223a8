/** Owns: which tools of which servers may be used, as far as that is known without asking the servers. */
import { mcpClass } from '../../core/guard/mcp-class.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { McpPins, McpServer, ToolDefinition } from '../../core/schema/mcp.ts';
import type { Outcome, Tool } from '../../core/schema/tool.ts';
import { createMcpTool, mcpToolName } from './client/mcp-tool.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';
import { loadPolicy } from '../../kit/policy/policy-file.ts';
import { loadServers } from './mcp-file.ts';
import { readNote, readPins } from './mcp-pins.ts';
import { serverIdentity } from './server-command.ts';

export type ServerState =
  /** Its accepted tools can be used; `changed` differ from what was accepted, as it was last seen. */
  | {
      state: 'ready';
      tools: readonly ToolDefinition[];
      reads: readonly string[];
      allowed: NonNullable<McpPins['allowed']>;
      changed: readonly string[];
    }
  /** Nobody has accepted its tools, or it is another server than the one that was accepted. */
  | { state: 'waiting'; why: string }
  | { state: 'unusable'; why: string };

type AcceptedServers = {
  servers: ReadonlyMap<string, McpServer>;
  tools: { server: string; tool: ToolDefinition }[];
  /** The whole names of those of which a person said that they only read. */
  reads: ReadonlySet<string>;
  /** By the whole name of a tool: who answered "always for this tool". */
  allowed: ReadonlyMap<string, string>;
};

export function acceptedServers(home: Home): AcceptedServers {
  const { servers } = loadServers(home);
  const reads = new Set<string>();
  const allowed = new Map<string, string>();
  const tools = [...servers].flatMap(([server, entry]) => {
    const found = serverState(home, server, entry);
    if (found.state !== 'ready') return [];
    for (const name of found.reads) reads.add(mcpToolName(server, name));
    for (const { tool, by } of found.allowed) allowed.set(mcpToolName(server, tool), by);
    return found.tools.map((tool) => ({ server, tool }));
  });
  return { servers, tools, reads, allowed };
}

export function serverState(home: Home, name: string, server: McpServer): ServerState {
  const accepted = readPins(home, name);
  if (accepted.kind === 'none') return { state: 'waiting', why: 'nobody has accepted its tools yet' };
  if (accepted.kind === 'unreadable') return { state: 'unusable', why: accepted.problem };
  const { identity, tools, reads = [], allowed = [] } = accepted.pins;
  try {
    if (serverIdentity(home, server) !== identity)
      return { state: 'waiting', why: 'its command, package or address has changed since its tools were accepted' };
  } catch (error) {
    return { state: 'unusable', why: messageOf(error) };
  }
  const note = readNote(home, name);
  return { state: 'ready', tools, reads, allowed, changed: note?.identity === identity ? note.changed : [] };
}

/** For a simulation or a replay, which call none of them. */
export function detachedMcpTools(home: Home): Tool[] {
  const { policy } = loadPolicy(home.policy, lineClassifierOf(home));
  const call = (): Promise<Outcome> => Promise.resolve({ status: 'failed', error: 'no server is called here' });
  const { tools, reads, allowed } = acceptedServers(home);
  return tools.map(({ server, tool }) =>
    createMcpTool(server, tool, { classOf: (name) => mcpClass(policy, name, reads), call, allowed }),
  );
}

/** The names of the tools that graphs and rules may name. */
export function acceptedToolNames(home: Home): string[] {
  return acceptedServers(home).tools.map(({ server, tool }) => mcpToolName(server, tool.name));
}
