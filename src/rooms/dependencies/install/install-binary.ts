/**
 * Owns: fetching a program that config.json names, with its hash.
 *
 * B1 What does not have the hash is deleted, whatever it is.
 * B2 It comes by https alone, from the host that config.json names; one that this host sends on to is for the policy.
 * B3 It is not fetched further than what is allowed to be installed.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InstallInput } from '../../../core/schema/dependency.ts';
import type { ToolCall } from '../../../core/schema/tool.ts';
import {
  type InstallContext,
  type Binary,
  permanentProblem,
  failureIn,
  FULL,
  type InstalledFolder,
  temporaryProblem,
  type Problem,
  lastLines,
} from './installer.ts';
import { folderName, unfinishedName } from '../../../kit/sandbox/tool-links.ts';
import { fileHash } from './measure-tree.ts';

/** Exit status of a failure that trying again does not fix. */
const PERMANENT_EXIT = 3;
/** Fetches by https within the size limit (B2, B3); a failure is one line, and the exit status says whether a retry may help. */
const FETCH = `const [first, file, most] = process.argv.slice(1);
const { createWriteStream } = await import('node:fs');
const { pipeline } = await import('node:stream/promises');
const fail = (status, text) => { console.error(text); process.exit(status); };
let url = new URL(first);
let got;
for (let hops = 0; ; hops += 1) {
  got = await fetch(url, { redirect: 'manual' }).catch((error) => {
    const words = [];
    for (let each = error; each; each = each.cause) words.push([each.code, each.message].filter(Boolean).join(' '));
    const said = words.join(': ');
    const refused = /\\b403\\b/.test(said);
    const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_|certificate|ALTNAME/i.test(said);
    if (refused) fail(${PERMANENT_EXIT}, url.host + ' is not allowed' + (hops === 0 ? '' : ', and ' + new URL(first).host + ' sends on to it') + ': allow it in POLICY.md with a rule about host ' + url.hostname);
    if (untrusted) fail(${PERMANENT_EXIT}, 'the certificate of ' + url.host + ' is not trusted (' + said + '); NODE_EXTRA_CA_CERTS may name an authority');
    fail(1, url.host + ' cannot be reached: ' + said);
  });
  if (got.status < 300 || got.status > 399) break;
  const next = URL.parse(got.headers.get('location') ?? '', url);
  if (next?.protocol !== 'https:') fail(${PERMANENT_EXIT}, url.host + ' sends on to ' + (next?.href ?? 'nowhere') + ', which is not https');
  if (hops === 5) fail(${PERMANENT_EXIT}, new URL(first).host + ' sends on and on');
  url = next;
}
if (!got.ok) fail(got.status >= 500 || got.status === 429 ? 1 : ${PERMANENT_EXIT}, url.host + ' answered ' + got.status);
let bytes = 0;
const tooLarge = () => fail(${PERMANENT_EXIT}, 'it is larger than the ' + most / 1e6 + ' MB that are allowed (installs.most_mb in POLICY.md)');
if (Number(got.headers.get('content-length') ?? 0) > Number(most)) tooLarge();
async function* counted(body) {
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > Number(most)) tooLarge();
    yield chunk;
  }
}
try {
  await pipeline(counted(got.body), createWriteStream(file));
} catch (error) {
  fail(1, 'it broke off: ' + [error.code, error.message, error.cause?.message].filter(Boolean).join(' '));
}`;

export async function installBinary(
  { name }: InstallInput,
  bench: InstallContext,
  call: ToolCall,
): Promise<InstalledFolder | Problem> {
  const source = Object.hasOwn(bench.binaries, name) ? bench.binaries[name] : undefined;
  if (source === undefined)
    return permanentProblem(`config.json does not say where ${name} comes from (tools.binaries)`);
  const fresh = join(bench.tools, 'binaries', unfinishedName(randomBytes(6).toString('hex')));
  try {
    mkdirSync(fresh, { recursive: true });
    const fetched = join(fresh, 'fetched');
    const failed = (await fetchBinary(fetched, source, bench, call)) ?? (await checkHash(fetched, source));
    if (failed !== null) return failed;
    const placed = await placeProgram(name, fetched, source, fresh, bench, call);
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

async function fetchBinary(
  file: string,
  { from }: Binary,
  bench: InstallContext,
  call: ToolCall,
): Promise<Problem | null> {
  const local = from.startsWith('file:') ? fileURLToPath(from) : from.startsWith('/') ? from : null;
  if (local !== null) {
    if (lstatSync(local, { throwIfNoEntry: false })?.isFile() !== true)
      return permanentProblem(`${local} is not a file`);
    copyFileSync(local, file);
    return null;
  }
  const url = URL.parse(from);
  if (url?.protocol !== 'https:') return permanentProblem(`${from}: only https addresses and files can be fetched`);
  const fetching = ['node', '--input-type=module', '-e', FETCH, from, file, String(bench.limits.most_mb * 1e6)];
  const servers = [`${url.hostname}:${url.port || 443}`];
  const ran = await bench.run(fetching, { cwd: bench.tools, net: true, servers }, call);
  const failed = failureIn(ran);
  if (failed === null) return null;
  if ('refused' in failed) return permanentProblem(failed.refused);
  if (FULL.test(failed.output)) return permanentProblem('the disk is full');
  return 'exit' in ran && ran.exit === PERMANENT_EXIT
    ? permanentProblem(lastLines(failed.output))
    : temporaryProblem(lastLines(failed.output));
}

/** Refuses content with another hash (B1). */
async function checkHash(file: string, { sha256, from }: Binary): Promise<Problem | null> {
  const found = await fileHash(file);
  return found === sha256
    ? null
    : permanentProblem(`hash mismatch: ${from} has sha256 ${found}, config.json wants ${sha256}`);
}

async function placeProgram(
  name: string,
  fetched: string,
  { from, path }: Binary,
  fresh: string,
  bench: InstallContext,
  call: ToolCall,
): Promise<Problem | null> {
  const program = join(fresh, name);
  if (!/\.(?:tar\.gz|tgz)$/.test(URL.parse(from)?.pathname ?? from)) renameSync(fetched, program);
  else {
    const inside = path ?? name;
    if (normalize(inside) !== inside || inside.startsWith('..') || inside.startsWith('/'))
      return permanentProblem(`"${inside}" is not a place in an archive`);
    const unpacking = ['tar', '-xzf', fetched, '-C', fresh, '--no-same-owner', '--', inside];
    const failed = failureIn(await bench.run(unpacking, { cwd: fresh, net: false }, call));
    if (failed !== null)
      return permanentProblem(
        'refused' in failed ? failed.refused : `${inside} could not be unpacked:\n${lastLines(failed.output)}`,
      );
    if (!existsSync(join(fresh, inside))) return permanentProblem(`the archive has no ${inside}`);
    if (inside !== name) renameSync(join(fresh, inside), program);
    rmSync(fetched);
  }
  if (!lstatSync(program).isFile()) return permanentProblem(`${name} is not a file`);
  chmodSync(program, 0o755);
  return null;
}
