/** Owns: what the words of an error say that a rule can act on: a rate limit and its pause, a time limit, a missing tool. */

/** A longer pause is no remedy. */
const LONGEST_PAUSE_MS = 3_600_000;

const RATE_LIMIT = /rate.?limit|too many requests|\b429\b/i;
const PAUSE =
  /(?:retry|try again|wait)[^\d\n]{0,30}?(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec|seconds?|m|min|minutes?|h|hours?)?\b/i;
const TIME_LIMIT = /did not end within [\d.]+ s and was stopped/;
const MISSING_TOOL = /^there is no tool "([^"]{1,120})"/;

/** How long a rate limit asks to wait; null when the error is none, or says no time that makes sense. */
export function pauseInError(error: string): number | null {
  if (!RATE_LIMIT.test(error)) return null;
  const [, amount, unit = 's'] = PAUSE.exec(error) ?? [];
  const ms = Math.ceil(Number(amount) * unitMs(unit.toLowerCase()));
  return ms > 0 && ms <= LONGEST_PAUSE_MS ? ms : null;
}

function unitMs(unit: string): number {
  if (unit.startsWith('ms') || unit.startsWith('milli')) return 1;
  if (unit.startsWith('h')) return 3_600_000;
  return unit.startsWith('m') ? 60_000 : 1000;
}

export const isTimeLimit = (error: string): boolean => TIME_LIMIT.test(error);

/** The name of the tool that is not there; null for any other error. */
export const missingTool = (error: string): string | null => MISSING_TOOL.exec(error)?.[1] ?? null;
