/** Owns: checking everything that installing tools depends on. Changes nothing. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { auditTools } from './install/audit-tools.ts';
import { dependencies } from '../../kit/requests/dependency-state.ts';
import { probeKernel } from '../../kit/sandbox/probe-kernel.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { launcherPath } from '../../kit/sandbox/find-launcher.ts';
import { installerEnvironment, loadConfig, packageEnvironment } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';

export async function toolFindings(home: Home): Promise<Finding[]> {
  const config = await loadConfig(home);
  return [
    await programFinding('npm', ['--version'], 'Node packages cannot be installed without it.'),
    await programFinding('python3', ['--version'], 'Python packages cannot be installed without it.'),
    await programFinding('python3', ['-c', 'import venv, ensurepip; print("venv and pip")'], 'Install python3-venv.'),
    await uvFinding(),
    await networkFinding(),
    wheelsFinding(config.tools.wheels === undefined ? undefined : resolve(home.dir, config.tools.wheels)),
    ...(await auditFindings(home)),
  ];
}

async function programFinding(program: string, args: readonly string[], fix: string): Promise<Finding> {
  try {
    const env = { ...packageEnvironment(), ...installerEnvironment() };
    const { stdout } = await promisify(execFile)(program, args, { env, timeout: 20_000 });
    return { state: 'good', what: program, found: stdout.trim() };
  } catch (error) {
    return { state: 'odd', what: program, found: messageOf(error).split('\n', 1)[0] ?? '', fix };
  }
}

/** No uv is no fault: venv and pip do the same. */
async function uvFinding(): Promise<Finding> {
  const found = await programFinding('uv', ['--version'], '');
  return found.state === 'good'
    ? found
    : { state: 'good', what: 'uv', found: 'not on this machine; venv and pip are used' };
}

async function networkFinding(): Promise<Finding> {
  const { launcher, seccomp } = await probeKernel(launcherPath());
  if (launcher && seccomp)
    return {
      state: 'good',
      what: 'installer',
      found: 'reaches the registries through the egress proxy, and nothing else',
    };
  const found = launcher ? 'this kernel has no seccomp filters with a listener' : 'the launcher is not built';
  return {
    state: 'odd',
    what: 'installer',
    found,
    fix: launcher ? 'Without sockets only packages that are on this machine can be installed.' : 'npm run build:native',
  };
}

function wheelsFinding(wheels: string | undefined): Finding {
  if (wheels === undefined)
    return { state: 'good', what: 'wheels', found: 'no folder of wheels is set; the Python index is asked' };
  if (existsSync(wheels)) return { state: 'good', what: 'wheels', found: wheels };
  return { state: 'bad', what: 'wheels', found: `${wheels} is not there`, fix: 'Correct tools.wheels in config.json.' };
}

async function auditFindings(home: Home): Promise<Finding[]> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  const found = await auditTools(join(home.oka, 'tools'), state.installed);
  const wrong = found.filter((each) => each.state !== 'same');
  if (wrong.length === 0) return [{ state: 'good', what: 'tools', found: `${found.length} installed, none changed` }];
  return wrong.map(({ name, found: seen }) => ({
    state: 'bad',
    what: name,
    found: seen,
    fix: `oka tools remove ${name}, then let it be installed again`,
  }));
}
