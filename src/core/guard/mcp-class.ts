/** The class of a tool of an MCP server: what the policy says, and external_mutation where it says nothing. */
import type { SideEffectClass } from '../schema/effect.ts';
import type { Policy } from '../schema/policy.ts';

export function mcpClass({ mcp }: Pick<Policy, 'mcp'>, tool: string): SideEffectClass {
  const found = mcp.find(({ tool: pattern }) =>
    pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
  return found?.class ?? 'external_mutation';
}
