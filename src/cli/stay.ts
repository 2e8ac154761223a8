/**
 * Owns: waiting until a person has mended what keeps a command from starting.
 * A container that ends is started again, without end: this one says once what is wrong, and looks from time to time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OkaError } from '../schema/errors.ts';
import { type Call, exits } from './command.ts';

/** Whether a line is worth telling: the attempt before has not told it. */
export type IsNews = (line: string) => boolean;

const LOOK_EVERY_MS = 3000;

/** Exit codes 2 and 3 say that something has to be mended; everything else ends it. */
export async function staying(call: Call, attempt: (isNews: IsNews) => Promise<number>): Promise<number> {
  if (!call.flag('stay')) return attempt(() => true);
  let before = new Set<string>();
  for (;;) {
    const told = new Set<string>();
    const known = before;
    const isNews = (line: string): boolean => {
      told.add(line);
      return !known.has(line);
    };
    const code = await attempt(isNews).catch((error: unknown) => refusal(error, call, isNews));
    if (call.signal.aborted) return exits.ok;
    if (code !== exits.refused && code !== exits.usage) return code;
    before = told;
    await sleep(LOOK_EVERY_MS, undefined, { signal: call.signal }).catch(() => undefined);
  }
}

function refusal(error: unknown, { err }: Call, isNews: IsNews): number {
  if (!(error instanceof OkaError)) throw error;
  const words = `oka: ${error.message}\n${error.fix === undefined ? '' : `     ${error.fix}\n`}`;
  if (isNews(words)) err(words);
  return exits.refused;
}
