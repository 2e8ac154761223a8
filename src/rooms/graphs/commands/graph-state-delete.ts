import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { graphAndKey } from '../../../kit/cli/graph-name.ts';
import { requestStateChange } from '../state-request.ts';

type Data = { graph: string; key: string; deleted: boolean | null };

export async function run(call: Call): Promise<Answer<Data>> {
  const { graph, key } = await graphAndKey(call);
  const deleted = await requestStateChange(call, { namespace: graph, key });
  return answer({ graph, key, deleted }, deleted === false ? exits.no : exits.ok);
}

export function render({ graph, key, deleted }: Data): string {
  if (deleted === null) return `A worker is running; it was asked to remove "${key}" of ${graph}.\n`;
  return deleted ? `${graph} no longer remembers "${key}".\n` : `${graph} has no value for "${key}".\n`;
}
