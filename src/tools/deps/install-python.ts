/**
 * Owns: the environments of Python: one for everything, and one apart for what cannot live with the rest.
 *
 * P1 An environment is never changed: a new one is made in its final place and takes over, since one that is moved
 *    does not work any more.
 * P2 Only wheels are taken: unpacking one runs nothing of it. Their hashes are checked when they are unpacked.
 *    What the system's own Python has stays importable.
 * P3 A folder of wheels that config.json names is looked into first; without the network it is enough.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallInput, Receipt } from '../../schema/dependency.ts';
import type { ToolCall } from '../../schema/tool.ts';
import { type Bench, broken, failureIn, FULL, type Made, type Problem, shortly } from './installing.ts';
import { CONFLICT, fetchWheels, QUIETLY, type Wheel } from './fetch-wheels.ts';
import { normal } from './known-python.ts';
import { entriesIn, unfinished } from './places.ts';

const NAME = /^[A-Za-z0-9](?:[\w.-]{0,200}[A-Za-z0-9])?$/;
const RANGE = /^[\w.+<>=!~*, -]{1,100}$/;
/** Programs that every environment has. */
const USUAL = /^(?:python|pip|activate|Activate)/;

/** P2 */
const UNPACKING = '--no-index --no-deps --require-hashes --ignore-installed'.split(' ');

export async function installPython(
  input: InstallInput,
  bench: Bench,
  call: ToolCall,
  known: readonly Receipt[],
): Promise<Made | Problem> {
  if (!NAME.test(input.name)) return broken(`"${input.name}" is not the name of a Python package`);
  if (input.version !== undefined && !RANGE.test(input.version)) return broken(`"${input.version}" is not a version`);
  const shared = known.filter(({ by, links }) => by === 'python' && 'python' in links);
  const together = await made(
    specsOf(
      shared.filter(({ name }) => normal(name) !== normal(input.name)),
      input,
    ),
    input,
    bench,
    call,
  );
  if (!('problem' in together) || !together.problem.startsWith(CONFLICT) || shared.length === 0)
    return 'problem' in together ? together : { ...together, replaces: shared[0]?.folder ?? null };
  return madeApart(input, bench, call);
}

async function madeApart(input: InstallInput, bench: Bench, call: ToolCall): Promise<Made | Problem> {
  const apart = await made(specsOf([], input), input, bench, call);
  if ('problem' in apart) return apart;
  const scripts = entriesIn(join(bench.tools, apart.folder, 'bin')).filter((name) => !USUAL.test(name));
  return {
    ...apart,
    links: Object.fromEntries(scripts.map((name) => [`bin/${name}`, `../${apart.folder}/bin/${name}`])),
  };
}

function specsOf(rest: readonly Receipt[], input: InstallInput | null): string[] {
  const wanted =
    input === null
      ? []
      : [
          `${input.name}${input.version === undefined ? '' : /^\d/.test(input.version) ? `==${input.version}` : input.version}`,
        ];
  return [...rest.map(({ name, version }) => `${name}==${version}`), ...wanted];
}

/** P1 */
async function made(
  specs: readonly string[],
  input: InstallInput,
  bench: Bench,
  call: ToolCall,
): Promise<Made | Problem> {
  const { tools } = bench;
  const folder = `venvs/${nextNumber(tools)}`;
  const fetched = join(tools, 'wheels', unfinished(randomBytes(6).toString('hex')));
  let isWhole = false;
  try {
    mkdirSync(join(tools, 'venvs'), { recursive: true });
    mkdirSync(fetched, { recursive: true });
    const pip = await pipIn(bench, call);
    if (typeof pip !== 'string') return pip;
    const making = [bench.python, '-m', 'venv', '--system-site-packages', '--without-pip', join(tools, folder)];
    const bare = failureIn(await bench.run(making, { cwd: tools, net: false }, call));
    if (bare !== null) return noEnvironment('refused' in bare ? bare.refused : bare.said);
    const wheels = await fetchWheels(
      specs,
      [pip, '--python', join(tools, folder, 'bin', 'python')],
      fetched,
      bench,
      call,
    );
    if ('problem' in wheels) return wheels;
    const failed = await unpack(
      wheels.wheels,
      [pip, '--python', join(tools, folder, 'bin', 'python')],
      fetched,
      bench,
      call,
    );
    if (failed !== null) return failed;
    for (const { file } of wheels.wheels) renameSync(join(fetched, file), join(tools, 'wheels', file));
    await bench.run(['sync', '-f', join(tools, folder)], { cwd: tools, net: false }, call); // a power cut must not leave empty files
    const own = wheels.wheels.find(({ name }) => normal(name) === normal(input.name));
    if (own === undefined) return broken(`pip fetched no ${input.name}`);
    isWhole = true;
    return {
      version: own.version,
      folder,
      links: { python: folder },
      commands: scriptsOf(join(tools, folder), input.name),
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

/** One pip serves every environment: making one takes longer than everything else. */
async function pipIn({ tools, python, run }: Bench, call: ToolCall): Promise<string | Problem> {
  const home = join(tools, 'pip');
  const pip = join(home, 'bin', 'pip');
  if (existsSync(join(home, 'whole'))) return pip;
  rmSync(home, { recursive: true, force: true });
  const failed = failureIn(await run([python, '-m', 'venv', home], { cwd: tools, net: false }, call));
  if (failed !== null) return noEnvironment('refused' in failed ? failed.refused : failed.said);
  writeFileSync(join(home, 'whole'), '');
  return pip;
}

/** The programs that a distribution announces. */
function scriptsOf(environment: string, name: string): string[] {
  const libraries = entriesIn(join(environment, 'lib')).map((version) =>
    join(environment, 'lib', version, 'site-packages'),
  );
  for (const folder of libraries) {
    const info = entriesIn(folder).find(
      (entry) => entry.endsWith('.dist-info') && normal(entry.split('-')[0] ?? '') === normal(name),
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
  return 1 + Math.max(0, ...entriesIn(join(tools, 'venvs')).map(Number).filter(Number.isInteger));
}

async function unpack(
  wheels: readonly Wheel[],
  pipFor: readonly string[],
  from: string,
  bench: Bench,
  call: ToolCall,
): Promise<Problem | null> {
  const list = join(from, 'requirements.txt');
  writeFileSync(
    list,
    wheels.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}\n`).join(''),
  );
  const install = [...pipFor, 'install', ...UNPACKING, '--find-links', from, ...QUIETLY, '-r', list];
  const env = { PIP_CONFIG_FILE: '/dev/null' };
  const failed = failureIn(await bench.run(install, { cwd: bench.tools, net: false, env }, call));
  if (failed === null) return null;
  return broken(
    'refused' in failed ? failed.refused : `pip could not unpack what it fetched:\n${shortly(failed.said)}`,
  );
}

function noEnvironment(said: string): Problem {
  if (FULL.test(said)) return broken('the disk is full; no environment of Python was made');
  return broken(`no environment of Python can be made here (python3 with venv is needed):\n${shortly(said)}`);
}
