/** Earlier versions of a graph. */
import { fileOfGraph, graphFile } from '../../../kit/graphs/graph-files.ts';
import { type GraphText, parseGraphText, readGraphText, replaceGraphText } from '../../../kit/graphs/edit-graph.ts';
import { graphVersion, type SavedVersion } from '../../../core/engine/graph-versions.ts';
import { lstatIfPresent } from '../../../core/ledger/disk.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { findVersion, nameOfGraph, readVersions, textOfVersion } from '../../../kit/graphs/stored-versions.ts';
import { graphOperand } from '../graph-operand.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { graphChanges } from '../../../core/engine/graph-changes.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { renderChanges } from '../graph-changes-text.ts';
import type { Home } from '../../../core/schema/home.ts';
import { saveVersion } from '../graph-history.ts';
import { flag } from '../../../kit/cli/options.ts';

const dryRun = flag('Only show what would change.');

type Listed = Pick<SavedVersion, 'version' | 'cause' | 'at'> & { current: boolean };

type VersionsData = { graph: string; current: string | null; versions: Listed[] };

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

type CurrentGraph = { file: string; text: string | null; value: GraphText['value'] | null };

export const commands: Commands = {
  'graph versions': command({
    summary: 'List the saved versions of a graph, the latest last',
    operands: '<graph>',
    example: 'oka graph versions report',
    run: graphVersions,
    render: ({ graph, current, versions }, terminal) => {
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
      if (versions.length === 0)
        return `No version of ${graph} was saved yet: it was neither run nor changed by oka.\n`;
      return `${list}${note}${current === null ? `${graph} was deleted; restore it with: oka graph rollback ${graph}\n` : ''}`;
    },
  }),
  'graph diff': command({
    summary: 'Compare two versions of a graph, or one with the file; exit 1 if they differ',
    operands: '<graph> [version] [version]',
    example: 'oka graph diff report 3f2a91',
    /** Without versions, the file now is compared with the last version that differs from it. */
    run: async ({ home, operands }) => {
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
    },
    render: ({ graph, from, to, changes }, terminal) => {
      const head = `${terminal.bold(graph)}  ${terminal.dim(`${from.slice(0, 12)} → ${to.slice(0, 12)}`)}\n`;
      return changes.length === 0 ? `${head}  no difference\n` : `${head}${renderChanges(changes, terminal)}`;
    },
  }),
  'graph rollback': command({
    summary: 'Go back to an earlier version of a graph (default: the one before)',
    operands: '<graph> [version]',
    options: { 'dry-run': dryRun },
    example: 'oka graph rollback report 3f2a91',
    /** Without a version: the last one that differs from the file now; for a deleted graph, the last one there was. */
    run: async (call) => {
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
    },
    render: ({ graph, version, file, isWritten, changes }, terminal) => {
      const about = isWritten
        ? `is at version ${version.slice(0, 12)} again`
        : `would be at version ${version.slice(0, 12)}`;
      return `${terminal.bold(graph)} ${about}  ${terminal.dim(file)}\n${renderChanges(changes, terminal)}`;
    },
  }),
};

function listed({ version, cause, at }: SavedVersion, current: string | null): Listed {
  return { version, cause, at, current: version === current };
}

/** A graph that was deleted still has its versions. */
async function graphVersions(call: Call): Promise<Answer<VersionsData>> {
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

function currentGraph(home: Home, given: string): CurrentGraph {
  const file = fileOfGraph(home, given);
  if (file !== null && lstatIfPresent(file) === undefined && lstatIfPresent(given) === undefined)
    return { file, text: null, value: null };
  return readGraphText(graphFile(home, given));
}
