/** Facts from elsewhere. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openHomeVault } from '../../../kit/vault/home-vault.ts';
import { openArtifacts } from '../../../core/ledger/artifact-store.ts';
import { selectNewEpisodes } from '../new-episodes.ts';
import { describeErrno } from '../../../core/ledger/disk.ts';
import { readEvents } from '../../../core/ledger/read-events.ts';
import { parseEpisodes } from '../index/import-episodes.ts';
import { speakerOf } from '../index/speaker.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { requestMemory, withRecall } from '../memory-access.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { texts } from '../../../kit/cli/options.ts';

const MOST_BYTES = 256 * 1024 * 1024;

/** Lines that are new, those that were imported before, and of the new ones those of the operator and of all users. */
type Counts = { imported: number; known: number; own: number; users: number };

type Data = Counts & { first: number | null; last: number | null; seqs: [] };

type ImportCall = Call<{ me: readonly string[] }>;

const NOBODY =
  '\nNone of it is known to be yours, so no preference is learned from it; with --me NAME say which name is yours.';

export const commands: Commands = {
  'memory import': command({
    summary: 'Import what was said elsewhere, as lines of JSON',
    operands: '<file.jsonl>',
    options: { me: texts('NAME', 'Your name in it: what this user says is yours, and is learned from.') },
    example: 'oka memory import chat.jsonl',
    /** The file is stored as an artifact; its new lines are then ingested, all of them or none. */
    run: async (call: ImportCall): Promise<Answer<Data>> => {
      const { home, signal } = call;
      const file = onlyOperand(call, 'the file');
      await requireHome(home);
      const name = basename(file).slice(0, 1000);
      const text = readImport(file);
      const { me } = call.options;
      parseEpisodes(text, file, me);
      const vault = await openHomeVault(home);
      await vault.refresh();
      const counts = await countNew(home, vault.redact(text), file, me);
      if (counts.imported === 0) return answer({ ...counts, first: null, last: null, seqs: [] });
      const { sha256: body } = await openArtifacts(join(home.oka, 'artifacts'), vault.redact).put(text, { name });
      const { seqs } = await requestMemory(call, {
        kind: 'import',
        body,
        name,
        ...(me.length === 0 ? {} : { me: [...me] }),
      });
      if (penHolder(home.ledgers.run) === null) {
        const progress = call.progress('computing embeddings', 'texts'); // beside a worker maintenance does this
        await withRecall(home, (recall) => recall.embedAll(signal, { onProgress: progress.reach }));
        progress.end();
      }
      const known = counts.known + counts.imported - seqs.length; // others may have imported some of it meanwhile
      const [first, last] = [seqs[0] ?? null, seqs.at(-1) ?? null];
      return answer({ ...counts, imported: seqs.length, known, first, last, seqs: [] });
    },
    render: ({ imported, known, own, users }: Data): string => {
      if (imported === 0) return `Nothing new: all ${count(known, 'line')} had been imported before.\n`;
      const before = known === 0 ? '' : ` ${count(known, 'line')} had been imported before.`;
      const hint = users > 0 && own === 0 ? NOBODY : '';
      return `Imported ${count(imported, 'line')}.${before}${hint}\n`;
    },
  }),
};

async function countNew(home: Home, text: string, file: string, me: readonly string[]): Promise<Counts> {
  const all = parseEpisodes(text, file, me);
  const added = await selectNewEpisodes(all, readEvents(home.ledgers.run, { type: 'episode.imported' }));
  const own = added.filter(({ episode }) => speakerOf(episode) === 'operator').length;
  const users = added.filter(({ episode }) => episode.role === 'user').length;
  return { imported: added.length, known: all.length - added.length, own, users };
}

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
