import type { ArtifactStore } from '../../schema/ports.ts';
import type { Tool } from '../../schema/tool.ts';
import { editTool, moveTool, removeTool, writeTool } from './files-change.ts';
import { listTool, readTool, searchTool } from './files-look.ts';

export type FilesOptions = {
  /** The folder below which all of it happens. */
  desk: string;
  artifacts?: ArtifactStore;
};

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
