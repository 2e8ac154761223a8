/**
 * Owns: fetching wheels: out of folders first, then from the index, and none that is too young.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCall } from '../../../core/schema/tool.ts';
import type { Launched } from '../../../kit/sandbox/launch.ts';
import {
  type InstallContext,
  permanentProblem,
  failureIn,
  FULL,
  OFFLINE,
  temporaryProblem,
  type Problem,
  outputText,
  lastLines,
} from './installer.ts';
import { normalizeName } from './known-python.ts';
import { fileHash } from './measure-tree.ts';
import { checkAgesByPip, undatedReason } from './wheel-age.ts';

export type Wheel = { file: string; name: string; version: string; sha256: string };
export type Fetched = { wheels: Wheel[]; from: string };

/** The beginning of a problem that says that packages conflict. */
export const CONFLICT = 'it cannot live with what is installed';

export const QUIETLY = '--no-input --disable-pip-version-check --progress-bar off'.split(' ');
/** How many releases that are too young are passed over. */
const MAX_YOUNG = 4;
const TRYING = '--retries 1 --timeout 15'.split(' ');

/** Wheels alone are taken: unpacking one runs nothing of it. */
export async function fetchWheels(
  specs: readonly string[],
  pipFor: readonly string[],
  to: string,
  bench: InstallContext,
  call: ToolCall,
): Promise<Fetched | Problem> {
  const { tools, pip, wheels: given } = bench;
  const kept = join(tools, 'wheels');
  const links = [...(given === undefined ? [] : [given]), kept].flatMap((each) => ['--find-links', each]);
  const download = [...pipFor, 'download', '--only-binary=:all:', '--dest', to, ...QUIETLY, ...TRYING, ...links];
  const readable = [...(given === undefined ? [] : [given]), ...pip.files];
  const run = async (more: readonly string[], net: boolean): Promise<Launched | { refused: string }> => {
    const env = net ? { ...pip.env, PIP_CACHE_DIR: join(tools, 'cache', 'pip') } : { PIP_CONFIG_FILE: '/dev/null' };
    return bench.run([...download, ...more], { cwd: tools, net, env, readable }, call);
  };
  const near = failureIn(await run(['--no-index', '--', ...specs], false));
  if (near === null) return { wheels: await listWheels(to), from: given ?? 'wheels that were fetched before' };
  if ('refused' in near) return permanentProblem(near.refused);
  const far = await fetchFromIndex(specs, run, to, bench, call);
  const isInvain = 'problem' in far && isConflict(near.output);
  return isInvain ? permanentProblem(`${CONFLICT}:\n${lastLines(near.output)}`) : far;
}

type Run = (more: readonly string[], net: boolean) => Promise<Launched | { refused: string }>;

/** From the index, and nothing that is too young: then the one before it is asked for. */
async function fetchFromIndex(
  specs: readonly string[],
  run: Run,
  to: string,
  bench: InstallContext,
  call: ToolCall,
): Promise<Fetched | Problem> {
  const without: string[] = [];
  for (let tries = 0; tries < MAX_YOUNG; tries += 1) {
    const ran = await run(['-vv', '--', ...specs, ...without], true); // only so it says whom it asked, and who did not answer
    const failed = failureIn(ran);
    if (failed !== null || 'refused' in ran) {
      if (failed === null || 'refused' in failed) return permanentProblem(failed?.refused ?? '');
      const isPassedOver =
        without.length > 0 &&
        /No matching distribution|Could not find a version|^ERROR: ResolutionImpossible/m.test(failed.output);
      return isPassedOver ? permanentProblem(allTooYoung(bench)) : describePipProblem(failed.output, specs);
    }
    const wheels = await listWheels(to);
    const { young, undated } = await checkAgesByPip(
      wheels.map(({ file }) => file),
      outputText(ran),
      bench,
      call,
    );
    const [odd] = undated;
    if (odd !== undefined) return permanentProblem(undatedReason(odd, bench));
    if (young.length === 0) return { wheels, from: findIndexHost(outputText(ran), specs) };
    for (const { name, version } of wheels.filter(({ file }) => young.includes(file)))
      without.push(`${name}!=${version}`);
    for (const { file } of wheels) rmSync(join(to, file));
  }
  return permanentProblem(allTooYoung(bench));
}

export const allTooYoung = ({ limits }: Pick<InstallContext, 'limits'>): string =>
  `every release that fits is younger than ${limits.min_age_days} days (installs.min_age_days in POLICY.md)`;

/** The host of the last index that was asked for what is wanted. */
function findIndexHost(output: string, specs: readonly string[]): string {
  const name = normalizeName(/^[\w.-]+/.exec(specs.at(-1) ?? '')?.[0] ?? '');
  const pages = [...output.matchAll(/Fetching project page and analyzing links: (\S+)/g)].map(([, url = '']) => url);
  const page = URL.parse(pages.findLast((url) => url.includes(`/${name}`)) ?? '');
  return page === null ? 'the Python index' : page.host || page.pathname;
}

const isConflict = (output: string): boolean =>
  /^ERROR: ResolutionImpossible|have conflicting dependencies/m.test(output);

async function listWheels(folder: string): Promise<Wheel[]> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.whl'))
    .toSorted();
  return Promise.all(
    files.map(async (file) => {
      const [name = '', version = ''] = file.split('-');
      return { file, name: normalizeName(name), version, sha256: await fileHash(join(folder, file)) };
    }),
  );
}

function describePipProblem(output: string, specs: readonly string[]): Problem {
  const wanted = specs.at(-1) ?? '';
  if (FULL.test(output)) return permanentProblem(`the disk is full; ${wanted} was not installed`);
  if (isConflict(output)) return permanentProblem(`${CONFLICT}:\n${lastLines(output)}`);
  if (OFFLINE.test(output))
    return temporaryProblem(
      `the Python index cannot be reached, and no folder of wheels has ${wanted} (tools.wheels in config.json names one):\n${lastLines(output)}`,
    );
  if (/No matching distribution|Could not find a version/.test(output))
    return permanentProblem(
      `no wheel of ${wanted} fits this machine, or there is none of that name:\n${lastLines(output)}`,
    );
  return permanentProblem(`pip could not fetch ${wanted}:\n${lastLines(output)}`);
}
