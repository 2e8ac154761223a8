/** Owns: reading which packages the manifests and lock files on the desk name, as one text (package-scope.ts). */
import { lstat, opendir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Command } from '../../core/schema/command.ts';

const MANIFEST =
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-(?:lock|workspace)\.ya?ml|yarn\.lock|(?:.*requirements.*|constraints.*)\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)|Pipfile(?:\.lock)?|(?:poetry|uv|pdm)\.lock|pylock.*\.toml)$/;
const SKIPPED = new Set(['node_modules', '.git', '.venv', 'venv', 'site-packages', '__pycache__']);
const DEEPEST = 6;
const MOST_FILES = 500;
const MOST_BYTES = 67_108_864;
/** Folders that are opened before the search ends: a desk can be large. */
const MOST_FOLDERS = 5000;

/** What the command and the files on the desk name now; what changes later does not count. */
export async function readDeskPackages(desk: string, command: Command): Promise<string> {
  const words = 'argv' in command ? command.argv.join(' ') : command.line;
  const texts = [words];
  let left = MOST_BYTES;
  for (const file of await findManifests(desk, words)) {
    const size = (await lstat(file)).size;
    if (size > left) continue;
    left -= size;
    texts.push(await readFile(file, 'utf8').catch(() => ''));
  }
  return texts.join('\n');
}

async function findManifests(desk: string, words: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [{ path: desk, depth: 0 }];
  for (let next = 0; next < Math.min(folders.length, MOST_FOLDERS) && found.length < MOST_FILES; next += 1) {
    const { path, depth } = folders[next] ?? { path: desk, depth: 0 };
    for (const entry of await entriesOf(path)) {
      const below = join(path, entry.name);
      if (entry.isDirectory() && depth < DEEPEST && !SKIPPED.has(entry.name))
        folders.push({ path: below, depth: depth + 1 });
      else if (entry.isFile() && isManifest(below, words)) found.push(below);
    }
  }
  return found;
}

/** Known names, text files in a folder `requirements`, and text files that the command names. */
function isManifest(file: string, words: string): boolean {
  const name = basename(file);
  if (MANIFEST.test(name)) return true;
  return /\.(?:txt|in)$/.test(name) && (basename(dirname(file)) === 'requirements' || words.includes(name));
}

async function entriesOf(folder: string) {
  try {
    return await Array.fromAsync(await opendir(folder));
  } catch {
    return []; // what this process cannot read, no manifest comes from
  }
}
