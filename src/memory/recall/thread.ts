/** The thread in which a worker remembers: the one writer of the index, beside the loop that drives the runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openArtifacts } from '../../ledger/artifacts.ts';
import { messageOf } from '../../schema/errors.ts';
import type { Answered, Asking, ThreadOptions } from './beside.ts';
import { packFor } from './pack-for.ts';
import { Recall } from './recall.ts';
import { search } from './search.ts';

/** A prompt waits so long for a model that is being loaded; then it is made of what words find. */
const PATIENCE_MS = 200;
/** While the engine works, learning takes at most this share of a core. */
const BESIDE_WORK = 0.4;
/** The engine is at work if it has said so since. */
const AT_WORK_MS = 3000;

const { artifacts, ...options } = workerData as ThreadOptions;
const stopping = new AbortController();
const recall = Recall.open({
  ...options,
  artifacts: openArtifacts(artifacts, (text) => text),
  clock: Date.now,
  patienceMs: PATIENCE_MS,
});
let learning: Promise<void> | null = null;
let lastAsked = 0;
if (parentPort !== null) listen(parentPort);

function listen(port: MessagePort): void {
  port.on('message', (asking: Asking) => {
    lastAsked = Date.now();
    void answered(asking).then((answer) => {
      port.postMessage(answer);
      if (asking.kind === 'close') port.close();
    });
  });
}

async function answered(asking: Asking): Promise<Answered> {
  try {
    return { number: asking.number, value: await done(asking) };
  } catch (error) {
    return { number: asking.number, error: messageOf(error) };
  }
}

async function done(asking: Asking): Promise<unknown> {
  switch (asking.kind) {
    case 'catch up':
      return recall.catchUp().finally(learnOn);
    case 'search':
      await recall.catchUp();
      return search(recall, asking.asked).finally(learnOn);
    case 'pack':
      await recall.catchUp();
      return packFor(recall, asking.ask).finally(learnOn);
    case 'close':
      stopping.abort();
      await learning;
      return recall.close();
  }
}

/** Vectors come after words, in pauses of the rest. A failure is told by `oka doctor`; words are enough to go on. */
function learnOn(): void {
  if (learning !== null || stopping.signal.aborted || !recall.learns) return;
  const before = recall.corpus.now.size;
  learning = recall
    .learnAll(stopping.signal, { pause })
    .catch(() => undefined) // an index that is damaged is made anew by the next question
    .finally(() => {
      learning = null;
      if (recall.corpus.now.size !== before) learnOn(); // what came meanwhile
    });
}

async function pause(ms: number): Promise<void> {
  if (Date.now() - lastAsked > AT_WORK_MS) return;
  await sleep(ms * (1 / BESIDE_WORK - 1), undefined, { signal: stopping.signal }).catch(() => undefined);
}
