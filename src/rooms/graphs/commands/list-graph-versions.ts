import { fileOfGraph } from '../../../kit/graphs/graph-files.ts';
import { readGraphText } from '../../../kit/graphs/edit-graph.ts';
import { graphVersion, type SavedVersion } from '../../../core/engine/graph-versions.ts';
import { lstatIfPresent } from '../../../core/ledger/disk.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { nameOfGraph, readVersions } from '../../../kit/graphs/stored-versions.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { graphOperand } from '../graph-operand.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';

type Listed = Pick<SavedVersion, 'version' | 'cause' | 'at'> & { current: boolean };
type Data = { graph: string; current: string | null; versions: Listed[] };

/** A graph that was deleted still has its versions. */
export async function run(call: Call): Promise<Answer<Data>> {
  const given = onlyOperand(call, 'graph');
  const deleted = fileOfGraph(call.home, given);
  const saved = await readVersions(call.home, given);
  const isGone = saved.length > 0 && deleted !== null && lstatIfPresent(deleted) === undefined;
  if (isGone) return answer({ graph: given, current: null, versions: saved.map((each) => listed(each, null)) });
  const graph = readGraphText(graphOperand(call));
  const current = graphVersion(graph.value);
  const name = nameOfGraph(graph);
  const versions = await readVersions(call.home, name);
  return answer({ graph: name, current, versions: versions.map((each) => listed(each, current)) });
}

function listed({ version, cause, at }: SavedVersion, current: string | null): Listed {
  return { version, cause, at, current: version === current };
}

const CAUSES: Record<Listed['cause'], string> = {
  run: 'first run with it',
  edited: 'edited by hand',
  created: 'created',
  patched: 'oka graph patch',
  rolled_back: 'oka graph rollback',
  deleted: 'deleted',
  built: 'built from an intent',
  imported: 'imported',
};

export function render({ graph, current, versions }: Data, terminal: Terminal): string {
  const isSaved = current === null || versions.some(({ version }) => version === current);
  const list = renderColumns(
    versions,
    [
      { text: (each) => (each.current ? '*' : ''), width: 1 },
      { text: ({ version }) => version.slice(0, 12), style: terminal.bold },
      { text: ({ at }) => terminal.toMinute(at), style: terminal.dim },
      { text: ({ cause }) => CAUSES[cause], grows: true },
    ],
    terminal,
  );
  const note = isSaved ? '' : `The file is now at ${current.slice(0, 12)}, which was neither run nor saved yet.\n`;
  if (versions.length === 0) return `No version of ${graph} was saved yet: it was neither run nor changed by oka.\n`;
  return `${list}${note}${current === null ? `${graph} was deleted; restore it with: oka graph rollback ${graph}\n` : ''}`;
}
