/**
 * Owns: finding where the files of src break the rules they are given, from their syntax trees. Reads no disk.
 * Does not own: the rules' tables (test/floors.test.ts). Purity is what a file itself does, not what its imports do.
 */
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { parseAst } from 'vitest/node';

export type Rules = {
  /** Folders of src, lowest floor first. */
  floors: string[][];
  pure: {
    folders: string[];
    /** What a pure folder may import from Node: everything, or only these names. */
    builtins: Record<string, 'everything' | string[]>;
    /** Names and expressions it may not use, by what they touch; nor may a variable of its own have such a name. */
    never: Record<string, string[]>;
  };
  /** Folders in which each folder is a stranger to the others. */
  strangers: string[];
  /** The one file that reads process.env. */
  environment: string;
  /** Package → the files that may import it; a folder ends in a slash, and a star at the front stands for any folders. */
  doors: Record<string, readonly string[]>;
  /** The one file whose imports may be computed: the browser loads the view of a page by its address. */
  computed: string;
  /** The most lines a function may have. */
  longest: number;
};
export type Rule = 'floors' | 'rooms' | 'cycles' | 'barrels' | 'pure' | 'environment' | 'doors' | 'longest';
export type Violation = { rule: Rule; at: string; says: string };

/** `texts` contains every file of src by its path below src. */
export function violationsOf(texts: Record<string, string>, rules: Rules): Violation[] {
  const paths = Object.keys(texts).toSorted();
  const code = paths.filter((path) => /\.[cm]?[jt]sx?$/.test(path)).map((path) => codeOf(path, texts[path] ?? ''));
  const found: [Rule, Broken[]][] = [
    ['floors', [...paths.flatMap((path) => offFloors(path, rules)), ...code.flatMap((file) => crossings(file, rules))]],
    ['rooms', code.flatMap((file) => strangersMet(file, rules))],
    ['cycles', cycles(code)],
    ['barrels', code.flatMap(barrels)],
    ['pure', code.flatMap((file) => impurities(file, rules))],
    ['environment', code.flatMap((file) => environmentReads(file, rules))],
    ['doors', code.flatMap((file) => passedDoors(file, rules))],
    ['longest', code.flatMap((file) => longFunctions(file, rules))],
  ];
  return found.flatMap(([rule, broken]) => broken.map(([at, says]) => ({ rule, at, says })));
}

/** Where, and what to do about it. */
type Broken = [at: string, says: string];

function offFloors(path: string, { floors }: Rules): Broken[] {
  if (floorOf(path, floors) >= 0 || path === 'tsconfig.json' || path.endsWith('/README.md')) return [];
  return [[path, `is on no floor: move it into one of ${floors.flat().join(', ')}`]];
}

