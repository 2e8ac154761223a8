/** What the home remembers, as whoever makes a prompt asks for it. */
import type { NewEvent } from '../../core/schema/event.ts';
import type { MemoryStore } from '../../core/schema/ports.ts';
import type { PackManifest } from '../../core/schema/memory.ts';
import type { Candidate } from '../learning/context-pack.ts';

export type Memory = {
  /** What the operator wants to have done in a certain manner, and what they once wanted. */
  instructions: () => Promise<StatedInstruction[]>;
  store: MemoryStore;
  /** `given` is what the caller knows by itself, such as procedures, besides the work at hand. */
  pack(
    ask: Omit<PackRequest, 'given'> & Partial<Pick<PackRequest, 'given'>>,
    note: (event: NewEvent & { run: string }) => void,
  ): Promise<string>;
};

export type PackRequest = {
  role: PackManifest['role'];
  run: string;
  node: string | null;
  query: string;
  /** The run of the task that it is for, where that is another one: nothing of this task is remembered. */
  task?: string;
  /** provider:model that reads the pack, or null when unknown. */
  model: string | null;
  /** What the caller adds itself: the current work, procedures, frames. */
  given: readonly Candidate[];
};

/** `since` and `until` are events of the run ledger; `until` is null while it applies. */
export type StatedInstruction = { text: string; since: number; until: number | null };
