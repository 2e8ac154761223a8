/** The agents of a home, as other rooms use them. */
import type { Agent } from '../../core/schema/agent-file.ts';
import type { OkaError } from '../../core/schema/errors.ts';

export type AgentsPort = {
  /** The agents that can be used, oka first. */
  list: () => readonly Agent[];
  /** The agent of this name. Throws an OkaError when there is none (with the nearest name), or its file is not valid (with the line). */
  get: (name: string) => Agent;
  /** Files that cannot be used, each with its error. */
  invalid: () => readonly InvalidAgent[];
};

export type InvalidAgent = { name: string; file: string; error: OkaError };
