/**
 * Owns: which frames the planner of a task gets: of the folder it works in, and only those that have to do with the task.
 *
 * 1. Stale frames are left out: they may be wrong about what is there now.
 * 2. They are material in the prompt, with the workspace as their origin; the pack decides how many fit.
 * 3. A tree that cannot be read costs no task: the prompt goes out without it.
 */
import type { Candidate } from '../../../kit/learning/context-pack.ts';
import type { Home } from '../../../core/schema/home.ts';
import { DEFAULT_WORKSPACE } from '../../../core/schema/tree.ts';
import type { ContextTree } from '../tree-port.ts';
import { hasTree } from '../tree/tree-files.ts';
import type { TaskFrames } from '../../../kit/ports/frames-port.ts';

/** What frames may cost at most; the share of the pack may be smaller. */
const MOST_TOKENS = 1500;
const MOST_FRAMES = 8;
const LONGEST = 700;

export function taskFrames(home: Home, tree: ContextTree): TaskFrames {
  return async (dir, task) => {
    if (!hasTree(home)) return [];
    try {
      const node = dir === null ? 'desk' : `desk/${dir}`;
      const isThere = await tree.read(DEFAULT_WORKSPACE, (reader) => reader.node(node) !== null);
      if (!isThere) return [];
      const asked = { workspace: DEFAULT_WORKSPACE, node, question: task.slice(0, 4000), tokens: MOST_TOKENS };
      const { framesFor } = await import('./ask-workspace.ts');
      const { chosen } = await framesFor(tree, asked);
      const current = chosen.filter(({ frame }) => frame.stale === undefined).slice(0, MOST_FRAMES);
      return current.map(
        ({ path, frame, content }, at): Candidate => ({
          id: `frame:${frame.id}`,
          section: 'frames',
          score: 0.5 - at / 100,
          text: `- ${path} (${frame.type}, ${describeOrigin(frame)}): ${content.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST)}`,
          evidence: [{ run: null, seq: frame.seq }],
        }),
      );
    } catch {
      return []; // the task is planned without them
    }
  };
}

function describeOrigin({ origin, agent }: { origin: string; agent: string }): string {
  return origin === 'rule' ? 'derived from its text' : `written by ${origin === 'model' ? 'a model' : agent}`;
}
