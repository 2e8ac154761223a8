/** Owns: what a server may really use: the folders of its entry and where they lead to, and whether it can pass on what it is given. */
import { realpathSync } from 'node:fs';
import { expandFolder, findFolder, whyNeverOpened } from '../../core/guard/folder-paths.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { isInFolder, type OpenFolder } from '../../core/schema/folder.ts';
import type { Home } from '../../core/schema/home.ts';
import { isStdio, type McpServer } from '../../core/schema/mcp.ts';
import { folderPlaces } from '../../kit/settings.ts';

/** Real paths. Throws for a folder that is missing or never opened. */
export function serverFolders(home: Home, server: Pick<McpServer, 'paths' | 'write'>): OpenFolder[] {
  const places = folderPlaces({ oka: realpathSync(home.oka), workspace: realpathSync(home.workspace) });
  return [
    ...server.write.map((written) => ({ written, access: 'write' as const })),
    ...server.paths.map((written) => ({ written, access: 'read' as const })),
  ].map(({ written, access }) => {
    const field = access === 'write' ? 'write' : 'paths';
    const expanded = expandFolder(written, places.user);
    const found = 'problem' in expanded ? expanded : findFolder(expanded.path, []);
    const problem = 'problem' in found ? found.problem : whyNotForServer({ path: found.real, access });
    if ('problem' in found || problem !== null)
      throw new OkaError('not-permitted', `"${written}" below ${field}: ${problem}`, {
        fix: 'Correct the entry of the server in .oka/rules/mcp.json.',
      });
    return { path: found.real, access };
  });

  /** The program of a server may be next to that of oka, and it may read the desk; it never writes there, past undo. */
  function whyNotForServer(folder: OpenFolder): string | null {
    const { workspace } = places;
    if (folder.access === 'read' && isInFolder(folder.path, `${workspace}/desk`)) return null;
    return whyNeverOpened(folder, places);
  }
}

/** Whether a server could pass on what it is given: it is elsewhere, or its process reaches the network in its sandbox. */
const reachesOthers = (server: McpServer): boolean => !isStdio(server) || server.net.length > 0;

/** Whether a call of it is asked about after something private was read: a person may have said that it may get that. */
export const mayPassOn = (server: McpServer | undefined): boolean =>
  server === undefined || (reachesOthers(server) && server.send !== true);
