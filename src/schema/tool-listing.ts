/** What is recorded of the tools that a run could call: enough to see later whether they are still the same. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Json } from './json.ts';
import type { Tool } from './tool.ts';

export type ListedTool = { name: string; annotations: Tool['annotations']; input: Json };

const listed = new WeakMap<Tool, ListedTool>();

export function listTool(tool: Tool): ListedTool {
  const known = listed.get(tool);
  if (known !== undefined) return known;
  const input = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as Json;
  const made = { name: tool.name, annotations: tool.annotations, input };
  listed.set(tool, made);
  return made;
}

/** The same for the same tools, in whatever order they were added. */
export function toolsVersion(tools: readonly Tool[]): string {
  const list = tools.map(listTool).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return hash('sha256', JSON.stringify(list));
}
