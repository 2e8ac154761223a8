/** What a task of the evals is: the text, the files it starts with, a scripted good mind, and a grader in code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../src/core/schema/json.ts';

/** What the good mind does as the worker. Each method returns what the tool gave, once the prompt shows it. */
export type Hands = {
  /** The path on the desk of a file of this task. */
  at: (path: string) => string;
  read: (path: string) => string;
  /** Reads that do not depend on each other. */
  readAll: (paths: readonly string[]) => string[];
  /** Names of what is in a folder. */
  list: (path: string) => string[];
  shell: (line: string) => string;
  get: (url: string) => string;
  /** Pages that do not depend on each other. */
  getAll: (urls: readonly string[]) => string[];
  write: (path: string, content: string) => void;
  edit: (path: string, old: string, replacement: string) => void;
  move: (from: string, to: string) => void;
  remove: (path: string) => void;
  /** What the prompt says besides the goal, or what a search of memory finds; null when neither has it. */
  recall: (pattern: RegExp, query: string) => string | null;
  /** What a search of memory finds. */
  lookUp: (query: string) => string;
  isThere: (path: string) => boolean;
  note: (text: string) => void;
  /** The lines below a folder that contain a text. */
  search: (pattern: string, path: string) => string[];
  /** Reads a file that was written, where the prompt demands that the mind sees it. */
  verify: (path: string) => void;
  /** Whether this step has written the file already. */
  wrote: (path: string) => boolean;
  /** Gives a figure of the result with a command that prints it from the files. */
  compute: (value: string, command: string) => void;
  /** Reports that it cannot be done. */
  refuse: (reason: string) => never;
};

export type Playbook = {
  tools: readonly string[];
  /** Files that may change, relative to the folder of the task. */
  targets: readonly string[];
  /** `at` puts the folder of the task before a path, as the planner is instructed to. */
  criteria: (at: (path: string) => string) => readonly string[];
  /** For each criterion in prose, in order: what in the evidence shows it. */
  proofs?: readonly RegExp[];
  /** Returns the answer. */
  work: (hands: Hands) => string;
};

/** What a run left behind. */
export type Outcome = {
  /** The text of a file of the task; null when it is not there. */
  file: (path: string) => string | null;
  /** Names in a folder of the task, folders included; empty when it is not there. */
  names: (path: string) => string[];
  /** The last answer of the worker. */
  answer: string;
  page: string;
  isDone: boolean;
};

export type EvalTask = Playbook & {
  name: string;
  text: string;
  files: ReadonlyMap<string, Buffer>;
  /** Tasks of the days before, in the same home. */
  earlier?: readonly EvalTask[];
  /** The right end of a task that cannot be done. */
  isImpossible?: boolean;
  /** Whether the files come with the task, in a folder of its own. */
  isFolder: boolean;
  /** Says what is wrong with the outcome, or null. */
  grade: (outcome: Outcome) => string | null;
};

type Given = Omit<EvalTask, 'name' | 'text' | 'files' | 'isFolder'> & { isFolder?: boolean };

/** A task in a folder: `TASK.md` is its text, `files/` what it starts with. */
export function defineTask(folder: string, given: Given): EvalTask {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  const files = join(folder, 'files');
  return {
    isFolder: true,
    ...given,
    name,
    text: readFileSync(join(folder, 'TASK.md'), 'utf8'),
    files: existsSync(files) ? readFiles(files) : new Map<string, Buffer>(),
  };
}

/** A task of an earlier day, which needs no folder of its own. */
export function earlierTask(name: string, text: string, given: Partial<Given> & Pick<Given, 'work'>): EvalTask {
  const none = { tools: ['memory.note'], targets: [], criteria: () => ['The note is stored.'], proofs: [/./] };
  return { ...none, grade: () => null, isFolder: false, files: new Map<string, Buffer>(), ...given, name, text };
}

export function readFiles(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path)];
    }),
  );
}

/** The tasks in `tasks/`, by name. */
export async function loadTasks(): Promise<EvalTask[]> {
  const folder = join(import.meta.dirname, 'tasks');
  const names = readdirSync(folder).toSorted();
  return Promise.all(
    names.map(async (name) => ((await import(join(folder, name, `${name}.ts`))) as { default: EvalTask }).default),
  );
}

export type ToolCall = { tool: string; input: { [key: string]: Json } };

/** Thrown by hands that need the result of a call first. */
export class CallsNeeded extends Error {
  readonly calls: readonly ToolCall[];
  constructor(calls: readonly ToolCall[]) {
    super('calls are needed');
    this.calls = calls;
  }
}

/** Thrown by hands that cannot do it. */
export class Refusal extends Error {}
