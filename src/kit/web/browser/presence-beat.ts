/** Reports that somebody looks at the dashboard, so that oka sends no message about what is on the screen. */
import { post } from './api.ts';

const EVERY_MS = 30_000;
/** Without a key or a movement for so long, nobody is looking. */
const IDLE_MS = 180_000;

export function reportPresence(): void {
  let used = Date.now();
  const note = (): void => void (used = Date.now());
  for (const type of ['pointermove', 'keydown', 'scroll', 'touchstart'])
    addEventListener(type, note, { passive: true, capture: true });
  const report = (): void => {
    if (document.visibilityState === 'visible' && Date.now() - used < IDLE_MS)
      void post('presence', {}).catch(() => undefined); // it is reported again
  };
  document.addEventListener('visibilitychange', report);
  setInterval(report, EVERY_MS);
  report();
}
