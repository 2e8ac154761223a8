/** The worker thread in which the worker process searches memory. It is the only writer of the index. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openArtifacts } from '../../../core/ledger/artifact-store.ts';
import { messageOf } from '../../../core/schema/errors.ts';
import { collectGarbage } from '../../../kit/rows/collect-garbage.ts';
import { vectorTableClient } from '../embedding/vector-table-client.ts';
import type { RecallReply, RecallRequest, RecallIdle, RecallThreadOptions } from './background-recall.ts';
import { buildPack } from './build-pack.ts';
import { Recall } from './recall.ts';
import { listInstructions } from '../stated-instructions.ts';
import { createTokenCounter } from '../../../kit/text/tokens.ts';
import { retrieve, search } from './search-memory.ts';
import { pause } from '../../../kit/pause.ts';

/** How long a prompt waits for an embedding model that is loading; after that, keywords answer alone. */
const MODEL_WAIT_MS = 200;
/** While the engine works, embedding takes at most this share of a core. */
const SHARE_WHILE_WORKING = 0.4;
/** The engine counts as working for this long after its last request. */
const WORKING_WINDOW_MS = 3000;
/** Garbage is collected when nobody has asked for this long. */
const QUIET_MS = 20_000;
/** After this time without a question the thread is not needed, if starting it again takes less than anybody notices. */
const IDLE_AFTER_MS = 60_000;
const SMALL_INDEX = 5000;

const { artifacts, idleAfterMs = IDLE_AFTER_MS, ...options } = workerData as RecallThreadOptions;
const stopping = new AbortController();
const recall = Recall.open({
  ...options,
  artifacts: openArtifacts(artifacts, (text) => text),
  clock: Date.now,
  patienceMs: MODEL_WAIT_MS,
  table: (settings) => vectorTableClient(settings, undefined, stopping.signal),
});
let learning: Promise<void> | null = null;
let lastAsked = 0;
let hasLoadedVectors = false;
let quiet: NodeJS.Timeout | undefined;
let idle: NodeJS.Timeout | undefined;
if (parentPort !== null) serveRequests(parentPort);

function serveRequests(port: MessagePort): void {
  port.on('message', (asking: RecallRequest) => {
    lastAsked = Date.now();
    void replyTo(asking).then((answer) => {
      port.postMessage(answer);
      if (asking.kind === 'close') port.close();
      collectWhenQuiet();
      sayWhenIdle(port);
    });
  });
}

/** What has vectors, or would take long to load, stays. */
function sayWhenIdle(port: MessagePort): void {
  clearTimeout(idle);
  const isLight = !hasLoadedVectors && learning === null && recall.corpus.now.size <= SMALL_INDEX;
  if (isLight && !stopping.signal.aborted)
    idle = setTimeout(() => port.postMessage({ kind: 'idle' } satisfies RecallIdle), idleAfterMs).unref();
}

async function replyTo(asking: RecallRequest): Promise<RecallReply> {
  try {
    return { number: asking.number, value: await handleRequest(asking) };
  } catch (error) {
    return { number: asking.number, error: messageOf(error) };
  }
}

async function handleRequest(asking: RecallRequest): Promise<unknown> {
  switch (asking.kind) {
    case 'catch up':
      return recall.catchUp().finally(embedInBackground);
    case 'search':
      await recall.catchUp();
      return search(recall, asking.asked).finally(embedInBackground);
    case 'retrieve': {
      await recall.catchUp();
      const counter = asking.isCounted ? await createTokenCounter('openai') : null;
      return retrieve(recall, asking.asked, { budget: asking.budget, counter }).finally(embedInBackground);
    }
    case 'pack':
      await recall.catchUp();
      return buildPack(recall, asking.ask).finally(embedInBackground);
    case 'instructions':
      await recall.catchUp();
      return listInstructions(recall.store, Date.now());
    case 'close':
      stopping.abort();
      await learning;
      return recall.close();
  }
}

/** Embeds when nothing else is asked. Keywords are enough to go on, so a failure is only shown by `oka doctor`. */
function embedInBackground(): void {
  if (learning !== null || stopping.signal.aborted || !recall.shouldEmbed) return;
  const before = recall.corpus.now.size;
  learning = collectBeforeLoading()
    .then(() => recall.embedAll(stopping.signal, { pause: giveWay }))
    .catch(() => undefined) // the next question rebuilds a damaged index
    .then(collectAfterLoading)
    .finally(() => {
      learning = null;
      collectWhenQuiet();
      if (recall.corpus.now.size !== before) embedInBackground(); // new entries arrived meanwhile
    });
}

/** What indexing has left behind goes before the model comes: the first vectors of a long history take half an hour. */
async function collectBeforeLoading(): Promise<void> {
  if (!hasLoadedVectors) await collectGarbage();
}

/** What it takes to load the index and the vectors is more than they are. */
async function collectAfterLoading(): Promise<void> {
  if (hasLoadedVectors || stopping.signal.aborted) return;
  hasLoadedVectors = true;
  await collectGarbage();
}

function collectWhenQuiet(): void {
  clearTimeout(quiet);
  if (!stopping.signal.aborted) quiet = setTimeout(() => void collectGarbage(), QUIET_MS).unref();
}

async function giveWay(ms: number): Promise<void> {
  if (Date.now() - lastAsked > WORKING_WINDOW_MS) return;
  await pause(ms * (1 / SHARE_WHILE_WORKING - 1), stopping.signal);
}
