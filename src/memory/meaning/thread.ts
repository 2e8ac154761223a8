/** The thread in which texts become vectors, one behind the other. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../schema/errors.ts';
import { type Embedder, type EmbedderSettings, openEmbedder } from './embed.ts';

export type Wanted = { number: number; text: string } | { number: number; close: true };
export type Given =
  | { opened: Pick<Embedder, 'model' | 'dims'> }
  | { failed: string }
  | { number: number; vector: Float32Array }
  | { number: number; error: string };

if (parentPort !== null) await listen(parentPort);

async function listen(port: MessagePort): Promise<void> {
  const give = (given: Given): void => port.postMessage(given, []);
  try {
    const embedder = await openEmbedder(workerData as EmbedderSettings);
    let turn: Promise<void> = Promise.resolve();
    port.on('message', (wanted: Wanted) => {
      turn = turn.then(() => answer(port, embedder, wanted, give));
    });
    give({ opened: { model: embedder.model, dims: embedder.dims } });
  } catch (error) {
    give({ failed: messageOf(error) });
  }
}

async function answer(
  port: MessagePort,
  embedder: Embedder,
  wanted: Wanted,
  give: (given: Given) => void,
): Promise<void> {
  const { number } = wanted;
  try {
    if ('text' in wanted) return give({ number, vector: await embedder.embed(wanted.text) });
    await embedder.close();
    port.close();
  } catch (error) {
    give({ number, error: messageOf(error) });
  }
}
