/** Owns: the run of a reply: a graph of one agent node, within what the agent's file and the settings allow. */
import type { Agent, AgentCapability } from '../../core/schema/agent-file.ts';
import type { ReplyCost } from '../../core/schema/chat.ts';
import type { ChatConfig } from '../../core/schema/chat-config.ts';
import type { SideEffectClass } from '../../core/schema/effect.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Budgets } from '../../core/schema/run.ts';
import { CHAT_SEARCH } from './chat-search-tool.ts';
import { TASK_START } from './task-start-tool.ts';
import { isServerTool, type Tool } from '../../core/schema/tool.ts';

const CLASSES: Readonly<Partial<Record<AgentCapability, SideEffectClass>>> = {
  read: 'read',
  write: 'write_local',
  external: 'external_mutation',
};

type KnownTool = Pick<Tool, 'name' | 'internal' | 'annotations'>;

/** Texts of messages are no part of it: what a graph says counts as the operator's words. */
export function replyGraph(agent: Agent, tools: readonly KnownTool[]): Graph {
  return Graph.parse({
    id: 'oka.chat',
    title: 'Answer in a conversation',
    nodes: [
      {
        kind: 'agent',
        id: 'reply',
        title: 'Reply',
        goal: 'Answer the message {{input.message}}',
        timeout_seconds: 600,
        max_retries: 1,
        classes: agent.capabilities.flatMap((capability) => CLASSES[capability] ?? []),
        tools: toolsOf(agent, tools),
      },
    ],
  });
}

/**
 * The tools that the file names; without any, those of oka itself that fit the capabilities (tools of servers are found
 * by a search). Internal tools are for oka alone, whatever a file says, but every reply may search its conversation, and
 * an agent that may do all that a task may do starts tasks, unless its file names other tools only.
 */
function toolsOf({ tools: patterns, capabilities }: Agent, tools: readonly KnownTool[]): string[] {
  const mayChange = capabilities.some((capability) => capability === 'write' || capability === 'external');
  const mayStart = capabilities.includes('write') && capabilities.includes('external');
  const isNamed = (name: string): boolean =>
    patterns?.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern)) ===
    true;
  const isUsual = ({ name, annotations }: KnownTool): boolean =>
    !isServerTool(name) && (mayChange || annotations.read_only);
  return tools
    .filter((tool) => tool.internal !== true && (patterns === undefined ? isUsual(tool) : isNamed(tool.name)))
    .map(({ name }) => name)
    .slice(0, MOST_TOOLS)
    .concat(CHAT_SEARCH, mayStart && (patterns === undefined || isNamed(TASK_START)) ? TASK_START : []);
}

const MOST_TOOLS = 98;

/** The lowest of what the settings, the agent and the rest of the chain allow. */
export function replyBudgets(agent: Agent, { reply, chain }: ChatConfig, spent: ReplyCost): Budgets {
  const left: Budgets = {
    tool_calls: Math.max(0, chain.calls - spent.calls),
    tokens: Math.max(0, chain.tokens - spent.tokens),
    usd: Math.max(0, chain.usd - spent.usd),
  };
  const budgets: Budgets = {};
  for (const limits of [reply, agent.budget, left])
    for (const name of Object.keys(limits) as (keyof Budgets)[])
      budgets[name] = Math.min(limits[name] ?? Number.POSITIVE_INFINITY, budgets[name] ?? Number.POSITIVE_INFINITY);
  return budgets;
}

/** Which limit of a chain is used up; null while none is. */
export function exhaustedChain({ chain }: ChatConfig, spent: ReplyCost): string | null {
  if (spent.calls >= chain.calls) return `its budget of ${chain.calls} calls is used up`;
  if (spent.tokens >= chain.tokens) return `its budget of ${chain.tokens} tokens is used up`;
  return spent.usd >= chain.usd ? `its budget of ${chain.usd} US dollars is used up` : null;
}
