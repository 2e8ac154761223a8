/**
 * A process that copies a home to its replica until everything is there, or it is killed. Says:
 *   reached PEN SEQ | waiting WHY | ended KIND MAX_RSS_MB CPU_MS
 * Argument: the folder of the home; CONVEX_URL and OKA_REPLICA_KEY as for oka itself.
 */
import './rooms-of-product.ts';
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { replicate } from '../../src/rooms/replica/replicate.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';

flushCompileCache(); // for the next one: most of these are killed before their end
const home = homeAt(process.argv[2]);
const until =
  process.argv[3] === 'ever' ? ({ kind: 'ever' } as const) : ({ kind: 'caught-up', failures: 100 } as const);
const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());
const ended = await replicate(home, await loadConfig(home), until, ending.signal, (told) =>
  say(told.kind === 'reached' ? `reached ${told.pen} ${told.place.seq}` : `waiting ${told.why}`),
);
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const cpu = (userCPUTime + systemCPUTime) / 1000;
say(`ended ${typeof ended === 'string' ? ended : ended.kind} ${(maxRSS / 1024).toFixed(0)} ${cpu.toFixed(0)}`);

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
