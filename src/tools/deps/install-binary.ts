/**
 * Owns: fetching a program that config.json names, with its hash.
 *
 * B1 What does not have the hash is deleted, whatever it is.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InstallInput } from '../../schema/dependency.ts';
import type { ToolCall } from '../../schema/tool.ts';
import {
  type Bench,
  type Binary,
  broken,
  failureIn,
  FULL,
  type Made,
  passing,
  type Problem,
  shortly,
} from './installing.ts';
import { folderName, unfinished } from './places.ts';
import { fileHash } from './tree.ts';

const FETCH = `const [url, file] = process.argv.slice(1);
const got = await fetch(url);
if (!got.ok) { console.error('the server answered ' + got.status); process.exit(1); }
await (await import('node:fs/promises')).writeFile(file, got.body);`;

export async function installBinary({ name }: InstallInput, bench: Bench, call: ToolCall): Promise<Made | Problem> {
  const source = Object.hasOwn(bench.binaries, name) ? bench.binaries[name] : undefined;
  if (source === undefined) return broken(`config.json does not say where ${name} comes from (tools.binaries)`);
  const fresh = join(bench.tools, 'binaries', unfinished(randomBytes(6).toString('hex')));
  try {
    mkdirSync(fresh, { recursive: true });
    const fetched = join(fresh, 'fetched');
    const failed = (await fetchTo(fetched, source, bench, call)) ?? (await wrongHash(fetched, source));
    if (failed !== null) return failed;
    const placed = await place(name, fetched, source, fresh, bench, call);
    if (placed !== null) return placed;
    const folder = `binaries/${folderName(name, source.version)}`;
    rmSync(join(bench.tools, folder), { recursive: true, force: true });
    renameSync(fresh, join(bench.tools, folder));
    const integrity = `sha256-${source.sha256}`;
    return {
      version: source.version,
      folder,
      links: { [`bin/${name}`]: `../${folder}/${name}` },
      commands: [name],
      replaces: null,
      contains: [{ name, version: source.version, integrity }],
      integrity,
      from: URL.parse(source.from)?.host || source.from,
      scripts: false,
    };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function fetchTo(file: string, { from }: Binary, bench: Bench, call: ToolCall): Promise<Problem | null> {
  const local = from.startsWith('file:') ? fileURLToPath(from) : from.startsWith('/') ? from : null;
  if (local !== null) {
    if (lstatSync(local, { throwIfNoEntry: false })?.isFile() !== true) return broken(`${local} is not a file`);
    copyFileSync(local, file);
    return null;
  }
  const url = URL.parse(from);
  if (url?.protocol !== 'https:') return broken(`${from}: only https addresses and files can be fetched`);
  const fetching = ['node', '--input-type=module', '-e', FETCH, from, file];
  const failed = failureIn(await bench.run(fetching, { cwd: bench.tools, net: true }, call));
  if (failed === null) return null;
  if ('refused' in failed) return broken(failed.refused);
  return FULL.test(failed.said)
    ? broken('the disk is full')
    : passing(`${url.host} cannot be reached: ${shortly(failed.said)}`);
}

/** B1 */
async function wrongHash(file: string, { sha256, from }: Binary): Promise<Problem | null> {
  const found = await fileHash(file);
  return found === sha256 ? null : broken(`hash mismatch: ${from} has sha256 ${found}, config.json wants ${sha256}`);
}

async function place(
  name: string,
  fetched: string,
  { from, path }: Binary,
  fresh: string,
  bench: Bench,
  call: ToolCall,
): Promise<Problem | null> {
  const program = join(fresh, name);
  if (!/\.(?:tar\.gz|tgz)$/.test(URL.parse(from)?.pathname ?? from)) renameSync(fetched, program);
  else {
    const inside = path ?? name;
    if (normalize(inside) !== inside || inside.startsWith('..') || inside.startsWith('/'))
      return broken(`"${inside}" is not a place in an archive`);
    const unpacking = ['tar', '-xzf', fetched, '-C', fresh, '--no-same-owner', '--', inside];
    const failed = failureIn(await bench.run(unpacking, { cwd: fresh, net: false }, call));
    if (failed !== null)
      return broken('refused' in failed ? failed.refused : `${inside} could not be unpacked:\n${shortly(failed.said)}`);
    if (!existsSync(join(fresh, inside))) return broken(`the archive has no ${inside}`);
    if (inside !== name) renameSync(join(fresh, inside), program);
    rmSync(fetched);
  }
  if (!lstatSync(program).isFile()) return broken(`${name} is not a file`);
  chmodSync(program, 0o755);
  return null;
}
