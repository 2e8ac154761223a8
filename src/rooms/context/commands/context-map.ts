/** The most used files of the workspace with their most used names. Reads only; no worker is needed. */
import { mapFolder } from '../synthesis/map-folder.ts';
import { readSourceIn } from '../synthesis/read-source.ts';
import { MapRequest } from '../../../core/schema/synthesis.ts';
import type { WorkspaceMap } from '../map/workspace-map.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { parseRequest } from '../../../kit/cli/option-request.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Options = { tokens: number | undefined; workspace: string | undefined };

export async function run(call: Call<Options>): Promise<Answer<WorkspaceMap>> {
  await requireHome(call.home);
  const request = parseRequest(MapRequest, { node: call.operands[0], ...call.options });
  const tree = await openTreeForReading(call);
  const readSource = readSourceIn(tree.workspaces, { isExact: false });
  const data = await mapFolder({ tree, readSource }, request);
  return answer(data, data.files.length === 0 ? exits.no : exits.ok);
}

export function render({ text, left_out: left, files }: WorkspaceMap): string {
  if (files.length === 0 && left > 0) return 'Not even the most used file fits. Allow more: --tokens 1000\n';
  if (files.length === 0) return 'There is nothing to map here. Scan first if files are new: oka context scan\n';
  return left === 0 ? text : `${text}… and ${left} more files; show more of them with --tokens N.\n`;
}
