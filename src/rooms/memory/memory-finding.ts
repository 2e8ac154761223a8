/** What `oka doctor` reports about memory: whether semantic search works. Loads what would run the model, but neither the model nor the database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { loadConfig } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';

export async function memoryFinding(home: Home): Promise<Finding> {
  const what = 'memory';
  try {
    const { memory } = await loadConfig(home);
    if (!memory.vectors) return { state: 'good', what, found: 'searched by keywords; semantic search is turned off' };
    const { assertVectorsUsable, modelsFolder, vectorsFolder } = await import('./embedding/stored-vectors.ts');
    const cache = modelsFolder(join(home.oka, 'index'));
    await assertVectorsUsable({ model: memory.model, download: memory.model_download, cache });
    const how = existsSync(vectorsFolder(join(home.oka, 'index')))
      ? 'searched by keywords and semantically'
      : 'searched by keywords; semantic search begins with the first search';
    return { state: 'good', what, found: `${how} (${memory.model})` };
  } catch (error) {
    const reason = messageOf(error).split('\n', 1)[0] ?? '';
    const fix = error instanceof OkaError ? error.fix : undefined;
    return {
      state: 'odd',
      what,
      found: `searched by keywords only: ${reason}`,
      fix: fix ?? 'Run npm ci to install what is missing.',
    };
  }
}
