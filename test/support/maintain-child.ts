/** A process that makes passes over a home on request: `go` makes one, `serve` follows the times in config.json. */
import './rooms-of-product.ts';
import { createInterface } from 'node:readline';
import { maintain, maintainOnce } from '../../src/rooms/maintenance/maintain.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { messageOf } from '../../src/core/schema/errors.ts';
import { testParts } from './maintain.ts';

const home = homeAt(process.argv[2]);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** What the clock shows, if it is not the real one; it advances when it is read. */
let shown = Date.parse(process.argv[3] ?? '');
const clock = (): number => (Number.isNaN(shown) ? Date.now() : (shown += 30));

say('ready');
for await (const word of createInterface({ input: process.stdin })) {
  try {
    if (word === 'serve') await maintain(home, stop.signal, say, { parts: testParts, clock });
    else say(JSON.stringify(await maintainOnce(home, stop.signal, { parts: testParts, clock })));
    say('done');
  } catch (error) {
    say(`failed: ${messageOf(error)}`);
  }
  if (stop.signal.aborted) break;
}
process.exit(0);