function crossings(file: Code, rules: Rules): Broken[] {
  const { floors, computed } = rules;
  const own = floorOf(file.path, floors);
  return file.imports.flatMap(({ from, target, at }): Broken[] => {
    if (from === null && file.path === computed) return [];
    if (from === null) return [[at, 'imports a computed path: write it out, so that its floor can be seen']];
    if (target === null) return [];
    if (/^(\.\.)?\//.test(target)) return [[at, `imports ${from}, outside src: move what it needs into src`]];
    const other = floorOf(target, floors);
    if (own < 0 || other < own || folderOf(file.path, floors) === folderOf(target, floors)) return [];
    if (other > own) return [[at, `imports ${target}, a floor above: move what both need down, or take it as a port`]];
    return [[at, `imports ${target}, a neighbour: let the two meet in app/ through a port`]];
  });
}

function strangersMet({ path, imports }: Code, { strangers, floors }: Rules): Broken[] {
  const [top = ''] = path.split('/');
  if (!strangers.includes(top)) return [];
  return imports.flatMap(({ target, at }): Broken[] => {
    if (target === null || floorOf(path, floors) !== floorOf(target, floors) || roomOf(path) === roomOf(target))
      return [];
    return [[at, `imports ${target}, another room: move what both need into kit/, or take it as a port`]];
  });
}

/** Its folder below a floor, such as rooms/chat. */
const roomOf = (path: string): string => dirname(path).split('/').slice(0, 2).join('/');

function cycles(code: Code[]): Broken[] {
  const edges = new Map(code.map(({ path, imports }) => [path, targetsOf(imports)]));
  const done = new Set<string>();
  const follow = (path: string, trail: string[]): Broken[] => {
    const circle = trail.includes(path) ? [...trail.slice(trail.indexOf(path)), path].join(' → ') : null;
    if (circle !== null) return [[path, `is in a cycle, ${circle}: move what they share into a file of its own`]];
    if (done.has(path)) return [];
    const found = [...(edges.get(path) ?? [])].flatMap((next) => follow(next, [...trail, path]));
    done.add(path);
    return found;
  };
  return code.flatMap(({ path }) => follow(path, []));
}

/** Imports of types count: two files whose types need each other cannot be read one after the other. */
function targetsOf(imports: Import[]): Set<string> {
  return new Set(imports.flatMap(({ target }) => (target === null ? [] : [target])));
}

function barrels({ path, statements }: Code): Broken[] {
  if (/(^|\/)index\.\w+$/.test(path)) return [[path, 'is an index: name the file after what it holds']];
  const passesOn = (each: Syntax): boolean => /^Export(All|Named)/.test(each.type) && !each.declaration;
  const idle = statements.every((each) => each.type === 'ImportDeclaration' || passesOn(each));
  if (!idle || !statements.some(passesOn)) return [];
  return [[path, 'only passes on what other files export: delete it and import from those']];
}

function impurities({ path, imports, reads }: Code, { pure }: Rules): Broken[] {
  if (!pure.folders.some((folder) => path.startsWith(`${folder}/`))) return [];
  const never = Object.values(pure.never).flat();
  const todo = 'in a pure folder: take what it gives as an argument or through a port';
  const isPure = ({ from, names, typeOnly }: Import): boolean => {
    if (typeOnly || from === null || !isBuiltin(from)) return true;
    const allowed = pure.builtins[from.replace(/^(node:)?/, 'node:')] ?? [];
    return allowed === 'everything' || (names.length > 0 && names.every((name) => allowed.includes(name)));
  };
  return [
    ...imports.filter((each) => !isPure(each)).map(({ at, from }): Broken => [at, `imports ${from} ${todo}`]),
    ...reads.filter(({ text }) => never.includes(text)).map(({ at, text }): Broken => [at, `uses ${text} ${todo}`]),
  ];
}

function environmentReads({ path, imports, reads }: Code, { environment }: Rules): Broken[] {
  if (path === environment) return [];
  const imported = imports.filter(({ from, names }) => /^(node:)?process$/.test(from ?? '') && names.includes('env'));
  const read = reads.filter(({ text }) =>
    /^(globalThis\.)?process\??(\.env|\[.env.\])$|\benv\b[^=]*= process$/.test(text),
  );
  return [...imported, ...read].map(({ at }) => [at, `reads process.env: read it in ${environment} and pass it on`]);
}

function passedDoors({ path, imports }: Code, { doors }: Rules): Broken[] {
  return imports.flatMap(({ from, target, at }): Broken[] => {
    if (from === null || target !== null || isBuiltin(from)) return [];
    const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/');
    const allowed = doors[name];
    if (allowed === undefined) return [[at, `imports ${name}, which has no door: give it one in test/floors.test.ts`]];
    if (allowed.some((door) => isBehind(path, door))) return [];
    return [[at, `imports ${name} past its door: go through ${allowed.join(' or ')}`]];
  });
}

// A door that begins with a star is one in any folder.
const isBehind = (path: string, door: string): boolean =>
  door.startsWith('*/') ? path.includes(door.slice(1)) : door.endsWith('/') ? path.startsWith(door) : path === door;

function longFunctions({ functions }: Code, { longest }: Rules): Broken[] {
  return functions
    .filter(({ lines }) => lines > longest)
    .map(({ at, lines }) => [at, `is a function of ${lines} lines: split it, so that none has more than ${longest}`]);
}

/** The folder of a floor that a file is in, such as core/schema or kit. */
const folderOf = (path: string, floors: string[][]): string =>
  floors.flat().find((folder) => path.startsWith(`${folder}/`)) ?? '';
const floorOf = (path: string, floors: string[][]): number =>
  floors.findIndex((at) => at.includes(folderOf(path, floors)));

/** `from` is null when computed; `target` is a path from src, null for a package or a part of Node. */
type Import = { from: string | null; target: string | null; names: string[]; typeOnly: boolean; at: string };
/** A name that is used or bound as a value, or the text of an expression around it: `process`, `process.env`. */
type Read = { text: string; at: string };
/** A function with a body, and how many lines it spans. */
type Body = { at: string; lines: number };
type Code = { path: string; statements: Syntax[]; imports: Import[]; reads: Read[]; functions: Body[] };
/** The fields of an ESTree node that are read here. */
type Syntax = { type: string; start: number; end: number; name?: string; value?: unknown; computed?: boolean } & {
  [field in 'source' | 'declaration' | 'imported']?: Syntax | null;
} & { [field in 'importKind' | 'exportKind']?: string };

const READ = /^(Identifier|(Member|Call|New)Expression|VariableDeclarator)$/;
const FUNCTION = /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/;
const IMPORT = /^(Import(Declaration|Expression)|Export(Named|All)Declaration|TSImportType)$/;
/** Syntax that is erased; the other TS… nodes wrap a value. */
const TYPE = /^TS(?!(As|Satisfies|NonNull|Instantiation)Expression|TypeAssertion)/;

function codeOf(path: string, text: string): Code {
  const program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Syntax;
  const lineEnds = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const code: Code = { path, statements: partsOf(program, 'body'), imports: [], reads: [], functions: [] };
  const lineAt = (offset: number): number => lineEnds.filter((end) => end < offset).length + 1;
  const visit = (node: Syntax, inType: boolean): void => {
    const first = lineAt(node.start);
    const at = `${path}:${first}`;
    const imports = IMPORT.test(node.type) && node.source;
    if (imports) code.imports.push({ ...importOf(node, path), at });
    if (FUNCTION.test(node.type)) code.functions.push({ at, lines: lineAt(node.end) - first + 1 });
    if (!inType && READ.test(node.type)) code.reads.push({ text: node.name ?? text.slice(node.start, node.end), at });
    for (const field of Object.keys(node)) {
      const isLabel = (field === 'key' || field === 'property') && !node.computed;
      if (isLabel || (imports && field === 'specifiers')) continue;
      for (const part of partsOf(node, field)) visit(part, inType || TYPE.test(part.type));
    }
  };
  visit(program, false);
  return code;
}

function importOf(node: Syntax, path: string): Omit<Import, 'at'> {
  const from = typeof node.source?.value === 'string' ? node.source.value : null;
  const target = from !== null && /^[./]/.test(from) ? join(from.startsWith('/') ? '' : dirname(path), from) : null;
  const values = partsOf(node, 'specifiers').filter((each) => each.importKind !== 'type');
  const names = values.map((each) => each.imported?.name ?? '*');
  const typeOnly = node.type === 'TSImportType' || (node.importKind ?? node.exportKind) === 'type';
  return { from, target, names, typeOnly };
}

function partsOf(node: Syntax, field: string): Syntax[] {
  const value = (node as Record<string, unknown>)[field];
  const isSyntax = (each: unknown): each is Syntax => typeof (each as Syntax | null)?.type === 'string';
  return (Array.isArray(value) ? value : [value]).filter(isSyntax);
}
