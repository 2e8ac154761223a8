/** Owns: which version there is to update to: in the registry that npm is configured for, or in a file. Installs nothing. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { OkaError } from '../../core/schema/errors.ts';

/** What makes a package oka: the registry may know another program of this name. */
const Manifest = z.object({
  name: z.literal('oka'),
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/),
  oka: z.object({ home: z.int().min(1).describe('The format of homes that it writes.') }),
});

export type Release = {
  version: string;
  /** As a person would name it. */
  from: string;
  /** The file it is installed from; it is fetched into this folder if it is not there yet. */
  tarball: (folder: string, signal: AbortSignal) => Promise<string>;
};

/** `from` is a tarball of `npm run pack`, or a folder with some; without it the registry is asked. */
export async function findRelease(from: string | undefined, signal: AbortSignal): Promise<Release> {
  return from === undefined ? await releaseOfRegistry(signal) : await releaseOfFile(newestIn(resolve(from)), signal);
}

async function releaseOfRegistry(signal: AbortSignal): Promise<Release> {
  const seen = await run('npm', ['view', 'oka', 'name', 'version', 'oka', '--json'], { signal });
  if (seen.code !== 0)
    throw new OkaError('refused', `npm found no package "oka" in its registry: ${firstLine(seen.err)}`, {
      fix: 'Name a file instead: oka update --from oka-1.2.3.tgz',
    });
  const { version } = manifestOf(seen.out, 'the package "oka" of the registry that npm is configured for');
  return {
    version,
    from: 'the registry',
    tarball: async (folder, until) => {
      const packed = await run('npm', ['pack', `oka@${version}`, '--silent', '--pack-destination', folder], {
        signal: until,
      });
      if (packed.code !== 0)
        throw new OkaError('refused', `npm could not fetch oka@${version}: ${firstLine(packed.err)}`);
      return join(folder, packed.out.trim());
    },
  };
}

async function releaseOfFile(file: string, signal: AbortSignal): Promise<Release> {
  assertListed(file);
  const read = await run('tar', ['-xzOf', file, 'package/package.json'], { signal });
  if (read.code !== 0)
    throw new OkaError('invalid-file', `${file} is no package of npm: ${firstLine(read.err)}`, {
      fix: 'It is made by: npm run pack',
    });
  return { version: manifestOf(read.out, file).version, from: file, tarball: async () => file };
}

function newestIn(path: string): string {
  if (!existsSync(path)) throw new OkaError('usage', `--from: ${path} does not exist`);
  if (!statSync(path).isDirectory()) return path;
  const files = globSync('oka-*.tgz', { cwd: path }).toSorted((one, other) =>
    compareVersions(versionInName(one), versionInName(other)),
  );
  const newest = files.at(-1);
  if (newest === undefined) throw new OkaError('usage', `--from: there is no oka-*.tgz in ${path}`);
  return join(path, newest);
}

const versionInName = (file: string): string => file.slice('oka-'.length, -'.tgz'.length);

/** A list of checksums beside the file is believed: a file that differs from it is refused. */
function assertListed(file: string): void {
  const list = join(dirname(file), 'SHA256SUMS');
  if (!existsSync(list)) return;
  const wanted = readFileSync(list, 'utf8')
    .split('\n')
    .find((line) => line.endsWith(`  ${basename(file)}`));
  if (wanted !== undefined && !wanted.startsWith(`${hash('sha256', readFileSync(file))} `))
    throw new OkaError('invalid-file', `${file} is not the file that ${list} lists`, { fix: 'Fetch both again.' });
}

function manifestOf(json: string, where: string): z.infer<typeof Manifest> {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    read = null;
  }
  const manifest = Manifest.safeParse(read);
  if (manifest.success) return manifest.data;
  throw new OkaError('invalid-file', `${where} is not this program`, {
    fix: 'Name the file of a release instead: oka update --from oka-1.2.3.tgz',
  });
}

/** Below 0 when `one` is the older version, as semver orders them. */
export function compareVersions(one: string, other: string): number {
  const [[numbers, early], [others, lateness]] = [partsOf(one), partsOf(other)];
  const differing = numbers.findIndex((number, index) => number !== others[index]);
  if (differing >= 0) return (numbers[differing] ?? 0) - (others[differing] ?? 0);
  if (early === '' || lateness === '') return (early === '' ? 1 : 0) - (lateness === '' ? 1 : 0);
  return early.localeCompare(lateness, 'en', { numeric: true });
}

function partsOf(version: string): [number[], string] {
  const [numbers = '', ...early] = version.split('-');
  return [numbers.split('.').map(Number), early.join('-')];
}

type Ran = { code: number | null; out: string; err: string };

/** Never throws because of the program itself: one that is not there has exit 127, as in a shell. */
export async function run(
  program: string,
  args: readonly string[],
  { signal, cwd }: { signal: AbortSignal; cwd?: string },
): Promise<Ran> {
  signal.throwIfAborted();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const ended = Promise.withResolvers<number | null>();
  let problem = '';
  child.on('error', (error: NodeJS.ErrnoException) => {
    problem = error.message;
    if (error.code === 'ENOENT') ended.resolve(127);
  });
  child.on('close', ended.resolve);
  const [code, out, err] = await Promise.all([ended.promise, text(child.stdout), text(child.stderr)]);
  signal.throwIfAborted();
  return { code, out, err: err === '' ? problem : err };
}

const firstLine = (err: string): string =>
  err
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.replace(/^npm error (?:code )?/, '') ?? 'without a word';
