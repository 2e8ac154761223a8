import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openHomeVault } from '../../daemon/guard/home-vault.ts';
import { openArtifacts } from '../../ledger/artifact-store.ts';
import { describeErrno } from '../../ledger/disk.ts';
import { parseEpisodes } from '../../memory/index/import-episodes.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { renderRecorded, requestMemory, withRecall } from '../memory-access.ts';
import { onlyOperand } from '../operands.ts';
import { count } from '../plain-text.ts';
import { requireHome } from '../require-home.ts';

const MOST_BYTES = 256 * 1024 * 1024;

type Data = { imported: number } & ({ submitted: string } | { first: number | null; last: number | null; seqs: [] });

/** The file is stored as an artifact; its lines are then ingested, all of them or none. */
export async function run(call: Call): Promise<Answer<Data>> {
  const { home, signal } = call;
  const file = onlyOperand(call, 'the file');
  requireHome(home);
  const name = basename(file).slice(0, 1000);
  const text = readImport(file);
  const imported = parseEpisodes(text, file).length;
  const vault = await openHomeVault(home);
  await vault.refresh();
  const { sha256: body } = await openArtifacts(join(home.oka, 'artifacts'), vault.redact).put(text, { name });
  const recorded = await requestMemory(home, { kind: 'import', body, name });
  if ('submitted' in recorded) return answer({ imported, ...recorded });
  const progress = call.progress('computing embeddings', 'texts');
  await withRecall(home, (recall) => recall.embedAll(signal, { onProgress: progress.reach }));
  progress.end();
  return answer({ imported, first: recorded.seqs[0] ?? null, last: recorded.seqs.at(-1) ?? null, seqs: [] });
}

export const render = (data: Data): string => renderRecorded(data, `Imported ${count(data.imported, 'line')}.`);

function readImport(file: string): string {
  const fd = openImport(file);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new OkaError('unsafe-file', `${file} is not a regular file`);
    if (stats.size > MOST_BYTES)
      throw new OkaError('usage', `${file} is larger than ${MOST_BYTES} bytes`, { fix: 'Import it in parts.' });
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function openImport(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new OkaError('usage', `${file} is not there`, { cause: error });
    throw describeErrno(error, file);
  }
}
