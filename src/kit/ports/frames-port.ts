/** What the context tree says about the folder of a task, for its planner. */
import type { Candidate } from '../learning/context-pack.ts';

export type TaskFrames = (dir: string | null, task: string) => Promise<Candidate[]>;
