/** Owns: the difference between the tools that a person has accepted and those that a server has now. */
import { escapeInvisible } from '../../../core/guard/escape-invisible.ts';
import type { McpPins, ToolDefinition } from '../../../core/schema/mcp.ts';
import { canonicalText } from './read-definitions.ts';

export type ToolChange =
  | { kind: 'same'; tool: ToolDefinition }
  | { kind: 'added'; tool: ToolDefinition }
  | { kind: 'changed'; tool: ToolDefinition; before: ToolDefinition; fields: string[] }
  | { kind: 'removed'; tool: ToolDefinition };

/** In the order of their names. A tool with another name is one that was added, and one that was removed. */
export function compareTools(pins: McpPins | null, now: readonly ToolDefinition[]): ToolChange[] {
  const before = new Map((pins?.tools ?? []).map((tool) => [tool.name, tool]));
  const present = now.map((tool): ToolChange => {
    const known = before.get(tool.name);
    before.delete(tool.name);
    if (known === undefined) return { kind: 'added', tool };
    const fields = changedFields(known, tool);
    return fields.length === 0 ? { kind: 'same', tool } : { kind: 'changed', tool, before: known, fields };
  });
  const removed = [...before.values()].map((tool): ToolChange => ({ kind: 'removed', tool }));
  return [...present, ...removed].toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

/** The tools that may be used: those that are as they were accepted. */
export function acceptedTools(pins: McpPins | null, now: readonly ToolDefinition[]): ToolDefinition[] {
  return compareTools(pins, now).flatMap((change) => (change.kind === 'same' ? [change.tool] : []));
}

const FIELDS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

function changedFields(before: ToolDefinition, now: ToolDefinition): string[] {
  return FIELDS.filter((field) => canonicalText(before[field] ?? null) !== canonicalText(now[field] ?? null));
}

const MOST_DESCRIPTION = 2048;

/** A server's words as they are shown to models and people: nothing hidden, and at most 2 KB. */
export function shownDescription({ title, description }: ToolDefinition): string {
  const words = escapeInvisible(description ?? title ?? '');
  if (Buffer.byteLength(words) <= MOST_DESCRIPTION) return words;
  const cut = Buffer.from(words)
    .subarray(0, MOST_DESCRIPTION - 40)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${cut} ⟦cut: ${Buffer.byteLength(words)} bytes⟧`;
}
