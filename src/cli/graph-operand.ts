import { graphFile } from '../daemon/graphs/graph-files.ts';
import type { Call } from './command-module.ts';
import { onlyOperand } from './operands.ts';

/** The file of the graph that a command is about: given by its name or by a path. */
export function graphOperand(call: Pick<Call, 'operands' | 'home'>): string {
  return graphFile(call.home, onlyOperand(call, 'graph'));
}
