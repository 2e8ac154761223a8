import { serveAssistant } from '../../daemon/assistant/assistant-server.ts';
import type { AssistantPorts } from '../../daemon/assistant/assistant-tools.ts';
import { retrieveFromWorker } from '../../daemon/memory/recall-socket.ts';
import { openRowsReader } from '../../daemon/views/open-views.ts';
import { retrieve } from '../../memory/recall/search-memory.ts';
import type { Home } from '../../schema/home.ts';
import { type Answer, type Call, exits } from '../command-module.ts';
import { withRecall } from '../memory-access.ts';
import { requireHome } from '../require-home.ts';
import { requestOfWorker } from '../submitted.ts';
import { submit } from '../../intake/submit-request.ts';
import { join } from 'node:path';

/** stdout belongs to the protocol: nothing else is printed there. */
export async function run({ home, signal, options }: Call<{ readOnly: boolean }>): Promise<Answer<never>> {
  await requireHome(home);
  const reader = openRowsReader(home);
  try {
    await serveAssistant({ ...portsOf(home, signal), reader, isReadOnly: options.readOnly }, signal);
  } finally {
    await reader.close();
  }
  return { code: signal.aborted ? exits.interrupted : exits.ok };
}

export const render = (): string => '';

function portsOf(home: Home, signal: AbortSignal): Pick<AssistantPorts, 'home' | 'request' | 'search'> {
  return {
    home,
    async request(intake) {
      const submitted = await requestOfWorker({ home, signal }, intake);
      if (submitted === null) submit(join(home.oka, 'intake'), intake);
      return { isDone: submitted?.done !== undefined };
    },
    async search(asked) {
      const found = await retrieveFromWorker(home, { asked, budget: null, isCounted: false });
      return found ?? withRecall(home, (recall) => retrieve(recall, asked, { budget: null, counter: null }));
    },
  };
}
