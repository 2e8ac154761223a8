/** Owns: which contents of AGENTS.md were written on the desk by calls. They are material, and never instructions. */
import { hash } from 'node:crypto';
import type { Projection } from '../../core/schema/ports.ts';

/** The latest are remembered; a content that is this old has to be written again to count as a command's. */
const MOST = 10_000;

export const writtenInstructions: Projection<{ oids: string[] }> = {
  name: 'written_instructions',
  version: 1,
  types: ['desk.kept'],
  initial: () => ({ oids: [] }),
  apply: (state, event) => {
    if (event.type !== 'desk.kept' || event.data.instructions === undefined) return state;
    const added = event.data.instructions.map(({ oid }) => oid).filter((oid) => !state.oids.includes(oid));
    state.oids = [...state.oids, ...added].slice(-MOST);
    return state;
  },
};

/** The name of a content in the store of snapshots. */
export function contentName(content: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]));
}
