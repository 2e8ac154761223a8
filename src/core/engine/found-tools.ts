/**
 * Owns: which tools of servers an agent may call because a search of its own has found them.
 *
 * Only tools of servers: a step that names few built-in tools never gets another built-in one by searching.
 */
import type { Json } from '../schema/json.ts';
import type { Evidence } from '../schema/ports.ts';
import { isServerTool, TOOL_SEARCH } from '../schema/tool.ts';

export function foundTools(evidence: readonly Evidence[]): string[] {
  const found = new Set<string>();
  for (const { decision, outcome, output } of evidence)
    if (decision.kind === 'CallTool' && decision.tool === TOOL_SEARCH && outcome === 'ok')
      for (const name of namesIn(output)) if (isServerTool(name)) found.add(name);
  return [...found];
}

function namesIn(output: Json): string[] {
  const tools = output !== null && typeof output === 'object' && !Array.isArray(output) ? output['tools'] : undefined;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) =>
    tool !== null && typeof tool === 'object' && !Array.isArray(tool) && typeof tool['name'] === 'string'
      ? [tool['name']]
      : [],
  );
}
