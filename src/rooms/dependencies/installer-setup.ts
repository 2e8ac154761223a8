/** The context of an installation: the operator's npm and pip settings, the limits of the policy, the sandbox. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isProgram } from './install/find-present.ts';
import type { InstallContext, Manager, RunInstaller } from './install/installer.ts';
import { launch } from '../../kit/sandbox/launch.ts';
import { packageSettings } from '../../kit/egress/registry-settings.ts';
import type { DepsPorts } from './deps-ports.ts';
import { installerEnvironment, packageEnvironment } from '../../kit/settings.ts';

/** Maximum bytes stored of the output of npm and pip. */
const MOST_OUTPUT_BYTES = 262_144;

export async function installerSetup(ports: DepsPorts): Promise<Omit<InstallContext, 'tools'>> {
  const { home, config, policy } = ports;
  const { wheels, binaries } = config.tools;
  return {
    run: runnerOf(ports),
    ...managers((await packageSettings(home)).npmGlobalConfig),
    python: programIn(installerEnvironment()['PATH'] ?? '', 'python3') ?? 'python3',
    uv: uvFor(home),
    limits: policy().policy.installs,
    wheels: wheels === undefined ? undefined : resolve(home.dir, wheels),
    binaries,
    now: Date.now(),
  };
}

function runnerOf({ sandbox, policy }: DepsPorts): RunInstaller {
  return async (argv, { cwd, net, servers = [], env = {}, readable = [] }, call) => {
    const timeoutMs = policy().policy.installs.most_seconds * 1000;
    const provided = await sandbox.forInstaller(call, { net, servers, readable, timeoutMs });
    if (provided.kind === 'refused') return { refused: provided.reason };
    await using _ = provided;
    return await launch(
      { argv },
      {
        cwd,
        env: { ...installerEnvironment(), HOME: provided.scratch ?? cwd, ...env, ...provided.env },
        signal: call.signal,
        timeoutMs,
        outputLimitBytes: MOST_OUTPUT_BYTES,
        ...(provided.scratch === undefined ? {} : { scratch: provided.scratch }),
        ...(provided.launch === undefined ? {} : { sandbox: provided.launch }),
      },
    );
  };
}

/** The first program of that name in a folder that steps can reach. */
function programIn(path: string, name: string): string | undefined {
  const isReachable = (file: string): boolean => {
    try {
      return /^\/(?:usr|bin|opt|nix\/store)\//.test(realpathSync(file));
    } catch {
      return false; // it leads nowhere
    }
  };
  return path
    .split(':')
    .map((folder) => `${folder}/${name}`)
    .find(isReachable);
}

/** The system's own, or one that was installed here as a Python package or a program. */
function uvFor({ oka }: DepsPorts['home']): string | null {
  const ours = ['python/bin/uv', 'bin/uv'].map((path) => join(oka, 'tools', path)).find(isProgram);
  return programIn(installerEnvironment()['PATH'] ?? '', 'uv') ?? (ours === undefined ? null : realpathSync(ours));
}

/** The registries npm and pip are configured for; only the installer's programs may read these settings. */
function managers(globalconfig: string | null): { npm: Manager; pip: Manager } {
  const all = packageEnvironment();
  const those = (pattern: RegExp): Record<string, string> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => pattern.test(name)));
  const home = all['HOME'] ?? '/nonexistent';
  const userconfig = all['npm_config_userconfig'] ?? all['NPM_CONFIG_USERCONFIG'] ?? `${home}/.npmrc`;
  const pipFiles = [
    all['PIP_CONFIG_FILE'] ?? '',
    `${all['XDG_CONFIG_HOME'] ?? `${home}/.config`}/pip/pip.conf`,
    `${home}/.pip/pip.conf`,
  ];
  const [pipConfig] = pipFiles.filter((file) => file !== '' && existsSync(file));
  return {
    npm: {
      env: {
        ...those(/^npm_config_(?!cache$|prefix$|userconfig$|global)/i),
        ...(existsSync(userconfig) ? { npm_config_userconfig: userconfig } : {}),
        ...(globalconfig === null ? {} : { npm_config_globalconfig: globalconfig }),
      },
      files: [userconfig, globalconfig ?? ''].filter((file) => file !== '' && existsSync(file)),
    },
    pip: {
      env: {
        ...those(/^PIP_(?!CACHE_DIR$|CONFIG_FILE$|TARGET$|PREFIX$|USER$)/),
        ...(pipConfig === undefined ? {} : { PIP_CONFIG_FILE: pipConfig }),
      },
      files: [...(pipConfig === undefined ? [] : [pipConfig]), '/etc/pip.conf'].filter(existsSync),
    },
  };
}
