/**
 * Owns: what may stand in the place of a parameter, and what follows from it.
 *
 * 1. A value is one line without anything that cannot be seen, and holds no template.
 * 2. A path stays below the folder it is given for, is no option, and means one file: no stars, no braces, no home.
 */
import type { Parameter } from '../../schema/procedure.ts';

export type Values = Readonly<Record<string, string>>;

const LONGEST_VALUE = 2000;
const LONGEST_PATH = 500;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const PATH = /^[\p{L}\p{N}_.@+][\p{L}\p{N}_.@+,=%() /-]*$/u;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.'’@+-]*(?: [\p{L}\p{N}][\p{L}\p{N}_.'’@+-]*){0,5}$/u;
const NUMBER = /^\d{1,30}(?:[.,]\d{1,30}){0,10}$/;
const DATE = /^[\d][\d:./TZ -]{2,39}$/;

/** Why a value cannot stand there, or null. */
export function misfitOf(value: string, kind: Parameter['kind']): string | null {
  if (value === '' || value.length > LONGEST_VALUE) return 'it is empty or too long';
  if (UNSEEN.test(value) || value.trim() !== value) return 'it is not one plain line';
  if (value.includes('{{') || value.includes('}}')) return 'it holds a template';
  switch (kind) {
    case 'path':
      return pathMisfit(value);
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

function pathMisfit(value: string): string | null {
  if (value.length > LONGEST_PATH || !PATH.test(value)) return 'it is not a plain path below the desk';
  return value.split('/').includes('..') ? 'it leads out of the desk' : null;
}

/** The kind that fits all of them. What stands in quotes may be anything. */
export function kindOf(values: readonly string[], looks: ReadonlySet<string>): Parameter['kind'] {
  const [look = ''] = looks.size === 1 ? looks : [];
  const kind = KINDS[look] ?? (looks.has('quoted') ? 'text' : 'name');
  return values.every((value) => misfitOf(value, kind) === null) ? kind : 'text';
}

const KINDS: Readonly<Record<string, Parameter['kind']>> = { path: 'path', number: 'number', date: 'date' };

/** What is made from another parameter, or is the day of the run; null when it cannot be made. */
export function derivedFrom({ from, of = '' }: Parameter, values: Values, today: string): string | null {
  const source = values[of];
  switch (from) {
    case 'task':
      return null;
    case 'today':
      return today;
    case 'basename':
      return source === undefined ? null : basenameOf(source);
    case 'stem':
      return source === undefined ? null : basenameOf(source).replace(/(?<=.)\.[^.]*$/, '');
    case 'folder':
      return source === undefined || !source.includes('/') ? null : source.slice(0, source.lastIndexOf('/'));
  }
}

const basenameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
