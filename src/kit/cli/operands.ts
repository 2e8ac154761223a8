/** Reading the words behind a command. */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Call } from './command-module.ts';

export function onlyOperand(call: Pick<Call, 'operands'>, what: string): string {
  const [only, ...more] = call.operands;
  if (only === undefined) throw new OkaError('usage', `${what} is missing`);
  if (more.length > 0) throw new OkaError('usage', `one ${what} is enough; "${more.join(' ')}" is too much`);
  return only;
}

/**
 * --input: JSON, a file that contains JSON (also with @ before its name), or - for stdin. Left out it is null, or has no
 * field where the graph declares fields.
 */
export async function inputOption(given: string | undefined, stdin: Call['stdin'], inputs?: Json): Promise<Json> {
  const declared = inputs as { type?: Json; properties?: object } | null | undefined;
  if (given === undefined) return declared?.type === 'object' ? {} : null;
  const { from, body } = given === '-' ? { from: 'stdin', body: await text(stdin) } : inputBody(given);
  try {
    return JSON.parse(body) as Json;
  } catch (error) {
    const fields = Object.keys(declared?.properties ?? {});
    const shape = `{${fields.map((field) => `"${field}": …`).join(', ')}}`;
    const fix = fields.length === 0 ? {} : { fix: `It takes ${fields.join(', ')}, such as --input '${shape}'` };
    throw new OkaError('usage', `--input: ${from} is not JSON: ${messageOf(error)}`, fix);
  }
}

/** What is JSON by itself is not taken for the name of a file. */
function inputBody(given: string): { from: string; body: string } {
  const file = given.startsWith('@') ? given.slice(1) : given;
  if (!isJsonText(given) && existsSync(file) && lstatSync(file).isFile())
    return { from: file, body: readFileSync(file, 'utf8') };
  if (given.startsWith('@')) throw new OkaError('usage', `--input: ${file} is not a file`);
  return { from: 'this', body: given };
}

function isJsonText(given: string): boolean {
  try {
    JSON.parse(given);
    return true;
  } catch {
    return false;
  }
}

/** A word as JSON; what is not JSON but a plain word counts as text. */
export function jsonOperand(given: string, what: string): Json {
  try {
    return JSON.parse(given) as Json;
  } catch (error) {
    if (/^[\p{L}_][^"{}[\]]*$/u.test(given)) return given;
    throw new OkaError('usage', `${what} is not JSON: ${messageOf(error)}`);
  }
}
