/**
 * Owns: giving secret values to one command. Each is in a file of its own, in memory where the machine supports it, and
 * the environment contains its path; only on request the environment contains the value itself.
 *
 * O1 Files are 0400 in a folder of 0700, and gone when the command has ended.
 * O2 Files that a dead process left behind are removed by the next one.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { errnoOf } from '../../../core/schema/errors.ts';

/** Names that make programs load code or search elsewhere for it, except for those that plainly name a credential. */
const LOADS_CODE =
  /^(?:PATH|HOME|IFS|ENV|SHELLOPTS|BASHOPTS|PS4|CDPATH|TMPDIR|EDITOR|PAGER|CLASSPATH|(?:BASH|LD|DYLD|GIT|NODE|NPM|PYTHON|PERL|PERL5|RUBY|LUA|JAVA|SSH)_?.*)$/;
const CREDENTIAL = /_(?:TOKEN|KEY|SECRET|PASSWORD|CREDENTIALS?)$/;

const Name = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/)
  .refine((name) => !LOADS_CODE.test(name) || CREDENTIAL.test(name), 'this variable makes programs load code');
const Value = z.string().min(1).max(65_536);

export const Secrets = z
  .record(
    Name,
    z.union([
      Value.describe('secret:NAME; the variable contains the path of a file with the value.'),
      z.strictObject({
        from: Value.describe('secret:NAME.'),
        as: z.enum(['file', 'env']).default('file').describe('env: the variable contains the value itself.'),
      }),
    ]),
  )
  .default({})
  .describe('Secrets the command needs, by the environment variable through which it gets them.');

type ProvidedSecrets = {
  env: Record<string, string>;
  folder: string | null;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function provideSecrets(
  secrets: z.output<typeof Secrets>,
  base = memoryFolder(),
): Promise<ProvidedSecrets> {
  const given = Object.entries(secrets).map(([name, each]) =>
    typeof each === 'string' ? { name, from: each, as: 'file' as const } : { name, ...each },
  );
  const folder = given.some(({ as }) => as === 'file') ? await makeSecretsFolder(base) : null;
  const drop = async (): Promise<void> => {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  };
  try {
    const env: Record<string, string> = {};
    for (const { name, from, as } of given) {
      env[name] = folder === null || as === 'env' ? from : join(folder, name);
      if (folder !== null && as === 'file') await writeFile(join(folder, name), from, { mode: 0o400, flag: 'wx' });
    }
    return { env, folder, [Symbol.asyncDispose]: drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

function memoryFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

const PREFIX = 'oka-secret-';

async function makeSecretsFolder(base: string): Promise<string> {
  for (const name of await readdir(base)) {
    const pid = Number(/^oka-secret-(\d+)-/.exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && !isRunning(pid))
      await rm(join(base, name), { recursive: true, force: true }).catch(ignoreForeign);
  }
  return mkdtemp(join(base, `${PREFIX}${process.pid}-`));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

function ignoreForeign(error: unknown): void {
  if (!/^(?:EPERM|EACCES)$/.test(errnoOf(error) ?? '')) throw error;
}
