/** What RESULT.md is made of. */
import type { ArtifactRef } from '../../core/schema/tool.ts';

export type ResultStep = {
  id: string;
  title: string;
  status: 'done' | 'failed' | 'skipped' | 'waiting' | 'pending' | 'running';
  /** Of a runbook that a model repaired: a step of the text, or one that the model planned instead. */
  as?: 'written' | 'repair';
  /** What was called, such as a command. */
  did?: string;
  attempts?: number;
  /** Tool calls of a worker that decided as it went. */
  calls?: number;
  ms?: number;
  /** The step failed, and the run continued with the fallback that its author gave. */
  fallback?: boolean;
  output?: string;
  stderr?: string;
  /** All that a command wrote, where the event has only the beginning and the end. */
  stored?: readonly ArtifactRef[];
  /** Where all of its output is, relative to the page, if the page shows only a part. */
  outputFiles?: readonly { file: string; bytes: number }[];
  error?: string;
};

export type ResultFacts = {
  run: string;
  title: string;
  /** `paused` and `running` are no ends: the page says what is known so far. */
  verdict: 'done' | 'rework' | 'blocked' | 'impossible' | 'failed' | 'cancelled' | 'paused' | 'running';
  /** Why, in sentences. */
  reason: string;
  /** Name of the file that came in. */
  task: string;
  /** How the task was read, where its author may have meant something else. */
  notes?: readonly string[];
  /** Times in UTC, ISO 8601. */
  started: string;
  ended: string;
  /** What the worker answered in the end, if a model worked. */
  answer?: string;
  steps: readonly ResultStep[];
  criteria: readonly { text: string; holds: boolean; evidence: string; by: 'check' | 'model' | 'person' }[];
  /** How many of the files have a copy next to the page. */
  copies?: number;
  /** Where files that were created or changed are, relative to the page. */
  links?: ReadonlyMap<string, string>;
  /** Criteria of the model's that were provably broken, and what took their place. */
  replaced?: readonly { text: string; by: string; reason: string }[];
  files: { created: readonly string[]; changed: readonly string[]; removed: readonly string[] };
  /** Whether the changes can be undone, and the files that cannot be restored. */
  undo?: { possible: boolean; without: readonly string[] };
  /** When its changes were undone, and the files that were left because they have been changed since. */
  undone?: { at: string; kept: readonly string[] };
  /** What was installed because a step needed it. */
  installed?: readonly { id: string; version: string; from: string; commands: readonly string[] }[];
  /** Why commands of the task ran without a sandbox. */
  unsandboxed?: string;
  /** Every host that was asked for something, models aside. */
  hosts: readonly string[];
  /** Who opened a host, in words, where somebody had to. */
  hostAuthors?: Readonly<Record<string, string>>;
  /** `file`: where the copy is, relative to the page; without it, it is only in the artifact store. */
  artifacts: readonly { name: string; bytes: number; sha256: string; file?: string }[];
  /** Artifacts in which a secret was found, and where they are instead. */
  quarantined?: readonly string[];
  cost: {
    tokens: number;
    usd: number;
    calls: number;
    modelCalls: number;
    replans: number;
    activeMs: number;
    deskMs: number;
  };
  /** provider:model; null when none was needed. */
  model: string | null;
  /** The procedure that the plan was made from. */
  procedure?: string;
  /** Whether this procedure is new, and a person should know how to undo it. */
  isNewHabit?: boolean;
  /** `ask`: the kind of reply; `requirement` means that something has to be installed, `nothing` that something has to happen, not to be answered; `time`: that it is tried again. */
  questions: readonly {
    id: string;
    text: string;
    ask?: 'answer' | 'approval' | 'requirement' | 'nothing' | 'time';
    /** What has a requirement checked again. */
    command?: string;
  }[];
  /** What a person can do so that the task continues, and the command for it. */
  next: readonly { text: string; command?: string }[];
  ledger: { first: number; last: number };
  corrects?: string;
  /** Whether `oka again` can give the task once more: its text is stored, and no secret was taken out of it. */
  canRepeat?: boolean;
};
