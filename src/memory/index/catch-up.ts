/** From the ledger to the shelf: what came since the cursor, in batches that hold or do not happen. */
import { readEvents } from '../../ledger/read.ts';
import type { Event, Line, Pen } from '../../schema/event.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import { createTokenCounter, modelFamily } from '../text/tokens.ts';
import { bodyDrafts, type Scraps, tellingOf } from './drafts.ts';
import { putFactEvent, termsIn } from './fact-events.ts';
import { Damaged, type Shelf } from './shelf.ts';

/** What a batch did to pieces that were there before it. */
export type Change = { goneBefore: readonly number[] };

const AT_ONCE = 500;

export async function catchUp(
  shelf: Shelf,
  pen: Pen,
  file: string,
  artifacts: Pick<ArtifactStore, 'get'>,
  changed: (change: Change) => void,
): Promise<number> {
  const cursor = shelf.cursor(pen);
  let events = 0;
  let batch: Told[] = [];
  const put = (): void => {
    if (batch.length > 0) changed(putBatch(shelf, pen, batch));
    batch = [];
  };
  for await (const line of readEvents(file, cursor === null ? {} : { from: cursor.seq })) {
    if (cursor !== null && line.seq === cursor.seq) {
      if (line.hash !== cursor.hash) throw new Damaged('it is of another ledger');
      continue;
    }
    events += 1;
    batch.push({ line, body: await bodyOf(line, artifacts), asked: await askedTokens(line, shelf) });
    if (batch.length >= AT_ONCE) put();
  }
  put();
  return events;
}

/** `asked`: what we count for a prompt that a model is asked with. */
type Told = { line: Line; body: string | null; asked: number | null };

/** A body that is lost is not remembered; the ledger still says that there was one. */
async function bodyOf(line: Line, artifacts: Pick<ArtifactStore, 'get'>): Promise<string | null> {
  if (line.type !== 'task.received') return null;
  return artifacts.get(line.data.body).then(
    (bytes) => bytes.toString('utf8'),
    () => null,
  );
}

function putBatch(shelf: Shelf, pen: Pen, batch: readonly Told[]): Change {
  const { size } = shelf;
  const gone: number[] = [];
  shelf.together(() => {
    for (const { line, body, asked } of batch) {
      if (asked !== null && line.type === 'call.started') shelf.putScrap(`asked ${line.data.call}`, String(asked));
      if (line.type === 'call.ended') noteReported(shelf, line);
      gone.push(...putEvent(shelf, line, body));
    }
    const last = batch.at(-1)?.line;
    if (last !== undefined) shelf.putCursor(pen, { seq: last.seq, hash: last.hash });
  });
  return { goneBefore: gone.filter((n) => n <= size) };
}

/** Small prompts say little about a vocabulary. */
const LEAST_ASKED = 200;

/** Counting takes milliseconds: after the first prompts only some are counted. */
const COUNTED_FIRST = 50;
const COUNTED_THEN = 16;

async function askedTokens(line: Line, shelf: Shelf): Promise<number | null> {
  if (line.type !== 'call.started' || line.data.tool !== 'model.complete') return null;
  if (Number(shelf.scrap('asked') ?? 0) >= COUNTED_FIRST && line.seq % COUNTED_THEN !== 0) return null;
  return (await createTokenCounter('openai')).count(JSON.stringify(line.data.input));
}

/** A provider that counts more than we do is believed from then on. */
function noteReported(shelf: Shelf, { data }: Extract<Event, { type: 'call.ended' }>): void {
  const asked = Number(shelf.scrap(`asked ${data.call}`) ?? 0);
  if (asked === 0) return;
  shelf.putScrap(`asked ${data.call}`, null);
  shelf.putScrap('asked', String(Number(shelf.scrap('asked') ?? 0) + 1));
  const { model } = (data.output ?? {}) as { model?: unknown };
  const reported = (data.usage?.tokens_in ?? 0) / asked;
  if (asked < LEAST_ASKED || typeof model !== 'string') return;
  const key = `reported ${modelFamily(model)}`;
  if (reported > Number(shelf.scrap(key) ?? 0)) shelf.putScrap(key, String(reported));
}

/** Returns the pieces that are gone because of it. */
function putEvent(shelf: Shelf, event: Event, body: string | null): number[] {
  const gone = putFactEvent(shelf, event);
  if (gone !== null) return gone;
  const scraps: Scraps = { get: (key) => shelf.scrap(key), put: (key, value) => shelf.putScrap(key, value) };
  const telling = tellingOf(event, scraps);
  const drafts =
    telling.body === undefined || body === null ? telling.drafts : bodyDrafts(event, telling.body.draft, body);
  return drafts.flatMap((draft) => shelf.add(draft, termsIn(draft))?.replaced ?? []);
}
