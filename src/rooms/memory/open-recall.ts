/** What is remembered in a home, opened in this process; the worker opens it in a thread of its own (memory.ts). */
import { join } from 'node:path';
import { Recall, type RecallOptions } from './recall/recall.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { isSetUp } from '../../kit/home/is-set-up.ts';
import { loadConfig } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';

export async function openRecall(home: Home): Promise<Recall> {
  if (!isSetUp(home))
    throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
  return Recall.open(recallOptions(home, (await loadConfig(home)).memory));
}

export function recallOptions(home: Home, settings: RecallOptions['settings']): RecallOptions {
  return {
    folder: join(home.oka, 'index'),
    ledgers: home.ledgers,
    artifacts: openArtifacts(join(home.oka, 'artifacts'), (text) => text),
    settings,
    clock: Date.now,
  };
}
