/** Owns: what is known of artifacts, one row for each time one is named. The bytes themselves never leave the home. */
import type { Row, Writing } from '../typed.ts';
import { type Data, numberIn, objectAt, objectsIn, type ProjectedEvent, textIn } from './projected.ts';

type Artifact = Omit<Row<'artifacts'>, '_id' | '_creationTime'>;

export async function projectArtifacts(ctx: Writing, events: readonly ProjectedEvent[]): Promise<void> {
  for (const event of events) for (const artifact of artifactsIn(event)) await ctx.db.insert('artifacts', artifact);
}

export function artifactsIn(event: ProjectedEvent): Artifact[] {
  return refsIn(event).flatMap((ref) => {
    const sha256 = textIn(ref, 'sha256', 64);
    if (sha256 === null) return [];
    const { ledger, pen, seq, run, at } = event;
    const name = textIn(ref, 'name', 255);
    const media = textIn(ref, 'media', 200) ?? 'text/plain';
    return [{ ledger, pen, seq, run, at, sha256, bytes: numberIn(ref, 'bytes') ?? 0, media, name }];
  });
}

function refsIn({ type, data }: ProjectedEvent): Data[] {
  switch (type) {
    case 'call.ended':
    case 'run.ended':
      return objectsIn(data, 'artifacts');
    case 'task.received': {
      const body = objectAt(data, 'body');
      return [...(body === null ? [] : [body]), ...objectsIn(data, 'files')];
    }
    default:
      return [];
  }
}
