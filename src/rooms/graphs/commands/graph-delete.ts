import { readGraphText, removeGraphFile } from '../../../kit/graphs/edit-graph.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { nameOfGraph } from '../../../kit/graphs/stored-versions.ts';
import { saveVersion } from '../graph-history.ts';
import { graphOperand } from '../graph-operand.ts';

type Data = { graph: string; file: string; deleted: boolean };

/** Its versions stay, so that it can be restored. */
export async function run(call: Call<{ yes: boolean }>): Promise<Answer<Data>> {
  const graph = readGraphText(graphOperand(call));
  const name = nameOfGraph(graph);
  if (!call.options.yes && !(await isConfirmed(call, name)))
    return answer({ graph: name, file: graph.file, deleted: false }, exits.no);
  await saveVersion(call, graph, 'deleted');
  removeGraphFile(graph);
  return answer({ graph: name, file: graph.file, deleted: true });
}

async function isConfirmed({ openDialog }: Call<{ yes: boolean }>, name: string): Promise<boolean> {
  if (openDialog === null)
    throw new OkaError('usage', `nobody is there to confirm that ${name} is to be deleted`, { fix: 'Add --yes.' });
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`Delete the graph ${name}? Its versions stay. [y/N] `));
}

export function render({ graph, deleted }: Data): string {
  return deleted ? `Deleted ${graph}. Restore it with: oka graph rollback ${graph}\n` : `${graph} was not deleted.\n`;
}
