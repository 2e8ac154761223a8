import { graphFile } from '../../kit/graphs/graph-files.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { onlyOperand } from '../../kit/cli/operands.ts';

/** The file of the graph that a command is about: given by its name or by a path. */
export function graphOperand(call: Pick<Call, 'operands' | 'home'>): string {
  return graphFile(call.home, onlyOperand(call, 'graph'));
}
