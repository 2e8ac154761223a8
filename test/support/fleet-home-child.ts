/**
 * The worker of one home of a fleet: `fleet-home-child.ts FOLDER`. It is killed and paused by its id.
 * OKA_TRIAL_CLOCK_MS sets its clock apart.
 */
import './rooms-of-product.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { work } from '../../src/app/worker/worker.ts';

const apart = Number(process.env['OKA_TRIAL_CLOCK_MS'] ?? 0);
if (apart !== 0) setClockApart(apart);

const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
await work(homeAt(process.argv[2]), ending.signal, (line) => void process.stdout.write(`${line}\n`));

function setClockApart(ms: number): void {
  const Real = Date;
  const now = (): number => Real.now() + ms;
  globalThis.Date = new Proxy(Real, {
    construct: (target, given: []) => (given.length === 0 ? new target(now()) : new target(...given)),
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
}
