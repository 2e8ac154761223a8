/** The receipt of a run of this home: its records, the hashes of its results, signed by the key of the home. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeReceipt } from '../../core/ledger/receipt.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { RunReceipt } from '../../core/schema/run-receipt.ts';
import { checkAnchors } from '../../kit/home/home-anchors.ts';
import { readIdentity } from '../../kit/home/home-identity.ts';
import { findHomeKey, printPublicKey } from '../../kit/home/home-key.ts';
import type { ReadOptions } from '../../kit/house/open-views.ts';
import { eventsOfRun } from '../../kit/runs/replay-runs.ts';

export async function exportReceipt(home: Home, run: string, reading: ReadOptions = {}): Promise<RunReceipt> {
  const identity = readIdentity(home);
  const key = identity === null ? null : findHomeKey(identity.id);
  if (identity === null || key === null)
    throw new OkaError('refused', 'this home has no key to sign a receipt with', {
      fix: 'It gets one when a worker or `oka run` starts; `oka doctor` says if that is not possible.',
    });
  const anchor = checkAnchors(home, 'run');
  if (anchor.state === 'broken') throw new OkaError('ledger-rolled-back', anchor.reason, { fix: 'Run: oka doctor' });
  const events = await eventsOfRun(home, run, reading);
  const range = { from: events[0]?.seq ?? 1, to: events.at(-1)?.seq ?? 1 };
  const about = {
    home: identity.id,
    key: printPublicKey(key),
    run,
    results: await resultsOf(home, run),
    now: new Date(),
  };
  return makeReceipt(home.ledgers.run, range, about, key.signing);
}

async function resultsOf(home: Home, run: string): Promise<RunReceipt['results']> {
  const folder = join(home.workspace, 'outbox', run);
  const results: RunReceipt['results'] = [];
  for (const file of await filesBelow(folder)) results.push({ file, ...(await hashFile(join(folder, file))) });
  return results;
}

/** Regular files, in the order of their names; links are not followed. */
async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const sum = createHash('sha256');
  const file = createReadStream(path);
  await pipeline(file, sum);
  return { bytes: file.bytesRead, sha256: sum.digest('hex') };
}
