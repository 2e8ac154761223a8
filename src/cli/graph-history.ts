/** Saving and reading versions of graphs, whether or not a worker owns the ledger. */
import { join } from 'node:path';
import { openHomeVault } from '../daemon/guard/home-vault.ts';
import { createGraphText, type GraphText, parseGraphText } from '../daemon/home/edit-graph.ts';
import { withHost } from '../daemon/host.ts';
import {
  graphVersion,
  type GraphVersions,
  graphVersions,
  isNewVersion,
  type SavedVersion,
  savedVersions,
} from '../engine/graph-versions.ts';
import { redactShapes } from '../guard/redact.ts';
import { openArtifacts } from '../ledger/artifact-store.ts';
import { peekProjection } from '../ledger/peek-projection.ts';
import { OkaError } from '../schema/errors.ts';
import type { GraphSaved } from '../schema/graph.ts';
import type { Home } from '../schema/home.ts';
import { ID_SHAPE } from '../schema/names.ts';
import type { Call } from './command-module.ts';
import { requestOfWorker } from './submitted.ts';

type SavingCall = Pick<Call, 'home' | 'signal' | 'notify' | 'rooms'>;

/** The name under which versions are saved: the id in the file. */
export function nameOfGraph({ file, value }: Pick<GraphText, 'file' | 'value'>): string {
  const { id } = value;
  if (typeof id === 'string' && ID_SHAPE.test(id)) return id;
  throw new OkaError('invalid-graph', `${file} has no id`, { fix: 'Give the graph an id, such as "report".' });
}

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
  const { home, signal, notify, rooms } = call;
  const name = nameOfGraph(graph);
  const version = graphVersion(graph.value);
  if (!isNewVersion(await readAllVersions(home), { graph: name, version, cause })) return version;
  const vault = await openHomeVault(home);
  await vault.refresh();
  const about = { media: 'application/json', name: `${name}.json` };
  const artifact = await openArtifacts(join(home.oka, 'artifacts'), vault.redact).put(graph.text, about);
  const intake = { kind: 'save_graph', graph: name, version, artifact, cause } as const;
  const asked = await requestOfWorker(call, intake);
  if (asked === null)
    await withHost(home, signal, ({ handle }) => handle(intake), {
      ...(rooms === undefined ? {} : { rooms }),
      warn: notify,
    });
  else if (asked.done === undefined)
    throw new OkaError('refused', `the worker has not saved version ${version.slice(0, 12)} in time`, {
      fix: 'Try again when it is less busy.',
    });
  return version;
}

async function readAllVersions(home: Home): Promise<GraphVersions> {
  return (await peekProjection(home.ledgers.run, home.oka, graphVersions)).state;
}

/** The latest last. */
export async function readVersions(home: Home, graph: string): Promise<readonly SavedVersion[]> {
  return savedVersions(await readAllVersions(home), graph);
}

/** The version whose name begins like this; the latest of them when one was saved several times. */
export function findVersion(versions: readonly SavedVersion[], given: string): SavedVersion {
  const found = versions.filter(({ version }) => version.startsWith(given.toLowerCase()));
  const [first, ...more] = new Set(found.map(({ version }) => version));
  if (given.length >= 4 && first !== undefined && more.length === 0) return found.at(-1) as SavedVersion;
  throw new OkaError('usage', `"${given}" is not the beginning of exactly one saved version`, {
    fix: 'List them: oka graph versions GRAPH. At least four characters are needed.',
  });
}

/** The text of a saved version. One that contained a secret was stored without it, and cannot be used. */
export async function textOfVersion(home: Home, { version, artifact }: SavedVersion): Promise<string> {
  const body = await openArtifacts(join(home.oka, 'artifacts'), redactShapes).get(artifact);
  const text = body.toString('utf8');
  if (graphVersion(parseGraphText(text, artifact.name ?? version)) === version) return text;
  throw new OkaError('refused', `version ${version.slice(0, 12)} contained a secret and was stored without it`, {
    fix: 'Name secrets in a graph instead of writing them into it.',
  });
}
