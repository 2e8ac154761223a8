/** Walks a folder in a process of its own, which may be one of another user or locale, and prints its nodes and its root. */
import './rooms-of-product.ts';
import { diffTree } from '../../src/rooms/context/scan/diff-tree.ts';
import { emptyCache } from '../../src/rooms/context/scan/stat-cache.ts';
import { walkWorkspace } from '../../src/rooms/context/scan/walk-workspace.ts';

const walking = walkWorkspace({
  root: process.argv[2] ?? '',
  cache: emptyCache(),
  force: false,
  maxFileBytes: 1e9,
  redact: (text) => text,
  clock: Date.now,
});
let next = walking.next();
while (next.done !== true) next = walking.next();
const { changes } = diffTree(emptyCache(), next.value.cache, () => undefined);
process.stdout.write(JSON.stringify(changes));
