/** What tests and benches of memory share: homes with a ledger, and candidates nobody would wish for. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { openArtifacts } from '../../src/core/ledger/artifact-store.ts';
import { type Ledger, openLedger } from '../../src/core/ledger/ledger.ts';
import type { Candidate } from '../../src/kit/learning/context-pack.ts';
import { sumOf } from '../../src/kit/learning/index-item.ts';
import { Recall, type RecallOptions } from '../../src/rooms/memory/recall/recall.ts';
import { extractTerms } from '../../src/kit/text/terms.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import { type Episode, MemoryConfig } from '../../src/core/schema/memory.ts';
import { anyCodePoint } from './any-code-point.ts';
import { memoryFolder } from './test-folders.ts';

const hostileText = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 120 }),
  fc.integer({ min: 1, max: 400 }).map((length) => 'supercalifragilistic'.repeat(30).slice(0, length)),
  fc.integer({ min: 1, max: 24 }).map((length) => '👩‍👩‍👧‍👦🏳️‍🌈🎉'.repeat(length)),
  fc.string({ unit: fc.constantFrom(...Array.from('東京都大阪府한국어ไทย')), maxLength: 150 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.lorem({ maxCount: 30 }),
);

export const hostileCandidates: fc.Arbitrary<Candidate[]> = fc.array(
  fc.record({
    id: fc.uuid(),
    section: fc.constantFrom('standing', 'graph', 'facts', 'episodes', 'procedures', 'frames'),
    score: fc.double({ min: 0, max: 3, noNaN: true }).map((score) => Math.round(score * 1e4) / 1e4),
    text: hostileText,
    under: fc.constantFrom('2026-01-01:', '2026-01-02:'),
    order: fc.integer({ min: 0, max: 100 }),
    evidence: fc.constant([{ run: null, seq: 1 }]),
  }),
  { maxLength: 25 },
);

export type MemoryHome = {
  dir: string;
  oka: string;
  options: RecallOptions;
  append(...events: NewEvent[]): Promise<number[]>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A ledger in a folder of its own; only keywords are searched unless a test says otherwise. */
export async function memoryHome(settings: Partial<MemoryConfig> = { vectors: false }): Promise<MemoryHome> {
  const dir = memoryFolder('oka-memory-');
  const oka = join(dir, '.oka');
  const ledger: Ledger = await openLedger(join(oka, 'run_ledger.jsonl'), 'run', { redact: (text) => text });
  return {
    dir,
    oka,
    options: {
      folder: join(oka, 'index'),
      ledgers: { run: join(oka, 'run_ledger.jsonl'), maintenance: join(oka, 'maintenance_ledger.jsonl') },
      artifacts: openArtifacts(join(oka, 'artifacts'), (text) => text),
      settings: { ...MemoryConfig.parse({}), ...settings },
      clock: () => Date.UTC(2026, 5, 1),
    },
    append: async (...events) => (await ledger.append(events)).map(({ seq }) => seq),
    [Symbol.asyncDispose]: async () => {
      await ledger.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A model that knows words only, at once: its vectors are the words of a text. Counts what it was asked. */
export function wordModel(
  name: string,
  dims = 64,
): { embedder: NonNullable<RecallOptions['embedder']>; texts: string[] } {
  const texts: string[] = [];
  const embed = async (text: string): Promise<Float32Array> => {
    texts.push(text);
    const vector = new Float32Array(dims).fill(0.01);
    for (const term of extractTerms(text)) {
      const axis = Number.parseInt(sumOf(term).slice(0, 6), 16) % dims;
      vector[axis] = (vector[axis] ?? 0) + 1;
    }
    const length = Math.hypot(...vector);
    return vector.map((each) => each / length);
  };
  return { texts, embedder: async () => ({ model: name, dims, embed, close: async () => undefined }) };
}

export async function recallOf(home: MemoryHome, besides: Partial<RecallOptions> = {}): Promise<Recall> {
  const recall = Recall.open({ ...home.options, ...besides });
  await recall.catchUp();
  return recall;
}

export function said(id: string, text: string, about: Partial<Episode> = {}): NewEvent {
  const episode = { id, text, at: '2026-01-10T10:00:00Z', who: 'Ann', namespace: 'chat', ...about };
  return { type: 'episode.imported', data: { episode, from: { name: 'chat.jsonl', line: 1 } } };
}
