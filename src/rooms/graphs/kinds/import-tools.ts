/** Tools that graphs of Anton name, and what they are called here. People add to it in config.json. */
import { z } from 'zod';
import type { ToolNames } from './importing.ts';

const files: ToolNames = {
  read_file: { tool: 'files.read' },
  read_text_file: { tool: 'files.read' },
  write_file: { tool: 'files.write' },
  list_directory: { tool: 'files.list' },
  search_files: { tool: 'files.search' },
  move_file: { tool: 'files.move', args: { source: 'from', destination: 'to' } },
};

/** A server of tools puts its own name before that of a tool, so both are known. */
export const foreignToolNames: ToolNames = {
  ...files,
  ...Object.fromEntries(Object.entries(files).map(([name, known]) => [`filesystem_${name}`, known])),
  fetch: { tool: 'http.get' },
  fetch_fetch: { tool: 'http.get' },
  web_search: { tool: 'web.search', args: { max_results: 'limit', count: 'limit' } },
  web_search_search: { tool: 'web.search', args: { max_results: 'limit', count: 'limit' } },
  remember: { tool: 'memory.note' },
};

export const GraphImportConfig = z
  .strictObject({
    tools: z
      .record(
        z.string().max(200),
        z.strictObject({
          tool: z.string().max(120).describe('The tool here, such as files.write.'),
          args: z
            .record(z.string().max(200), z.string().max(200))
            .default({})
            .describe('New names of its arguments, where they differ.'),
        }),
      )
      .default({})
      .describe('For the name of a tool in a foreign graph, the tool that does the same here.'),
  })
  .describe('How `oka graph import` reads graphs of other programs.');
