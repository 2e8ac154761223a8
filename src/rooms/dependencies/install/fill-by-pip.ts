/**
 * Owns: an environment of Python made by venv and filled by pip.
 *
 * Wheels are fetched apart from being unpacked, and their hashes are checked when they are.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCall } from '../../../core/schema/tool.ts';
import type { Filling } from './fill-by-uv.ts';
import { type Fetched, fetchWheels, QUIETLY, type Wheel } from './fetch-wheels.ts';
import { type InstallContext, permanentProblem, failureIn, FULL, type Problem, lastLines } from './installer.ts';

const UNPACKING = '--no-index --no-deps --require-hashes --ignore-installed'.split(' ');

export async function fillByPip(filling: Filling, bench: InstallContext, call: ToolCall): Promise<Fetched | Problem> {
  const { specs, environment, work } = filling;
  const { tools } = bench;
  const pip = await pipIn(bench, call);
  if (typeof pip !== 'string') return pip;
  const making = [bench.python, '-m', 'venv', '--system-site-packages', '--without-pip', environment];
  const bare = failureIn(await bench.run(making, { cwd: tools, net: false }, call));
  if (bare !== null) return noEnvironment('refused' in bare ? bare.refused : bare.output);
  const pipFor = [pip, '--python', join(environment, 'bin', 'python')];
  const fetched = await fetchWheels(specs, pipFor, work, bench, call);
  if ('problem' in fetched) return fetched;
  const failed = await unpack(fetched.wheels, pipFor, work, bench, call);
  if (failed !== null) return failed;
  for (const { file } of fetched.wheels) renameSync(join(work, file), join(tools, 'wheels', file));
  return fetched;
}

/** One pip serves every environment: making one takes longer than everything else. */
async function pipIn({ tools, python, run }: InstallContext, call: ToolCall): Promise<string | Problem> {
  const home = join(tools, 'pip');
  const pip = join(home, 'bin', 'pip');
  if (existsSync(join(home, 'whole'))) return pip;
  rmSync(home, { recursive: true, force: true });
  const failed = failureIn(await run([python, '-m', 'venv', home], { cwd: tools, net: false }, call));
  if (failed !== null) return noEnvironment('refused' in failed ? failed.refused : failed.output);
  writeFileSync(join(home, 'whole'), '');
  return pip;
}

async function unpack(
  wheels: readonly Wheel[],
  pipFor: readonly string[],
  from: string,
  bench: InstallContext,
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
  return permanentProblem(
    'refused' in failed ? failed.refused : `pip could not unpack what it fetched:\n${lastLines(failed.output)}`,
  );
}

function noEnvironment(output: string): Problem {
  if (FULL.test(output)) return permanentProblem('the disk is full; no environment of Python was made');
  return permanentProblem(
    `no environment of Python can be made here (python3 with venv is needed):\n${lastLines(output)}`,
  );
}
