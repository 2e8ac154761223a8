/** The thread in which a worker remembers: the one writer of the index, beside the loop that drives the runs. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openArtifacts } from '../ledger/artifacts.ts';
import { messageOf } from '../schema/errors.ts';
import type { Answered, Asking, ThreadOptions } from './beside.ts';
import { packFor } from './pack-for.ts';
import { Recall } from './recall.ts';
import { search } from './search.ts';

const { artifacts, ...options } = workerData as ThreadOptions;
const stopping = new AbortController();
const recall = Recall.open({ ...options, artifacts: openArtifacts(artifacts, (text) => text), clock: Date.now });
let learning: Promise<void> = Promise.resolve();
if (parentPort !== null) listen(parentPort);

function listen(port: MessagePort): void {
  port.on('message', (asking: Asking) => {
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
    case 'catch up': {
      const events = await recall.catchUp();
      learnOn();
      return events;
    }
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
  if (!recall.learns) return;
  learning = learning.then(() => recall.learnAll(stopping.signal)).catch(() => undefined);
}
