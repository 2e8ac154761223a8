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

/** The list as it is stored; the same for the same tools, in whatever order they were added. */
export function toolsListing(tools: readonly Tool[]): string {
  return JSON.stringify(tools.map(listTool).toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

/** The hash of the list, by which it is found among the artifacts. */
export function toolsVersion(tools: readonly Tool[]): string {
  return hash('sha256', toolsListing(tools));
}
