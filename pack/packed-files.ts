/** Which files the package has, where they come from, and how large they are. */
import { globSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const top = join(import.meta.dirname, '..');
const COPIED = ['README.md', 'LICENSE', 'CHANGELOG.md', '{bin,share,docs,native}/**'];
/** The launcher that was built here is for this machine; the package has the prebuilt ones. */
const BUILT_HERE = /^native\/oka-launch/;
/** Pages for those who change the code: they name tests, which are not in the package either. */
const FOR_WORK = /^docs\/(?:JOINTS|SEEDS|WORDS)\.md$/;

/** `from` is below the top of the checkout, `to` below that of the package. */
export type PackedFile = { from: string; to: string; bytes: number };

export function packedFiles(): PackedFile[] {
  return globSync([...COPIED, 'src/**/*.{ts,css,svg,png}', 'src/**/words/*.json'], { cwd: top, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(top, join(parentPath, name)))
    .filter((path) => !BUILT_HERE.test(path) && !FOR_WORK.test(path))
    .toSorted()
    .map((from) => ({ from, to: placeOf(from), bytes: statSync(join(top, from)).size }));
}

/** The program is plain JavaScript in lib/. */
function placeOf(path: string): string {
  return path.replace(/^src\//, 'lib/').replace(/^(lib\/.*)\.ts$/, '$1.js');
}
