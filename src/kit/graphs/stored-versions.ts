/** Owns: reading the saved versions of graphs, from any process and without the pen. */
import { join } from 'node:path';
import {
  graphVersion,
  type GraphVersions,
  graphVersions,
  type SavedVersion,
  savedVersions,
} from '../../core/engine/graph-versions.ts';
import { redactShapes } from '../../core/guard/redact.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { ID_SHAPE } from '../../core/schema/id-shape.ts';
import { type GraphText, parseGraphText } from './edit-graph.ts';

/** The name under which versions are saved: the id in the file. */
export function nameOfGraph({ file, value }: Pick<GraphText, 'file' | 'value'>): string {
  const { id } = value;
  if (typeof id === 'string' && ID_SHAPE.test(id)) return id;
  throw new OkaError('invalid-graph', `${file} has no id`, { fix: 'Give the graph an id, such as "report".' });
}

export async function readAllVersions(home: Home): Promise<GraphVersions> {
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
