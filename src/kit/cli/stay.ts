/**
 * Owns: waiting until a person has fixed what prevents a command from starting.
 * A container that ends is started again, without end: this one reports once what is wrong, and tries again at times.
 */
import { OkaError } from '../../core/schema/errors.ts';
import { type Call, exits } from './command-module.ts';
import { errorText } from './error-text.ts';
import { pause } from '../pause.ts';

/** Whether a line is worth printing: the attempt before did not print it. */
type IsNews = (line: string) => boolean;

type StayingCall = Pick<Call<{ stay: boolean }>, 'options' | 'signal' | 'notify'>;

/** Exit codes 2 and 3 mean that something has to be fixed; everything else ends it. */
export async function tryUntilFixed(
  call: StayingCall,
  attempt: (isNews: IsNews) => Promise<number>,
  everyMs = 3000,
): Promise<number> {
  if (!call.options.stay) return attempt(() => true);
  let before = new Set<string>();
  for (;;) {
    const reported = new Set<string>();
    const known = before;
    const isNews = (line: string): boolean => {
      reported.add(line);
      return !known.has(line);
    };
    const code = await attempt(isNews).catch((error: unknown) => reportRefusal(error, call, isNews));
    if (call.signal.aborted) return exits.ok;
    if (code !== exits.refused && code !== exits.usage) return code;
    before = reported;
    await pause(everyMs, call.signal);
  }
}

function reportRefusal(error: unknown, { notify }: StayingCall, isNews: IsNews): number {
  if (!(error instanceof OkaError)) throw error;
  const text = errorText(error).trimEnd();
  if (isNews(text)) notify(text);
  return exits.refused;
}
