/**
 * Owns: saving a graph that a person has edited elsewhere, such as in the dashboard.
 *
 * 1. A file is replaced only while it contains what the person has read; an edit in between is not lost.
 * 2. The text before and the text after are both saved as versions.
 * 3. A change that makes a graph worse is refused with every new problem and its place; a graph that could not run
 *    before may be corrected step by step.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assertNoProblems } from '../../core/engine/graph-problem.ts';
import { graphVersion } from '../../core/engine/graph-versions.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { GraphSaved } from '../../core/schema/graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { ArtifactStore, ToolRegistry } from '../../core/schema/ports.ts';
import { type GraphText, parseGraphText, replaceGraphText } from '../../kit/graphs/edit-graph.ts';
import { fileOfGraph } from '../../kit/graphs/graph-files.ts';
import { listProblems, newProblems } from './graph-problems.ts';
import { noteVersion, type VersionPorts } from '../../kit/graphs/save-version.ts';
import { nameOfGraph } from '../../kit/graphs/stored-versions.ts';

type WriteGraph = Extract<Intake, { kind: 'write_graph' }>;
type WritePorts = VersionPorts & {
  home: Home;
  artifacts: ArtifactStore;
  tools: Pick<ToolRegistry, 'list'>;
  nodeKinds: readonly NodeKind[];
};

/** Resolves when the file and both versions are durable. */
export async function writeGraph(
  ports: WritePorts,
  { graph: name, text, replaces }: WriteGraph,
): Promise<{ graph: string; version: string }> {
  const file = fileOfGraph(ports.home, name);
  if (file === null) throw new OkaError('usage', `"${name}" cannot be the name of a graph`);
  const before = readBefore(file, name, replaces);
  const after: GraphText = { file, text, value: parseGraphText(text, name) };
  if (nameOfGraph(after) !== name)
    throw new OkaError('refused', `the id in the graph is "${nameOfGraph(after)}", and its file is ${name}.json`, {
      fix: `Leave the id as it is, or save it as a new graph.`,
    });
  const available = { tools: ports.tools.list().map((tool) => tool.name), kinds: ports.nodeKinds };
  const known = before?.value == null ? [] : listProblems({ file: name, value: before.value }, available);
  assertNoProblems(name, newProblems(known, listProblems({ file: name, value: after.value }, available)));
  if (before?.value != null) await saveText(ports, name, { text: before.text, value: before.value }, 'edited');
  replaceGraphText({ file, text: before?.text ?? null }, text);
  const version = await saveText(ports, name, after, before === null ? 'created' : 'edited');
  return { graph: name, version };
}

/** The file as the person has read it; its value is null where it was not JSON. Null when there is none yet. */
function readBefore(
  file: string,
  name: string,
  replaces: string | null,
): (Pick<GraphText, 'text'> & { value: GraphText['value'] | null }) | null {
  const text = lstatIfPresent(file)?.isFile() === true ? readFileSync(file, 'utf8') : null;
  const current = text === null ? null : hash('sha256', text);
  if (current !== replaces)
    throw new OkaError('refused', describeConflict(name, current, replaces), {
      fix: 'Load the graph again, and repeat your changes.',
    });
  if (text === null) return null;
  try {
    return { text, value: parseGraphText(text, name) };
  } catch {
    return { text, value: null }; // what is no graph can be replaced by one
  }
}

function describeConflict(name: string, current: string | null, replaces: string | null): string {
  if (current === null) return `the graph ${name} was deleted meanwhile`;
  return replaces === null ? `there is a graph ${name} already` : `the graph ${name} was changed meanwhile`;
}

async function saveText(
  { ledger, projections, artifacts }: WritePorts,
  graph: string,
  { text, value }: Pick<GraphText, 'text' | 'value'>,
  cause: GraphSaved['cause'],
): Promise<string> {
  const version = graphVersion(value);
  const artifact = await artifacts.put(text, { media: 'application/json', name: `${graph}.json` });
  await noteVersion({ ledger, projections }, { graph, version, artifact, cause });
  return version;
}
