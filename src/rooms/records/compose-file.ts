/**
 * Owns: writing a compose file that runs oka from its image alone, without a clone (`oka init --docker`). The folders of
 * the home are made by the containers, for the user who is named in `.env`. What is there is never replaced.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeErrno, makeFolder } from '../../core/ledger/disk.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { programFolder } from '../../kit/settings.ts';

const DEFAULT_IMAGE = 'oka:local';
/** The user of the containers when nobody is named; root would own the results. */
const USUAL_UIDS = [0, 1000];

/** Returns what was written, relative to the home. */
export function writeComposeFile({ dir }: Home, image: string = DEFAULT_IMAGE): string[] {
  const template = readFileSync(join(programFolder, 'share', 'docker-compose.yml'), 'utf8');
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  const files = [{ name: 'docker-compose.yml', text: template.replace(`:-${DEFAULT_IMAGE}}`, `:-${image}}`) }];
  if (!USUAL_UIDS.includes(uid)) files.push({ name: '.env', text: `OKA_UID=${uid}\nOKA_GID=${gid}\n` });
  makeFolder(dir, 0o777);
  return files.filter(({ name, text }) => writeIfMissing(join(dir, name), text)).map(({ name }) => name);
}

function writeIfMissing(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw describeErrno(error, file);
  }
}
