/**
 * Owns: the environments of Python: one for everything, and a separate one for each package that conflicts with the rest.
 *
 * P1 An environment is never changed: a new one is made in its final place and takes over, since one that is moved
 *    does not work any more.
 * P2 Only wheels are taken: unpacking one runs nothing of it. Their hashes are checked when they are unpacked.
 *    What the system's own Python has stays importable.
 *    uv does it where there is one, else venv and pip.
 * P3 A folder of wheels that config.json names is searched first; without the network it is enough.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallInput, Receipt } from '../../../core/schema/dependency.ts';
import type { ToolCall } from '../../../core/schema/tool.ts';
import { CONFLICT, type Fetched } from './fetch-wheels.ts';
import { fillByPip } from './fill-by-pip.ts';
import { type Filling, fillByUv } from './fill-by-uv.ts';
import { type InstallContext, permanentProblem, type InstalledFolder, type Problem } from './installer.ts';
import { normalizeName } from './known-python.ts';
import { listEntries, unfinishedName } from '../../../kit/sandbox/tool-links.ts';

const NAME = /^[A-Za-z0-9](?:[\w.-]{0,200}[A-Za-z0-9])?$/;
const RANGE = /^[\w.+<>=!~*, -]{1,100}$/;
/** Programs that every environment has. */
const USUAL = /^(?:python|pip|activate|Activate)/;

export async function installPython(
  input: InstallInput,
  bench: InstallContext,
  call: ToolCall,
  known: readonly Receipt[],
): Promise<InstalledFolder | Problem> {
  if (!NAME.test(input.name)) return permanentProblem(`"${input.name}" is not the name of a Python package`);
  if (input.version !== undefined && !RANGE.test(input.version))
    return permanentProblem(`"${input.version}" is not a version`);
  const shared = known.filter(({ by, links }) => by === 'python' && 'python' in links);
  const together = await makeEnvironment(
    toSpecs(
      shared.filter(({ name }) => normalizeName(name) !== normalizeName(input.name)),
      input,
    ),
    input,
    bench,
    call,
  );
  if (!('problem' in together) || !together.problem.startsWith(CONFLICT) || shared.length === 0)
    return 'problem' in together ? together : { ...together, replaces: shared[0]?.folder ?? null };
  return makeSeparateEnvironment(input, bench, call);
}

async function makeSeparateEnvironment(
  input: InstallInput,
  bench: InstallContext,
  call: ToolCall,
): Promise<InstalledFolder | Problem> {
  const apart = await makeEnvironment(toSpecs([], input), input, bench, call);
  if ('problem' in apart) return apart;
  const scripts = listEntries(join(bench.tools, apart.folder, 'bin')).filter((name) => !USUAL.test(name));
  return {
    ...apart,
    links: Object.fromEntries(scripts.map((name) => [`bin/${name}`, `../${apart.folder}/bin/${name}`])),
  };
}

function toSpecs(rest: readonly Receipt[], input: InstallInput | null): string[] {
  const wanted =
    input === null
      ? []
      : [
          `${input.name}${input.version === undefined ? '' : /^\d/.test(input.version) ? `==${input.version}` : input.version}`,
        ];
  return [...rest.map(({ name, version }) => `${name}==${version}`), ...wanted];
}

/** Makes a new environment instead of changing one (P1). */
async function makeEnvironment(
  specs: readonly string[],
  input: InstallInput,
  bench: InstallContext,
  call: ToolCall,
): Promise<InstalledFolder | Problem> {
  const { tools } = bench;
  const folder = `venvs/${nextNumber(tools)}`;
  const fetched = join(tools, 'wheels', unfinishedName(randomBytes(6).toString('hex')));
  let isWhole = false;
  try {
    mkdirSync(join(tools, 'venvs'), { recursive: true });
    mkdirSync(fetched, { recursive: true });
    const wheels = await fillEnvironment({ specs, environment: join(tools, folder), work: fetched }, bench, call);
    if ('problem' in wheels) return wheels;
    await bench.run(['sync', '-f', join(tools, folder)], { cwd: tools, net: false }, call); // a power cut must not leave empty files
    const own = wheels.wheels.find(({ name }) => normalizeName(name) === normalizeName(input.name));
    if (own === undefined) return permanentProblem(`there is no wheel of ${input.name} among what came`);
    isWhole = true;
    return {
      version: own.version,
      folder,
      links: { python: folder },
      commands: readScripts(join(tools, folder), input.name),
      replaces: null,
      contains: wheels.wheels.map(({ name, version, sha256 }) => ({ name, version, integrity: `sha256-${sha256}` })),
      integrity: `sha256-${own.sha256}`,
      from: wheels.from,
      scripts: false,
    };
  } finally {
    rmSync(fetched, { recursive: true, force: true });
    if (!isWhole) rmSync(join(tools, folder), { recursive: true, force: true });
  }
}

/** What uv does not understand pip may. */
async function fillEnvironment(filling: Filling, bench: InstallContext, call: ToolCall): Promise<Fetched | Problem> {
  const byUv = await fillByUv(filling, bench, call);
  if (byUv !== null) return byUv;
  rmSync(filling.environment, { recursive: true, force: true });
  return fillByPip(filling, bench, call);
}

/** The programs that a distribution announces. */
function readScripts(environment: string, name: string): string[] {
  const libraries = listEntries(join(environment, 'lib')).map((version) =>
    join(environment, 'lib', version, 'site-packages'),
  );
  for (const folder of libraries) {
    const info = listEntries(folder).find(
      (entry) => entry.endsWith('.dist-info') && normalizeName(entry.split('-')[0] ?? '') === normalizeName(name),
    );
    const file = join(folder, info ?? '', 'entry_points.txt');
    if (info === undefined || !existsSync(file)) continue;
    const section =
      readFileSync(file, 'utf8')
        .split(/^\[/m)
        .find((part) => part.startsWith('console_scripts]')) ?? '';
    return [...section.matchAll(/^([\w.+-]+)\s*=/gm)].map(([, script = '']) => script);
  }
  return [];
}

function nextNumber(tools: string): number {
  return 1 + Math.max(0, ...listEntries(join(tools, 'venvs')).map(Number).filter(Number.isInteger));
}
