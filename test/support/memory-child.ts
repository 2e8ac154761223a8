/**
 * Reads the ledger of the home in argv into its index, and says when it has begun; with a model in argv it also learns by
 * meaning, and says how far it is; with a number behind it, it stays where it has learned so many. Killed in between by a
 * test.
 */
import './rooms-of-product.ts';
import { join } from 'node:path';
import { openArtifacts } from '../../src/core/ledger/artifact-store.ts';
import { Recall } from '../../src/rooms/memory/recall/recall.ts';
import { MemoryConfig } from '../../src/core/schema/memory.ts';

const [, , dir = '', model, last] = process.argv;
const oka = join(dir, '.oka');
const recall = Recall.open({
  folder: join(oka, 'index'),
  ledgers: { run: join(oka, 'run_ledger.jsonl'), maintenance: join(oka, 'maintenance_ledger.jsonl') },
  artifacts: openArtifacts(join(oka, 'artifacts'), (text) => text),
  settings: MemoryConfig.parse(model === undefined ? { vectors: false } : { model }),
  clock: Date.now,
});
process.stdout.write(`begun ${recall.items.size}\n`);
await recall.catchUp();
if (model !== undefined)
  await recall.embedAll(new AbortController().signal, {
    onProgress: (done) => {
      process.stdout.write(`learned ${done}\n`);
      if (String(done) === last) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  });
process.stdout.write(`done ${recall.items.size}\n`);
await recall.close();
