/** Owns: mistakes in config.json and POLICY.md that prevent work: waiting until they are corrected, and noting them. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile, stampOf } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';

const POLL_MS = 500;
const MOST_REASON = 4000;

/**
 * For processes that refuse to start. Resolves to true when the reason may have been a mistake in the rules and they are
 * valid now, at once or after a person has corrected them; false when the reason is another one.
 */
export function watchRules(home: Home): (signal: AbortSignal, log: (line: string) => void) => Promise<boolean> {
  let before = rulesStamp(home);
  let isLogged = false;
  return async (signal, log) => {
    let hasWaited = false;
    for (let problem = await problemInRules(home); problem !== null; problem = await problemInRules(home)) {
      if (signal.aborted) break;
      noteRulesProblem(home, problem);
      if (!isLogged) log('It starts as soon as the mistake above is corrected.');
      isLogged = true;
      hasWaited = true;
      await (await import('../pause.ts')).pause(POLL_MS, signal);
    }
    const hasChanged = rulesStamp(home) !== before;
    before = rulesStamp(home);
    isLogged = false;
    return hasWaited || hasChanged;
  };
}

const rulesStamp = ({ config, policy }: Home): string => `${stampOf(config)} ${stampOf(policy)}`;

/** Null when they are valid. */
async function problemInRules(home: Home): Promise<string | null> {
  const [{ loadRoomsConfig }, { loadPolicy }, { lineClassifierOf }] = await Promise.all([
    import('../house/room-config.ts'),
    import('../policy/policy-file.ts'),
    import('../policy/classifier.ts'),
  ]);
  try {
    await loadRoomsConfig(home);
    loadPolicy(home.policy, lineClassifierOf(home));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const noteFile = ({ oka }: Home): string => join(oka, 'state', 'rules-problem.json');

/** For `oka status`, which is quick because it does not check the rules itself. What cannot be noted is only missing there. */
export function noteRulesProblem(home: Home, reason: string): void {
  try {
    mkdirSync(dirname(noteFile(home)), { recursive: true, mode: 0o700 });
    replaceFile(noteFile(home), JSON.stringify({ stamp: rulesStamp(home), reason: reason.slice(0, MOST_REASON) }));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** What was found wrong with the rules as they are now; null when nothing was, or when they have changed since. */
export function notedRulesProblem(home: Home): string | null {
  try {
    const { stamp, reason } = JSON.parse(readFileSync(noteFile(home), 'utf8')) as { stamp?: unknown; reason?: unknown };
    return stamp === rulesStamp(home) && typeof reason === 'string' ? reason : null;
  } catch {
    return null;
  }
}
