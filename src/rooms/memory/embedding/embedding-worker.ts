/** The worker thread that embeds texts, one after the other. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../core/schema/errors.ts';
import { collectGarbage } from '../../../kit/rows/collect-garbage.ts';
import { type Embedder, type EmbedderSettings, openEmbedder } from './embedding-model.ts';

export type EmbedRequest = { number: number; text: string } | { number: number; close: true };
export type EmbedReply =
  | { opened: Pick<Embedder, 'model' | 'dims'> }
  | { failed: string }
  | { number: number; vector: Float32Array }
  | { number: number; error: string };

if (parentPort !== null) await serveRequests(parentPort);

async function serveRequests(port: MessagePort): Promise<void> {
  const reply = (message: EmbedReply): void => port.postMessage(message, []);
  try {
    const embedder = await openEmbedder(workerData as EmbedderSettings);
    let turn: Promise<void> = Promise.resolve();
    port.on('message', (request: EmbedRequest) => {
      turn = turn.then(() => handleRequest(port, embedder, request, reply));
    });
    reply({ opened: { model: embedder.model, dims: embedder.dims } });
    turn = turn.then(collectGarbage); // loading the model leaves as much as it takes
  } catch (error) {
    reply({ failed: messageOf(error) });
  }
}

async function handleRequest(
  port: MessagePort,
  embedder: Embedder,
  request: EmbedRequest,
  reply: (message: EmbedReply) => void,
): Promise<void> {
  const { number } = request;
  try {
    if ('text' in request) return reply({ number, vector: await embedder.embed(request.text) });
    await embedder.close();
    port.close();
  } catch (error) {
    reply({ number, error: messageOf(error) });
  }
}
