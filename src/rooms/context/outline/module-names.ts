/**
 * The exported names and the imports of a JavaScript or TypeScript module, by a lexer that knows the grammar: what is in
 * a string or a comment is no export. This is the only file that uses es-module-lexer.
 */
import { parse } from 'es-module-lexer/js';
import { declarationAt, type DeclaredName, lineCounter } from './declaration-line.ts';

/** `specifiers`: what is imported, as written, such as ./a.ts. */
type ModuleNames = { names: DeclaredName[]; specifiers: string[] };

/** Null when the text does not parse, as when it contains markup (JSX). */
export function readModuleNames(text: string): ModuleNames | null {
  const parsed = parseModule(text);
  if (parsed === null) return null;
  const [imports, exports] = parsed;
  const lineOf = lineCounter(text);
  const names = exports.flatMap((item): DeclaredName[] => {
    if (item.type === 'reexport-all') return [];
    return [{ name: item.name, line: lineOf(item.start), declaration: declarationAt(text, item.exportStart) }];
  });
  const specifiers = imports.flatMap(({ specifier }) => (typeof specifier === 'string' ? [specifier] : []));
  return { names, specifiers: [...new Set(specifiers)] };
}

function parseModule(text: string): ReturnType<typeof parse> | null {
  try {
    return parse(text);
  } catch {
    return null; // the caller falls back to lines that look like declarations
  }
}
