/** What a command or a server asks of its sandbox, and what it gets. */
import type { Rights } from '../../core/guard/command-rights.ts';
import type { OpenFolder } from '../../core/schema/folder.ts';
import type { SandboxLaunch } from './sandbox-launch.ts';

/** What the class of a command depends on besides its words. */
export type StepTerms = { hasNet: boolean; dir: string; folders: readonly OpenFolder[] };

export type SandboxRequest = {
  /** Whether it asks for the network, or for which hosts of it. */
  net: boolean | readonly string[];
  /** Folders it has to read besides. */
  readable: readonly string[];
  /** It gets no network, whatever rules allow. */
  isOffline?: boolean;
  /** What the egress proxy marks its requests with, so that a server knows a repeated one. */
  idempotencyKey?: string | undefined;
  /** How long it may last. */
  timeoutMs: number;
};

export type CommandSandbox =
  | {
      kind: 'ready';
      env: Readonly<Record<string, string>>;
      scratch?: string;
      launch?: SandboxLaunch;
      /** What the egress proxy has refused to the command. */
      refused?: () => Promise<readonly string[]>;
      [Symbol.asyncDispose](): Promise<void>;
    }
  | { kind: 'refused'; reason: string };

export type ServerLaunch = {
  launcher: string;
  /** Null: no rules, and still an end for everything it starts. */
  rights: Rights | null;
  /** By which processes are recognised whose launcher was killed (desk-lock.ts). */
  mark?: number;
};
