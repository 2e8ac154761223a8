/** Finds which files of src write which event types: object literals that have a `type` and `data`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'vitest/node';

type Syntax = { type: string; key?: Syntax; value?: unknown; name?: string; properties?: Syntax[] };

/** Event type → files below src that write it. */
export function eventWritersIn(src: string, types: ReadonlySet<string>): Map<string, string[]> {
  const writers = new Map<string, string[]>();
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(src, path);
    for (const type of new Set(typesWrittenIn(readFileSync(path, 'utf8'), types)))
      writers.set(type, [...(writers.get(type) ?? []), file]);
  }
  return writers;
}

function typesWrittenIn(text: string, types: ReadonlySet<string>): string[] {
  if (![...text.matchAll(/'([a-z_.]+)'/g)].some(([, name]) => types.has(name ?? ''))) return []; // parsing takes long
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    const syntax = node as Syntax;
    if (syntax.type === 'ObjectExpression') {
      const named = (key: string): Syntax | undefined => syntax.properties?.find((each) => each.key?.name === key);
      for (const literal of literalsIn(named('type')?.value))
        if (named('data') !== undefined && types.has(literal)) found.push(literal);
    }
    for (const value of Object.values(syntax)) visit(value);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return found;
}

/** `'a.b'`, and both sides of `isX ? 'a.b' : 'c.d'`. */
function literalsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const { type, value: literal } = value as { type: string; value?: unknown };
  if (type === 'Literal' && typeof literal === 'string') return [literal];
  if (type === 'TSAsExpression') return literalsIn((value as { expression?: unknown }).expression);
  if (type !== 'ConditionalExpression') return [];
  const { consequent, alternate } = value as { consequent?: unknown; alternate?: unknown };
  return [...literalsIn(consequent), ...literalsIn(alternate)];
}
