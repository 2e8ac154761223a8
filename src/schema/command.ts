/** A command as a tool is given it, and what the guard found out about it without running it. */
import type { SideEffectClass } from './effect.ts';

/** A program with its arguments, or a line for bash. */
export type Command = { argv: readonly string[] } | { line: string };

export type Classified = {
  class: SideEffectClass;
  /** Why, in words that a person understands. */
  reason: string;
  /** The programs it would start, as they are written. */
  programs: readonly string[];
  /** Paths it names, as they are written. */
  paths: readonly string[];
  /** Hosts it names. */
  hosts: readonly string[];
  /** Whether it has to reach the network. */
  net: boolean;
};
