/** What planning and judging a task need from around them. */
import type { RunState } from '../../core/engine/run-state.ts';
import type { Candidate } from '../../kit/learning/context-pack.ts';
import type { InstructionFile } from '../../kit/task/offers.ts';
import type { FoundSecret } from '../../kit/text/safety.ts';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { OpenFolder } from '../../core/schema/folder.ts';
import type { ArtifactStore, Clock, Model } from '../../core/schema/ports.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import type { Changes } from '../../kit/desk/desk-changes.ts';
import type { WrittenFile } from '../../kit/learning/result-traits.ts';
import type { FolderGrants } from '../../kit/ports/folders-port.ts';
import type { SealedTexts } from '../../kit/vault/sealed-texts.ts';
import type { PlanOffers } from '../../kit/ports/offers-port.ts';
import type { ChooseProcedure } from '../../kit/ports/procedures-port.ts';
import type { ShownEdit } from './read-edits.ts';

export type TaskPorts = {
  artifacts: ArtifactStore;
  clock: Clock;
  /** When a model that is down is asked again, for the first time. */
  askAgainMs: number;
  /** Null when nobody speaks for this role. */
  model: (role: 'planner' | 'executor' | 'critic', override?: string) => Model | null;
  /** The context window of the model for this role, in tokens; null without a model. */
  contextOf: (role: 'planner' | 'executor' | 'critic', override?: string) => number | null;
  /** Tools that a plan may use. */
  tools: () => readonly Tool[];
  /** The tools and skills that the planner of a task is shown. */
  offers: (run: string, task: string) => PlanOffers;
  /** Instructions of the operator for a task in this folder of the desk. */
  instructions: (dir: string | null) => readonly InstructionFile[];
  /** What is remembered and belongs to the task, chosen and cut. */
  pack: (
    role: 'planner' | 'critic',
    call: Pick<ToolCall, 'run' | 'node'>,
    task: TaskGiven,
    about: string,
    /** What the caller knows besides. */
    further?: readonly Candidate[],
  ) => Promise<string>;
  /** Date, programs and files, for the planner; `dir` is the folder of the task below the desk. */
  situation: (dir: string | null, folders: readonly OpenFolder[]) => string;
  /** The names of files around a task, as its worker was shown them; empty where there is none. */
  names: (dir: string | null) => string;
  /** The folders outside the desk for the plan of a task, or why it cannot be planned. */
  folders: FolderGrants['forPlan'];
  /** Those that are open to what a model does in this run, which may be less. */
  foldersForModel: (run: string) => Promise<readonly OpenFolder[]>;
  /** What has worked for tasks like this one. */
  procedures: ChooseProcedure;
  /** What a task says it needs and is not there, as the outcome that waits for it. */
  lacking: (requires: readonly string[]) => Promise<Outcome | null>;
  /** RESULT.md of an earlier run. */
  resultOf: (run: string) => Promise<string | null>;
  stateOf: (run: string) => Promise<RunState | null>;
  eventsOf: (run: string) => Promise<readonly Event[]>;
  /** Lets an event into a run that is at work. */
  note: (event: NewEvent & { run: string }) => void;
  /** Paths below the desk that are not what they were before these runs, by what they did. */
  changedBy: (runs: readonly string[]) => Promise<string[]>;
  /** The same, by what happened to them. */
  changesBy: (runs: readonly string[]) => Promise<Changes>;
  /** What these runs changed in files that were there before, as far as it can be shown as a diff. */
  editsBy: (runs: readonly string[], signal: AbortSignal) => Promise<ShownEdit[]>;
  /** The texts of a task as they were written, where they are recorded masked. */
  originals: Pick<SealedTexts, 'seal' | 'unseal'>;
  /** When a file of the desk was last written or put in its place, by the clock of its disk; null when it is not there. */
  writtenAt: (path: string) => number | null;
  /** What these files below the desk contain. */
  contentsOf: (paths: readonly string[]) => WrittenFile[];
  /** Which of these files contain a secret. */
  secretsIn: (paths: readonly string[]) => FoundSecret[];
};

export async function bodyOf({ artifacts }: Pick<TaskPorts, 'artifacts'>, { body }: TaskGiven): Promise<string> {
  return (await artifacts.get({ sha256: body })).toString('utf8');
}

/** The state machine as people see it. */
export async function moveTo(ports: TaskPorts, run: string, to: string, reason: string): Promise<void> {
  const from = (await ports.stateOf(run))?.state ?? '';
  if (from !== to) ports.note({ type: 'run.moved', run, data: { from, to, reason } });
}

/** What the operator added to a task while it was worked on: to the run itself, or to a run inside it. */
export async function notesOf({ stateOf }: Pick<TaskPorts, 'stateOf'>, ...runs: string[]): Promise<string[]> {
  const states = await Promise.all(runs.map((run) => stateOf(run)));
  return [...new Set(states.flatMap((state) => state?.notes ?? []))];
}
