import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { vectorsFolder } from '../../../src/rooms/memory/embedding/stored-vectors.ts';
import { memoryFinding } from '../../../src/rooms/memory/memory-finding.ts';
import { memoryFolder } from '../../support/test-folders.ts';

it('memory is said to be searched by meaning only where that is so', async () => {
  const home = homeAt(memoryFolder('oka-memory-finding-'));
  setUp(home);
  const found = async (memory: object): Promise<string> => {
    writeFileSync(home.config, JSON.stringify({ memory }));
    return (await memoryFinding(home)).found;
  };
  expect(await found({ vectors: false })).toBe('searched by keywords; semantic search is turned off');
  expect(await found({ vectors: true })).toMatch(/^searched by keywords; semantic search begins with the first search/);
  expect(await found({ vectors: true, model: 'somebody/else' })).toMatch(/^searched by keywords only: /);
  mkdirSync(vectorsFolder(join(home.oka, 'index')), { recursive: true });
  expect(await found({ vectors: true })).toMatch(/^searched by keywords and semantically/);
});
