import type { Tool } from '../../../core/schema/tool.ts';
import { editTool, moveTool, removeTool, writeTool } from './files-change.ts';
import { listTool, readTool, searchTool } from './files-read.ts';
import type { FilesOptions } from './files-options.ts';

export function filesTools(options: FilesOptions): Tool[] {
  return [
    readTool(options),
    listTool(options),
    searchTool(options),
    writeTool(options),
    editTool(options),
    moveTool(options),
    removeTool(options),
  ];
}
