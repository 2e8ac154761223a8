/** Owns: the difference between the tools that a person has accepted and those that a server has now. */
import { escapeInvisible } from '../../../core/guard/escape-invisible.ts';
import type { McpPins, ToolDefinition } from '../../../core/schema/mcp.ts';
import { saysDeprecated } from '../../../kit/task/offers.ts';
import { canonicalText } from './read-definitions.ts';

export type ToolChange =
  | { kind: 'same'; tool: ToolDefinition }
  | { kind: 'added'; tool: ToolDefinition }
  | { kind: 'changed'; tool: ToolDefinition; before: ToolDefinition; fields: string[] }
  | { kind: 'removed'; tool: ToolDefinition };

/** In the order of their names, deprecated ones last. A tool with another name is one that was added, and one that was removed. */
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
  return [...present, ...removed].toSorted(
    (a, b) => Number(isDeprecated(a.tool)) - Number(isDeprecated(b.tool)) || (a.tool.name < b.tool.name ? -1 : 1),
  );
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

/** A tool that its server advises against; it comes last wherever tools are shown. */
export const isDeprecated = ({ annotations, title, description }: ToolDefinition): boolean =>
  annotations?.['deprecated'] === true || saysDeprecated(`${title ?? ''}\n${description ?? ''}`);

/** Verbs with which the names of tools begin that change something. */
const CHANGES =
  /^(?:add|append|apply|approve|archive|assign|cancel|clear|close|commit|copy|create|delete|deploy|disable|edit|enable|execute|exec|insert|install|invite|kill|lock|merge|modify|move|patch|post|publish|purge|push|put|remove|rename|replace|reset|restart|revoke|run|save|schedule|send|set|share|start|stop|store|submit|sync|transfer|trigger|truncate|undo|update|upload|upsert|write)(?![a-z])/;
/** Arguments that carry something to where the tool acts, or what it is to carry out. */
const CARRIES =
  /^(?:attachments?|body|code|command|content|contents|data|edits?|html|message|payload|script|sql|text|value)$/;

/**
 * Whether a person is offered to let tasks call a tool without a question: its server says that it only reads, and neither its
 * name nor its arguments speak against that. The person decides.
 */
export function looksReadOnly({ name, annotations = {}, inputSchema }: ToolDefinition): boolean {
  const { properties = {} } = inputSchema;
  const names = properties !== null && typeof properties === 'object' ? Object.keys(properties) : [];
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return (
    annotations['readOnlyHint'] === true &&
    annotations['destructiveHint'] !== true &&
    !words.some((word) => CHANGES.test(word)) &&
    !names.some((each) => CARRIES.test(each.toLowerCase()))
  );
}
