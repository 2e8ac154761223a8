/** Opens the stores of the home in argv: from imports done to ready to append. */
import '../../test/support/rooms-of-product.ts';
import { rooms } from '../../src/app/rooms.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import { report } from './child.ts';

const home = homeAt(process.argv[2]);
const config = await loadConfig(home);
for (const room of rooms) await room.projections?.(); // a room imports its code when it is first asked for it
await report(async () => void (await openStores(home, config)));
process.exit(0);
