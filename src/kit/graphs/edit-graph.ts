/**
 * Owns: changing the files of graphs without losing anything that a person or an editor wrote.
 *
 * F1 A file is replaced atomically, and only while it contains what was read before; an edit in between is not lost.
 * F2 The indentation of the file stays as the person chose it.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFile, lstatIfPresent, makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';

export type GraphText = { file: string; text: string; value: { [field: string]: Json } };

/** A graph file as it is written; what it means is not checked here. */
export function readGraphText(file: string): GraphText {
  const text = readFileSync(file, 'utf8');
  return { file, text, value: parseGraphText(text, file) };
}

export function parseGraphText(text: string, name: string): GraphText['value'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new OkaError('invalid-graph', `${name} is not JSON: ${messageOf(error)}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new OkaError('invalid-graph', `${name} is not a graph: it is no JSON object`);
  return value as GraphText['value'];
}

/** `text` is what the file contains now, as far as the caller knows; null when there is none (F1). */
export function replaceGraphText(
  { file, text }: Pick<GraphText, 'file'> & { text: string | null },
  next: string,
): void {
  makeFolder(dirname(file));
  if (text === null) return createGraphText(file, next);
  assertUnchanged(file, text);
  replaceFile(file, next, { durable: true });
}

export function createGraphText(file: string, text: string): void {
  try {
    createFile(file, text, { durable: true });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST' && lstatIfPresent(file) === undefined) throw error;
    throw new OkaError('refused', `${file} exists already`, { fix: 'Choose another name: --as NAME' });
  }
}

export function removeGraphFile({ file, text }: GraphText): void {
  assertUnchanged(file, text);
  rmSync(file);
}

/** JSON with the indentation of an earlier text (F2). */
export function formatLike(text: string, value: Json): string {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? (text.includes('\n') || text === '' ? '  ' : '');
  return `${JSON.stringify(value, null, indent)}\n`;
}

function assertUnchanged(file: string, text: string): void {
  if (lstatIfPresent(file)?.isFile() === true && readFileSync(file, 'utf8') === text) return;
  throw new OkaError('refused', `${file} was changed by somebody else meanwhile, and was left as it is`, {
    fix: 'Try again.',
  });
}
