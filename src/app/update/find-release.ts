/** Owns: which version there is to update to: in the registry that npm is configured for, or in a file. Installs nothing. */
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { OkaError } from '../../core/schema/errors.ts';
import { firstLineOf, runProgram } from '../../kit/run-program.ts';

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
  const seen = await runProgram('npm', ['view', 'oka', 'name', 'version', 'oka', '--json'], { signal });
  if (seen.code !== 0)
    throw new OkaError('refused', `npm found no package "oka" in its registry: ${firstLineOf(seen.err)}`, {
      fix: 'Name a file instead: oka update --from oka-1.2.3.tgz',
    });
  const { version } = manifestOf(seen.out, 'the package "oka" of the registry that npm is configured for');
  return {
    version,
    from: 'the registry',
    tarball: async (folder, until) => {
      const packed = await runProgram('npm', ['pack', `oka@${version}`, '--silent', '--pack-destination', folder], {
        signal: until,
      });
      if (packed.code !== 0)
        throw new OkaError('refused', `npm could not fetch oka@${version}: ${firstLineOf(packed.err)}`);
      return join(folder, packed.out.trim());
    },
  };
}

async function releaseOfFile(file: string, signal: AbortSignal): Promise<Release> {
  assertListed(file);
  const read = await runProgram('tar', ['-xzOf', file, 'package/package.json'], { signal });
  if (read.code !== 0)
    throw new OkaError('invalid-file', `${file} is no package of npm: ${firstLineOf(read.err)}`, {
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
