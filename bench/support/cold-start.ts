/** Opens the stores of the home in argv: from imports done to ready to append. */
import { rooms } from '../../src/daemon/rooms.ts';
import { homeAt, loadConfig } from '../../src/daemon/settings.ts';
import { openStores } from '../../src/daemon/stores.ts';
import { report } from './child.ts';

const home = homeAt(process.argv[2]);
const config = await loadConfig(home);
await Promise.all(rooms.map((room) => room.projections?.())); // rooms import their code when they are first asked for it
await report(async () => void (await openStores(home, config)));
process.exit(0);
