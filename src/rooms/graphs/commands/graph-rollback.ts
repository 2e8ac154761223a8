import { type GraphText, parseGraphText, readGraphText, replaceGraphText } from '../../../kit/graphs/edit-graph.ts';
import { fileOfGraph, graphFile } from '../../../kit/graphs/graph-files.ts';
import { type GraphChange, graphChanges } from '../../../core/engine/graph-changes.ts';
import { graphVersion } from '../../../core/engine/graph-versions.ts';
import { lstatIfPresent } from '../../../core/ledger/disk.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderChanges } from '../graph-changes-text.ts';
import { findVersion, nameOfGraph, readVersions, textOfVersion } from '../../../kit/graphs/stored-versions.ts';
import { saveVersion } from '../graph-history.ts';
import type { Terminal } from '../../../kit/cli/io.ts';

type Data = { graph: string; version: string; file: string; isWritten: boolean; changes: GraphChange[] };

/** Without a version: the last one that differs from the file now; for a deleted graph, the last one there was. */
export async function run(call: Call<{ dryRun: boolean }>): Promise<Answer<Data>> {
  const { home, operands, options } = call;
  const [given, wanted, ...more] = operands;
  if (given === undefined) throw new OkaError('usage', 'graph is missing');
  if (more.length > 0) throw new OkaError('usage', `"${more.join(' ')}" is too much: one version is enough`);
  const current = currentGraph(home, given);
  const name = current.value === null ? given : nameOfGraph({ ...current, value: current.value });
  const now = current.value === null ? null : graphVersion(current.value);
  const versions = await readVersions(home, name);
  const target =
    wanted === undefined ? versions.findLast(({ version }) => version !== now) : findVersion(versions, wanted);
  if (target === undefined) throw new OkaError('usage', `no other version of ${name} was saved yet`);
  const text = await textOfVersion(home, target);
  const next: GraphText = { file: current.file, text, value: parseGraphText(text, name) };
  if (!options.dryRun) {
    if (current.value !== null) await saveVersion(call, current as GraphText, 'edited');
    replaceGraphText(current, text);
    await saveVersion(call, next, 'rolled_back');
  }
  const changes = graphChanges(current.value ?? {}, next.value);
  return answer({ graph: name, version: target.version, file: current.file, isWritten: !options.dryRun, changes });
}

type CurrentGraph = { file: string; text: string | null; value: GraphText['value'] | null };

function currentGraph(home: Home, given: string): CurrentGraph {
  const file = fileOfGraph(home, given);
  if (file !== null && lstatIfPresent(file) === undefined && lstatIfPresent(given) === undefined)
    return { file, text: null, value: null };
  return readGraphText(graphFile(home, given));
}

export function render({ graph, version, file, isWritten, changes }: Data, terminal: Terminal): string {
  const about = isWritten
    ? `is at version ${version.slice(0, 12)} again`
    : `would be at version ${version.slice(0, 12)}`;
  return `${terminal.bold(graph)} ${about}  ${terminal.dim(file)}\n${renderChanges(changes, terminal)}`;
}
