/**
 * Owns: what a command of a package manager or of make really runs: the text of the scripts that it names in package.json, a
 * Makefile or a justfile, and of those that these name. A word too many is harmless, so every word that is a script counts.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../schema/errors.ts';

export type ProjectScript = { path: string; name: string; text: string };

const MOST_SCRIPTS = 20;
const MOST_BYTES = 512 * 1024;
const MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile'],
};
/** Scripts that a word of a package manager runs besides one of the same name. */
const LIFECYCLE: Readonly<Record<string, readonly string[]>> = {
  t: ['test'],
  tst: ['test'],
  publish: ['prepublishOnly', 'prepack', 'prepare', 'postpack'],
  pack: ['prepack', 'prepare', 'postpack'],
};

/** `words` are those of the command, `folders` where it may run: relative to `dir`, '' for `dir` itself. */
export async function scriptsRunBy(
  words: readonly string[],
  programs: readonly string[],
  folders: readonly string[],
  dir: string,
): Promise<ProjectScript[]> {
  const tables = (await Promise.all(folders.map((folder) => tablesIn(folder, programs, dir)))).flat();
  const found = new Map<string, ProjectScript>();
  const pending = [...words, ...programs.flatMap((program) => (program in RECIPES ? [FIRST] : []))];
  for (let word = pending.shift(); word !== undefined && found.size < MOST_SCRIPTS; word = pending.shift())
    for (const { path, scripts } of tables)
      for (const name of [word, `pre${word}`, `post${word}`, ...(LIFECYCLE[word] ?? [])]) {
        const text = scripts.get(name);
        if (text === undefined || found.has(`${path} ${name}`)) continue;
        found.set(`${path} ${name}`, { path, name, text });
        pending.push(...text.split(/[\s"'`;|&<>()$]+/));
      }
  return [...found.values()];
}

type ScriptTable = { path: string; scripts: ReadonlyMap<string, string> };

/** The recipe that make runs when it is given none. */
const FIRST = '(first)';

async function tablesIn(folder: string, programs: readonly string[], dir: string): Promise<ScriptTable[]> {
  const isManaged = programs.some((program) => MANAGERS.has(program));
  const recipes = programs.flatMap((program) => (Object.hasOwn(RECIPES, program) ? (RECIPES[program] ?? []) : []));
  const files = [...(isManaged ? ['package.json'] : []), ...recipes].map((name) => join(folder, name));
  const read = await Promise.all(files.map(async (path) => ({ path, text: await readSmall(join(dir, path)) })));
  return read.flatMap(({ path, text }) => {
    if (text === null) return [];
    return [{ path, scripts: path.endsWith('package.json') ? scriptsOfPackage(text) : recipesOf(text) }];
  });
}

function scriptsOfPackage(text: string): Map<string, string> {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return new Map(
      Object.entries(scripts ?? {}).flatMap(([name, line]) => (typeof line === 'string' ? [[name, line]] : [])),
    );
  } catch {
    return new Map(); // the package manager cannot read it, either
  }
}

/** Each target with what follows it, up to the next line that is not indented. */
function recipesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, names = '', rest = '', body = ''] of text.matchAll(
    /^([\w./@% -]+?)\s*:(?!=)([^\n]*)((?:\n(?:[ \t][^\n]*|(?=\n)))*)/gm,
  )) {
    const recipe = `${rest}${body}`.trim();
    for (const name of names.split(/\s+/)) if (!found.has(name)) found.set(name, recipe);
    if (!found.has(FIRST) && !names.startsWith('.')) found.set(FIRST, recipe);
  }
  return found;
}

async function readSmall(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path, 'utf8') : null;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}
