/** Reads the ledger of the home in argv into its index, and says when it has begun; killed in between by a test. */
import { join } from 'node:path';
import { openArtifacts } from '../../src/ledger/artifacts.ts';
import { Recall } from '../../src/memory/recall.ts';
import { MemoryConfig } from '../../src/schema/memory.ts';

const oka = join(process.argv[2] ?? '', '.oka');
const recall = Recall.open({
  folder: join(oka, 'index'),
  ledgers: { run: join(oka, 'run_ledger.jsonl'), maintenance: join(oka, 'maintenance_ledger.jsonl') },
  artifacts: openArtifacts(join(oka, 'artifacts'), (text) => text),
  settings: MemoryConfig.parse({ vectors: false }),
  clock: Date.now,
});
process.stdout.write(`begun ${recall.shelf.size}\n`);
await recall.catchUp();
process.stdout.write(`done ${recall.shelf.size}\n`);
await recall.close();
