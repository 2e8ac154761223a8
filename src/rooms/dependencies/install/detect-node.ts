/** Packages of Node that are not there. */
import { builtinModules } from 'node:module';
import type { Failure, Found } from './command-failure.ts';
import { SHIM_MISSING } from './shims.ts';

const MISSING =
  /^(?:Uncaught )?(?:\w*Error)(?: \[(?:ERR_)?MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '([^'\n]+)'( imported from [^\n]*)?$/gm;
const THROWN_HERE = /^Require stack:|^ {2}code: '(?:ERR_)?MODULE_NOT_FOUND'|\[ERR_MODULE_NOT_FOUND\]/m;
const ANY_ERROR = /^(?:Uncaught )?(?:[A-Z]\w*)?Error(?: \[\w+\])?: /gm;

export function missingNodeModule({ text }: Failure): Found | null {
  return missingModule(text) ?? missingGlobalPackage(text);
}

/** npm install -g: a package by its name and, behind an @ that is not its first sign, its version. */
function missingGlobalPackage(text: string): Found | null {
  const match = SHIM_MISSING.exec(text);
  const [, name = '', version] = /^(@?[^@]+)(?:@(.+))?$/.exec(match?.[1] ?? '') ?? [];
  if (match === null || packageName(name) !== name) return null;
  const isSaid = version !== undefined && version !== 'latest';
  return { kind: 'node', name, package: `node:${name}`, ...(isSaid ? { version } : {}), at: match.index };
}

function missingModule(text: string): Found | null {
  const match = [...text.matchAll(MISSING)].at(-1);
  const last = [...text.matchAll(ANY_ERROR)].at(-1);
  if (match === undefined || last?.index !== match.index || !THROWN_HERE.test(text)) return null;
  const name = packageName(match[1] ?? '');
  return name === null ? null : { kind: 'node', name, at: match.index };
}

/** lodash/fp is in lodash, @scope/name/part in @scope/name; a path is a file, and `node:` is part of Node. */
export function packageName(specifier: string): string | null {
  if (/^(?:[./]|node:|file:|data:|https?:|#|[A-Za-z]:\\)/.test(specifier)) return null;
  const [first = '', second] = specifier.split('/');
  const name = first.startsWith('@') ? `${first}/${second ?? ''}` : first;
  if (builtinModules.includes(name)) return null;
  return /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9_][\w.-]*$/i.test(name) ? name : null;
}
