import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSetUp } from '../../daemon/home/set-up.ts';
import { openHomeVault } from '../../daemon/guard/home-vault.ts';
import { openArtifacts } from '../../ledger/artifacts.ts';
import { explained } from '../../ledger/disk.ts';
import { episodesIn } from '../../memory/index/import.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { ask, remembering, saidDone } from '../memory.ts';
import { onlyOperand } from '../operands.ts';
import { count } from '../terminal.ts';

const MOST_BYTES = 256 * 1024 * 1024;

/** The file is kept as an artifact; what it says is then taken in line by line, all of it or nothing. */
export async function run(call: Call): Promise<number> {
  const { home } = call;
  const file = onlyOperand(call, 'the file');
  if (!isSetUp(home))
    throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
  const name = basename(file).slice(0, 1000);
  const text = textOf(file);
  const episodes = episodesIn(text, file);
  const vault = await openHomeVault(home);
  await vault.refresh();
  const { sha256: body } = await openArtifacts(join(home.oka, 'artifacts'), vault.redact).put(text, { name });
  const asked = await ask(call, { kind: 'import', body, name });
  if ('seqs' in asked)
    await remembering(call, (recall) => recall.learnAll(call.signal, { onProgress: progress(call) }));
  const done = 'seqs' in asked ? { first: asked.seqs[0] ?? null, last: asked.seqs.at(-1) ?? null } : asked;
  saidDone(call, 'seqs' in asked ? { seqs: [] } : asked, `Took in ${count(episodes.length, 'line')}.`, {
    imported: episodes.length,
    ...done,
  });
  return exits.ok;
}

function progress({ err, json }: Call): (done: number, all: number) => void {
  return (done, all) => {
    if (!json && process.stderr.isTTY) err(`\r${done} of ${all} learned by meaning${done === all ? '\n' : ''}`);
  };
}

function textOf(file: string): string {
  const fd = opened(file);
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

function opened(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new OkaError('usage', `${file} is not there`, { cause: error });
    throw explained(error, file);
  }
}
