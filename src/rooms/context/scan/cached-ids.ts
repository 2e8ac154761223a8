/** Where nodes are, by their ids, out of the stat cache: it has all ids of a tree side by side, so that none is parsed. */
import { joinPath } from '../model/tree-rows.ts';
import { toPathText } from './path-text.ts';
import { isInTree, VANISHED } from './scan-entry.ts';
import { idAt, namesOf, readCache, type StatCache } from './stat-cache.ts';

/** Null when the cache is about another tree. */
export function cachedIdPaths(file: string, root: string, start: string): string[] | null {
  const cache = readCache(file);
  return cache.folders.get('')?.id === root ? pathsOfStart(cache, start) : null;
}

function pathsOfStart(cache: StatCache, start: string): string[] {
  const [first, second] = Buffer.from(start.slice(0, 4), 'hex');
  const found: string[] = [];
  for (const folder of cache.folders.values()) {
    for (let index = folder.first; index < folder.first + folder.count; index += 1) {
      if (cache.ids[index * 32] !== first || cache.ids[index * 32 + 1] !== second) continue;
      if (!isInTree(cache.codes[index] ?? VANISHED) || !idAt(cache, index).startsWith(start)) continue;
      found.push(joinPath(folder.path, namesOf(folder)[index - folder.first] ?? ''));
    }
  }
  return found.map((path) => path.split('/').map(toPathText).join('/'));
}
