/**
 * The class of a tool of an MCP server: what the policy says; then what a person said when accepting it (`reads` are the
 * tools that only read); and external_mutation where nobody said anything.
 */
import type { SideEffectClass } from '../schema/effect.ts';
import type { Policy } from '../schema/policy.ts';

export function mcpClass({ mcp }: Pick<Policy, 'mcp'>, tool: string, reads?: ReadonlySet<string>): SideEffectClass {
  const found = mcp.find(({ tool: pattern }) =>
    pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
  return found?.class ?? (reads?.has(tool) === true ? 'read' : 'external_mutation');
}
