/** Owns: names of tools as providers accept them: letters, digits, _ and -, at most 64; ours contain dots. */
import type { ModelTool } from '../../core/schema/ports.ts';

const LONGEST = 64;

export type ToolNames = {
  /** The tools as they are sent, in the given order. */
  sent: readonly (ModelTool & { as: string })[];
  /** Our name for one that the model used; null if there is no such tool. */
  meant(name: string): string | null;
};

export function toolNames(tools: readonly ModelTool[]): ToolNames {
  const taken = new Map<string, string>();
  const sent = tools.map((tool) => {
    const as = freeName(tool.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, LONGEST), taken);
    taken.set(as, tool.name);
    return { ...tool, as };
  });
  const own = new Set(tools.map((tool) => tool.name));
  return { sent, meant: (name) => taken.get(name) ?? (own.has(name) ? name : null) };
}

function freeName(wanted: string, taken: ReadonlyMap<string, string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let count = 2; ; count += 1) {
    const name = `${wanted.slice(0, LONGEST - 4)}_${count}`;
    if (!taken.has(name)) return name;
  }
}
