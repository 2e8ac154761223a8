/**
 * Owns: which values a parameter accepts, and values derived from others.
 *
 * 1. A value is one line without invisible characters, and contains no template.
 * 2. A path stays below its folder, is not an option, and names one file: no wildcards, no braces, no home directory.
 */
import type { Parameter } from '../../core/schema/procedure.ts';

export type Values = Readonly<Record<string, string>>;

const MAX_VALUE_LENGTH = 2000;
const MAX_PATH_LENGTH = 500;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const PATH = /^[\p{L}\p{N}_.@+][\p{L}\p{N}_.@+,=%() /-]*$/u;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.'’@+-]*(?: [\p{L}\p{N}][\p{L}\p{N}_.'’@+-]*){0,5}$/u;
const NUMBER = /^\d{1,30}(?:[.,]\d{1,30}){0,10}$/;
const DATE = /^[\d][\d:./TZ -]{2,39}$/;

/** Returns why a value does not fit, or null. */
export function findMisfit(value: string, kind: Parameter['kind']): string | null {
  if (value === '' || value.length > MAX_VALUE_LENGTH) return 'it is empty or too long';
  if (UNSEEN.test(value) || value.trim() !== value) return 'it is not one plain line';
  if (value.includes('{{') || value.includes('}}')) return 'it contains a template';
  switch (kind) {
    case 'path':
      return findPathMisfit(value);
    case 'name':
      return NAME.test(value) && !value.includes('..') ? null : 'it is not a plain name';
    case 'number':
      return NUMBER.test(value) ? null : 'it is not a number';
    case 'date':
      return DATE.test(value) ? null : 'it is not a date or a time';
    case 'text':
      return null;
  }
}

function findPathMisfit(value: string): string | null {
  if (value.length > MAX_PATH_LENGTH || !PATH.test(value)) return 'it is not a plain path below the desk';
  return value.split('/').includes('..') ? 'it leads out of the desk' : null;
}

/** Returns the kind that fits all values. Quoted text may be anything. */
export function inferKind(values: readonly string[], looks: ReadonlySet<string>): Parameter['kind'] {
  const [look = ''] = looks.size === 1 ? looks : [];
  const kind = KINDS[look] ?? (looks.has('quoted') ? 'text' : 'name');
  return values.every((value) => findMisfit(value, kind) === null) ? kind : 'text';
}

const KINDS: Readonly<Record<string, Parameter['kind']>> = { path: 'path', number: 'number', date: 'date' };

/** Derives a value from another parameter or from the date of the run; null when that is not possible. */
export function deriveValue({ from, of = '' }: Parameter, values: Values, today: string): string | null {
  const source = values[of];
  switch (from) {
    case 'task':
      return null;
    case 'today':
      return today;
    case 'basename':
      return source === undefined ? null : fileName(source);
    case 'stem':
      return source === undefined ? null : fileName(source).replace(/(?<=.)\.[^.]*$/, '');
    case 'folder':
      return source === undefined || !source.includes('/') ? null : source.slice(0, source.lastIndexOf('/'));
  }
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
