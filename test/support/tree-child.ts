/**
 * Changes files of the home in argv, scans them and adds frames by several writers at once, for ever, and prints each
 * frame once it was acknowledged. A test kills it.
 */
import './rooms-of-product.ts';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAgents } from '../../src/kit/agents/open-agents.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import { openContextTree } from '../../src/rooms/context/tree/open-tree.ts';
import { TreeConfig } from '../../src/core/schema/tree.ts';
import { OkaError } from '../../src/core/schema/errors.ts';

const [, , dir = '', seed = '1'] = process.argv;
const home = homeAt(dir);
const { ledger, artifacts, vault } = await openStores(home, await loadConfig(home));
const agents = openAgents(home, Date.now);
const tree = openContextTree({ home, config: TreeConfig.parse({}), ledger, artifacts, agents, redact: vault.redact });
process.stdout.write('begun\n');

let state = Number(seed);
const random = (below: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
};

for (;;) {
  changeFiles();
  await tree.scan('workspace');
  await Promise.all(Array.from({ length: 4 }, () => addFrame()));
}

function changeFiles(): void {
  for (let n = 0; n < 5; n += 1) {
    const folder = join(home.workspace, `desk/f${random(4)}`);
    const file = join(folder, `${random(6)}.txt`);
    mkdirSync(folder, { recursive: true });
    if (random(4) === 0) rmSync(file, { force: true });
    else writeFileSync(file, `content ${random(20)}`);
  }
}

async function addFrame(): Promise<void> {
  const { path, node } = await tree.read('workspace', (reader) => {
    const folder = `desk/f${random(4)}`;
    const children = reader.children(folder);
    const target = random(3) === 0 ? reader.node(folder) : (children[random(children.length)] ?? reader.node('desk'));
    return { path: target?.path ?? 'desk', node: target?.id ?? '' };
  });
  const content = `text ${random(1000)}`;
  try {
    const [put] = await tree.put('workspace', [
      { path, node, type: 'note', content, origin: 'person', basis: { node } },
    ]);
    process.stdout.write(`put ${put?.id} ${path}\n`);
  } catch (error) {
    if (!(error instanceof OkaError) && !(error instanceof Error && error.name === 'ZodError')) throw error;
  }
}
