/** Which lines of an import are new: what is in the ledger already, in the same words, is not imported again. */
import type { ImportedEpisode } from './index/import-episodes.ts';
import type { Line } from '../../core/schema/event.ts';
import type { Episode } from '../../core/schema/memory.ts';
import { sumOf } from '../../kit/learning/index-item.ts';

/** `events` are those of the run ledger. A line whose words have changed since is new. */
export async function selectNewEpisodes(
  imported: readonly ImportedEpisode[],
  events: AsyncIterable<Line>,
): Promise<ImportedEpisode[]> {
  const wanted = new Set(imported.map(({ episode }) => nameOf(episode)));
  const known = new Map<string, string>();
  for await (const event of events) {
    if (event.type !== 'episode.imported') continue;
    const { episode } = event.data;
    if (wanted.has(nameOf(episode))) known.set(nameOf(episode), contentOf(episode));
  }
  return imported.filter(({ episode }) => {
    const isNew = known.get(nameOf(episode)) !== contentOf(episode);
    known.set(nameOf(episode), contentOf(episode));
    return isNew;
  });
}

const nameOf = ({ namespace, id }: Episode): string => `${namespace}\n${id}`;

const contentOf = ({ text, at, who, role, own, thread }: Episode): string =>
  sumOf(JSON.stringify([text, at, who, role ?? null, own ?? null, thread ?? null]));
