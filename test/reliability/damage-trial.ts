import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { OkaError } from '../../src/core/schema/errors.ts';
import { openSample, type SampleLedger, writeSample } from './sample-ledger.ts';
import { folderInMemory, type Random, type Trial } from './trial.ts';

const PER_LEDGER = 20;
const KINDS = ['flipped bytes', 'swapped lines', 'deleted lines', 'repeated lines', 'bytes cut out'] as const;

export const damageTrial: Trial = {
  name: 'Damage',
  about:
    'What was acknowledged and flushed is damaged: a byte is flipped, two lines are swapped, one is deleted or repeated, bytes are cut out. The ledger must refuse to open, leave the file as it is, and verification must call it damaged.',
  share: 6,
  run: async ({ until, random }) => {
    const counts: Record<string, number> = {};
    const failures: string[] = [];
    while (Date.now() < until) {
      const folder = folderInMemory();
      const sample = await writeSample(join(folder, 'made.jsonl'), random);
      for (let tries = 0; tries < PER_LEDGER; tries += 1) {
        const kind = random.pick(KINDS);
        const damaged = damage(sample, kind, random);
        if (damaged === null) continue;
        counts[kind] = (counts[kind] ?? 0) + 1;
        const problem = await tryDamaged(join(folder, 'image.jsonl'), damaged);
        if (problem !== null) failures.push(`${kind}: ${problem}`);
      }
      rmSync(folder, { recursive: true });
    }
    return { counts, failures };
  },
};

/** Only below the last batch: what is behind it could be the trace of a power cut. Null when that changes nothing. */
function damage(
  { bytes, records, lastBatch }: SampleLedger,
  kind: (typeof KINDS)[number],
  random: Random,
): Buffer | null {
  const lines = records.map(({ start, end }) => bytes.subarray(start, end));
  const flushed = records.filter(({ end }) => end <= lastBatch).length;
  const [at, other] = [random.below(flushed), random.below(flushed)];
  switch (kind) {
    case 'flipped bytes': {
      const image = Buffer.from(bytes);
      const place = random.below(lastBatch);
      image[place] = (image[place] ?? 0) ^ random.between(1, 255);
      return image;
    }
    case 'swapped lines':
      return at === other ? null : Buffer.concat(lines.with(at, lines[other] ?? bytes).with(other, lines[at] ?? bytes));
    case 'deleted lines':
      return Buffer.concat(lines.toSpliced(at, 1));
    case 'repeated lines':
      return Buffer.concat(lines.toSpliced(at, 0, lines[other] ?? bytes));
    case 'bytes cut out': {
      const from = random.below(lastBatch);
      const to = Math.min(lastBatch, from + random.between(1, 200));
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    }
  }
}

async function tryDamaged(file: string, image: Buffer): Promise<string | null> {
  writeFileSync(file, image);
  const { state } = await verifyLedger(file);
  if (state !== 'damaged') return `verification calls it ${state}`;
  const error: unknown = await openSample(file).then(
    async (ledger) => (await ledger.close(), null),
    (reason: unknown) => reason,
  );
  if (!(error instanceof OkaError) || error.code !== 'ledger-damaged') return `it opened: ${String(error)}`;
  return readFileSync(file).equals(image) ? null : 'the file was changed';
}
