/** Whether config.json and POLICY.md could be worked by, and waiting until they can; for a supervisor. */
import { setTimeout as sleep } from 'node:timers/promises';
import { stampOf } from '../../ledger/disk.ts';
import type { Home } from '../../schema/home.ts';

const POLL_MS = 500;

/**
 * For a process that worked before and refuses to start now. Resolves to true when the reason may have been a mistake in
 * the rules and they are valid now, at once or after a person has corrected them; false when the reason is another one.
 */
export function watchRules(home: Home): (signal: AbortSignal, log: (line: string) => void) => Promise<boolean> {
  let before = rulesStamp(home);
  return async (signal, log) => {
    let isLogged = false;
    while (!signal.aborted && !(await areRulesValid(home))) {
      if (!isLogged) log('the worker starts again when the mistake above is corrected');
      isLogged = true;
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    const hasChanged = rulesStamp(home) !== before;
    before = rulesStamp(home);
    return isLogged || hasChanged;
  };
}

const rulesStamp = ({ config, policy }: Home): string => `${stampOf(config)} ${stampOf(policy)}`;

async function areRulesValid(home: Home): Promise<boolean> {
  const [{ loadRoomsConfig }, { loadPolicy }, { lineClassifierOf }] = await Promise.all([
    import('../room-config.ts'),
    import('../guard/policy-file.ts'),
    import('../guard/classifier.ts'),
  ]);
  try {
    await loadRoomsConfig(home);
    loadPolicy(home.policy, lineClassifierOf(home));
    return true;
  } catch {
    return false; // the worker has reported why
  }
}
