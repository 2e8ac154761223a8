/** Tools that can be added and removed while runs are driven. A call in flight continues with the tool it was made with. */
import { OkaError } from '../schema/errors.ts';
import type { ToolRegistry } from '../schema/ports.ts';
import type { Tool } from '../schema/tool.ts';
import { toolsVersion } from '../schema/tool-listing.ts';

export type ChangingTools = ToolRegistry & {
  /** Adds tools; a name that is taken is refused. */
  add: (tools: readonly Tool[]) => void;
  remove: (names: readonly string[]) => void;
};

export function toolRegistry(initial: readonly Tool[] = []): ChangingTools {
  const tools = new Map(initial.map((tool) => [tool.name, tool]));
  let list: readonly Tool[] | null = null;
  let version: string | null = null;
  const changed = (): void => {
    list = null;
    version = null;
  };
  const all = (): readonly Tool[] => (list ??= [...tools.values()]);
  return {
    get: (name) => tools.get(name),
    list: all,
    version: () => (version ??= toolsVersion(all())),
    add: (added) => {
      const taken = added.find(({ name }) => tools.has(name));
      if (taken !== undefined)
        throw new OkaError('usage', `there is a tool "${taken.name}" already`, { fix: 'Remove it first.' });
      for (const tool of added) tools.set(tool.name, tool);
      changed();
    },
    remove: (names) => {
      for (const name of names) tools.delete(name);
      changed();
    },
  };
}

export function asRegistry(tools: readonly Tool[] | ToolRegistry): ToolRegistry {
  return 'get' in tools ? tools : toolRegistry(tools);
}
