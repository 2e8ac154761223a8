/** Reading the words behind a command. */
import { lstatSync, readFileSync } from 'node:fs';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Json } from '../schema/json.ts';
import type { Call } from './command-module.ts';

export function onlyOperand(call: Pick<Call, 'operands'>, what: string): string {
  const [only, ...more] = call.operands;
  if (only === undefined) throw new OkaError('usage', `${what} is missing`);
  if (more.length > 0) throw new OkaError('usage', `one ${what} is enough; "${more.join(' ')}" is too much`);
  return only;
}

/** --input as JSON, or from a file with @. */
export function inputOption(given: string | undefined): Json {
  if (given === undefined) return null;
  const file = given.startsWith('@') ? given.slice(1) : null;
  if (file !== null && !lstatSync(file, { throwIfNoEntry: false })?.isFile())
    throw new OkaError('usage', `--input: ${file} is not a file`);
  try {
    return JSON.parse(file === null ? given : readFileSync(file, 'utf8')) as Json;
  } catch (error) {
    throw new OkaError('usage', `--input is not JSON: ${messageOf(error)}`);
  }
}
