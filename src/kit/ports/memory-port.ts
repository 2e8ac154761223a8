/** What the home remembers, as whoever makes a prompt asks for it. */
import type { BackgroundRecall } from '../../rooms/memory/recall/background-recall.ts';
import type { PackRequest } from '../../rooms/memory/recall/build-pack.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { MemoryStore } from '../../core/schema/ports.ts';
import type { MemoryPorts } from '../../rooms/memory/memory-tools.ts';

export type Memory = {
  retrieve: BackgroundRecall['retrieve'];
  instructions: BackgroundRecall['instructions'];
  store: MemoryStore;
  tools: MemoryPorts;
  /** `given` is what the caller knows by itself, such as procedures, besides the work at hand. */
  pack(
    ask: Omit<PackRequest, 'given'> & Partial<Pick<PackRequest, 'given'>>,
    note: (event: NewEvent & { run: string }) => void,
  ): Promise<string>;
  close(): Promise<void>;
};
