import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { messageOf } from '../../src/core/schema/errors.ts';
import { imagesOf } from '../support/ledger-images.ts';
import { openSample, type SampleLedger, writeSample } from './sample-ledger.ts';
import { folderInMemory, type Trial } from './trial.ts';

const IMAGES = 60;

export const powerCuts: Trial = {
  name: 'Power cuts',
  about:
    'Ledgers are written in batches; of the last batch, which was not flushed yet, any set of 512-byte sectors has arrived, at any file length, with zeros or garbage in the gaps. Such a disk must open with every event that was acknowledged, accept a new one, and verify as intact.',
  share: 8,
  run: async ({ until, random }) => {
    const counts = { ledgers: 0, 'disks after a power cut': 0 };
    const failures: string[] = [];
    while (Date.now() < until) {
      const folder = folderInMemory();
      const sample = await writeSample(join(folder, 'made.jsonl'), random);
      counts.ledgers += 1;
      for (const image of imagesOf(sample, random, IMAGES)) {
        counts['disks after a power cut'] += 1;
        const problem = await tryImage(join(folder, 'image.jsonl'), image.bytes, sample);
        if (problem !== null) failures.push(`${image.about}: ${problem}`);
      }
      rmSync(folder, { recursive: true });
    }
    return { counts, failures };
  },
};

/** Null when it opens as it should. */
async function tryImage(file: string, image: Buffer, { records, lastBatch }: SampleLedger): Promise<string | null> {
  const acknowledged = records.findLast(({ end }) => end <= lastBatch)?.seq ?? 0;
  for (const name of readdirSync(join(file, '..')))
    if (name !== 'made.jsonl') rmSync(join(file, '..', name), { recursive: true });
  writeFileSync(file, image);
  try {
    const ledger = await openSample(file);
    const found = (await Array.fromAsync(ledger.read({ from: 1 }))).length;
    await ledger.append({ type: 'run.paused', run: 'r1', data: { reason: 'next' } });
    await ledger.close();
    if (found < acknowledged) return `${acknowledged} events were acknowledged, ${found} are there`;
    const { state } = await verifyLedger(file);
    return state === 'intact' ? null : `afterwards it is ${state}`;
  } catch (error) {
    return `refused: ${messageOf(error)}`;
  }
}
