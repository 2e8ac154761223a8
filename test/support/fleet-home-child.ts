/** The worker of one home of a fleet: `fleet-home-child.ts FOLDER`. It is killed and paused by its id. */
import { homeAt } from '../../src/daemon/settings.ts';
import { work } from '../../src/daemon/worker/worker.ts';

const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
await work(homeAt(process.argv[2]), ending.signal, (line) => void process.stdout.write(`${line}\n`));
