/** Saving versions of graphs, whether or not a worker owns the ledger. */
import { join } from 'node:path';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { createGraphText, type GraphText, parseGraphText } from '../../kit/graphs/edit-graph.ts';
import { nameOfGraph, readAllVersions } from '../../kit/graphs/stored-versions.ts';
import { graphVersion, isNewVersion } from '../../core/engine/graph-versions.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import type { GraphSaved } from '../../core/schema/graph.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { carryOut } from '../../kit/cli/carry-out.ts';

type SavingCall = Pick<Call, 'home' | 'signal' | 'notify' | 'rooms'>;

/** Writes a graph that did not exist before, and saves it as its first version. */
export async function createGraph(
  call: SavingCall,
  file: string,
  value: object,
  cause: Extract<GraphSaved['cause'], 'built' | 'imported'>,
): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  createGraphText(file, text);
  await saveVersion(call, { file, text, value: parseGraphText(text, file) }, cause);
}

/** Resolves when the version is durable; the worker is asked if there is one. */
export async function saveVersion(call: SavingCall, graph: GraphText, cause: GraphSaved['cause']): Promise<string> {
  const { home } = call;
  const name = nameOfGraph(graph);
  const version = graphVersion(graph.value);
  if (!isNewVersion(await readAllVersions(home), { graph: name, version, cause })) return version;
  const vault = await openHomeVault(home);
  await vault.refresh();
  const about = { media: 'application/json', name: `${name}.json` };
  const artifact = await openArtifacts(join(home.oka, 'artifacts'), vault.redact).put(graph.text, about);
  await carryOut(call, { kind: 'save_graph', graph: name, version, artifact, cause });
  return version;
}
