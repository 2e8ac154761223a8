/** What memory contributes: what it learns from both ledgers, context for prompts, tools to search it, and what people ask to be remembered. */
import { defineRoom, type LateAnswer } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, config, ledger, artifacts, onDurable, taskGraph } = ports;

export const memory = defineRoom({
  name: 'rooms/memory',
  events: [
    'fact.kept',
    'fact.forgotten',
    'fact.reworded',
    'change.undone',
    'episode.imported',
    'context.packed',
    'call.started',
    'call.ended',
  ],
  views: async () => {
    const { factView } = await import('./fact-view.ts');
    return [factView];
  },
  schemas: async () => {
    const { Episode, Fact } = await import('../../core/schema/memory.ts');
    return { episode: Episode, fact: Fact };
  },
  learning: async (settings) => (await import('./memory-parts.ts')).partsOfMemory(settings),
  sharing: async () => (await import('./shared-facts.ts')).sharedFacts,
  tools: ['memory.search', 'memory.note'],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // memory has grown since: what it returned then is in the record
    const { memoryTools } = await import('./memory-tools.ts');
    return memoryTools({ search: () => Promise.resolve([]) });
  },
  findings: async (at) => [await (await import('./memory-finding.ts')).memoryFinding(at)],
  needs: { home, config, ledger, artifacts, onDurable, taskGraph },
  gives: { memory: ports.memory },
  open: async (needed) => {
    const [{ openMemory }, { serveRecall }, { recordMemory }, { memoryTools }] = await Promise.all([
      import('./open-memory.ts'),
      import('./recall-socket.ts'),
      import('./record-memory.ts'),
      import('./memory-tools.ts'),
    ]);
    const opened = openMemory(needed);
    const stopServing = await serveRecall(needed.home, opened);
    const record = async (intake: Parameters<typeof recordMemory>[0]): Promise<LateAnswer> => {
      const recorded = await recordMemory(intake, needed);
      return { answer: Promise.resolve(recorded) };
    };
    return {
      gives: { memory: opened },
      tools: memoryTools(opened.tools),
      intakes: { remember: record, forget: record, import: record },
      close: async () => {
        await stopServing();
        await opened.close();
      },
    };
  },
});
