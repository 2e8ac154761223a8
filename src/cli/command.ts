/** What a command is: a row of the table in commands.ts, and what it is called with. */
import type { Home } from '../schema/home.ts';

export type Option = {
  type: 'string' | 'boolean';
  value?: string;
  about: string;
  /** It may be given more than once. */
  several?: boolean;
};

export type Command = {
  summary: string;
  /** Words behind the name, such as "<file>". */
  operands?: string;
  options?: Readonly<Record<string, Option>>;
  /** Whether --json gives the same as data. */
  json?: boolean;
  example: string;
  /** Loaded only when the command runs, so that the others start fast. */
  load: () => Promise<{ run: (call: Call) => Promise<number> }>;
};

export type Call = {
  home: Home;
  operands: readonly string[];
  text: (option: string) => string | undefined;
  /** All that was given under an option that may be given more than once. */
  texts: (option: string) => readonly string[];
  flag: (option: string) => boolean;
  /** A whole number, or an error that names the option. */
  count: (option: string) => number | undefined;
  json: boolean;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
};

/** Documented in README.md and in `oka help`. */
export const exits = { ok: 0, no: 1, usage: 2, refused: 3, waiting: 4, interrupted: 130 } as const;
