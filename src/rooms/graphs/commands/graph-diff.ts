import { parseGraphText, readGraphText } from '../../../kit/graphs/edit-graph.ts';
import { graphFile } from '../../../kit/graphs/graph-files.ts';
import { type GraphChange, graphChanges } from '../../../core/engine/graph-changes.ts';
import { graphVersion } from '../../../core/engine/graph-versions.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { renderChanges } from '../graph-changes-text.ts';
import { findVersion, nameOfGraph, readVersions, textOfVersion } from '../../../kit/graphs/stored-versions.ts';
import type { Terminal } from '../../../kit/cli/io.ts';

type Data = { graph: string; from: string; to: string; changes: GraphChange[] };

/** Without versions, the file now is compared with the last version that differs from it. */
export async function run({ home, operands }: Call): Promise<Answer<Data>> {
  const [given, first, second, ...more] = operands;
  if (given === undefined) throw new OkaError('usage', 'graph is missing');
  if (more.length > 0) throw new OkaError('usage', `"${more.join(' ')}" is too much: two versions are compared`);
  const graph = readGraphText(graphFile(home, given));
  const name = nameOfGraph(graph);
  const current = { version: graphVersion(graph.value), value: graph.value as Json };
  const versions = await readVersions(home, name);
  const saved = async (wanted: string): Promise<typeof current> => {
    const found = findVersion(versions, wanted);
    return { version: found.version, value: parseGraphText(await textOfVersion(home, found), name) };
  };
  const other = first ?? versions.findLast(({ version }) => version !== current.version)?.version;
  if (other === undefined)
    throw new OkaError('usage', `no other version of ${name} was saved yet`, {
      fix: 'A version is saved when it runs.',
    });
  const [from, to] = [await saved(other), second === undefined ? current : await saved(second)];
  const changes = graphChanges(from.value, to.value);
  const data = { graph: name, from: from.version, to: to.version, changes };
  return answer(data, changes.length === 0 ? exits.ok : exits.no);
}

export function render({ graph, from, to, changes }: Data, terminal: Terminal): string {
  const head = `${terminal.bold(graph)}  ${terminal.dim(`${from.slice(0, 12)} → ${to.slice(0, 12)}`)}\n`;
  return changes.length === 0 ? `${head}  no difference\n` : `${head}${renderChanges(changes, terminal)}`;
}
