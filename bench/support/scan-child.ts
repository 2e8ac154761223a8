/** Scans the workspace of a home for the first time, and prints how much memory that took. */
import '../../test/support/rooms-of-product.ts';
import { openAgents } from '../../src/kit/agents/open-agents.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import { openContextTree } from '../../src/rooms/context/tree/open-tree.ts';
import { TreeConfig } from '../../src/core/schema/tree.ts';

const home = homeAt(process.argv[2] ?? '');
const stores = await openStores(home, await loadConfig(home));
const { ledger, artifacts, vault } = stores;
const agents = openAgents(home, Date.now);
const tree = openContextTree({ home, config: TreeConfig.parse({}), ledger, artifacts, agents, redact: vault.redact });
const { root } = await tree.scan('workspace');
await tree.read('workspace', () => null);
await tree.close();
await stores.close();
process.stdout.write(JSON.stringify({ root, rss: process.resourceUsage().maxRSS / 1024 }));
