/** A command as a tool receives it, and its classification by the guard. */
import type { SideEffectClass } from './effect.ts';

/** A program with its arguments, or a line for bash. */
export type Command = { argv: readonly string[] } | { line: string };

export type Classified = {
  class: SideEffectClass;
  /** Why it has this class, for a person. */
  reason: string;
  /** The programs it would start, as they are written. */
  programs: readonly string[];
  /** Paths it names, as they are written. */
  paths: readonly string[];
  /** Hosts it names. */
  hosts: readonly string[];
  /** Whether it needs the network. */
  net: boolean;
};
