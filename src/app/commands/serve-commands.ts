/** oka as an MCP server. */
import { serveAssistant } from '../assistant/assistant-server.ts';
import type { AssistantPorts } from '../assistant/assistant-tools.ts';
import { retrieveFromWorker } from '../../rooms/memory/recall-socket.ts';
import { openRowsReader } from '../../kit/house/open-views.ts';
import { retrieve } from '../../rooms/memory/recall/search-memory.ts';
import type { Home } from '../../core/schema/home.ts';
import { command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { withRecall } from '../../rooms/memory/memory-access.ts';
import { requireHome } from '../../kit/cli/require-home.ts';
import { carryOut } from '../../kit/cli/carry-out.ts';
import { submit } from '../../kit/requests/submit-request.ts';
import { join } from 'node:path';
import { flag } from '../../kit/cli/options.ts';

export const commands: Commands = {
  'mcp serve': command({
    summary: 'Be an MCP server on stdin and stdout: other programs hand over tasks and fetch results',
    options: { 'read-only': flag('Only status, results and memory: no tasks, no cancelling.') },
    example: 'oka mcp serve --dir ~/assistant',
    json: false,
    /** stdout belongs to the protocol: nothing else is printed there. */
    run: async ({ home, signal, options }) => {
      await requireHome(home);
      const reader = openRowsReader(home);
      try {
        await serveAssistant({ ...portsOf(home, signal), reader, isReadOnly: options.readOnly }, signal);
      } finally {
        await reader.close();
      }
      return { code: signal.aborted ? exits.interrupted : exits.ok };
    },
    render: () => '',
  }),
};

function portsOf(home: Home, signal: AbortSignal): Pick<AssistantPorts, 'home' | 'request' | 'search'> {
  return {
    home,
    async request(intake) {
      let isDone = true;
      await carryOut({ home, signal, notify: () => undefined }, intake, async () => {
        submit(join(home.oka, 'intake'), intake); // a program that asks has no pen: the next worker does it
        isDone = false;
        return null;
      });
      return { isDone };
    },
    async search(asked) {
      const found = await retrieveFromWorker(home, { asked, budget: null, isCounted: false });
      return found ?? withRecall(home, (recall) => retrieve(recall, asked, { budget: null, counter: null }));
    },
  };
}
