/**
 * Owns: `oka up` as a service of this user, which starts with the machine: a systemd user unit, or a launchd agent.
 * There is one for each home. Elsewhere nothing is installed, and a person gets the line that does it.
 */
import { existsSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { join, relative } from 'node:path';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { folderHash, realFolder } from '../../kit/home/home-notes.ts';
import { programFolder, programPath, userPlaces } from '../../kit/settings.ts';
import { packageBase } from '../update/installed-versions.ts';
import { cronLine, launchdAgent, type Started, systemdUnit } from './unit-files.ts';

type ServiceKind = 'systemd' | 'launchd' | 'none';
export type ServiceState = {
  kind: ServiceKind;
  name: string;
  /** The file of the service; null where there is no kind. */
  file: string | null;
  isInstalled: boolean;
  isRunning: boolean;
  /** Whether it runs while nobody is logged in; null where that is no question. */
  lingers: boolean | null;
};

export function serviceKind(platform = process.platform): ServiceKind {
  if (platform === 'darwin') return 'launchd';
  return platform === 'linux' && ran('systemctl', '--user', 'show-environment').code === 0 ? 'systemd' : 'none';
}

const serviceName = (home: Home): string => `oka-${folderHash(home).slice(0, 8)}`;

/** By paths that stay when `oka update` replaces the version that runs. */
function startedBy(home: Home): Started {
  const base = packageBase() ?? programFolder;
  const ofBase = join(base, relative(programFolder, process.execPath));
  return {
    name: serviceName(home),
    program: [existsSync(ofBase) ? ofBase : process.execPath, join(base, 'bin', 'oka')],
    dir: realFolder(home),
    path: programPath(),
  };
}

function unitFile(home: Home, kind: ServiceKind): string | null {
  if (kind === 'systemd') return join(userPlaces().config, 'systemd', 'user', `${serviceName(home)}.service`);
  return kind === 'launchd' ? join(homedir(), 'Library', 'LaunchAgents', `${serviceName(home)}.plist`) : null;
}

const logFile = (home: Home): string => join(homedir(), 'Library', 'Logs', `${serviceName(home)}.log`);

export function serviceState(home: Home, kind = serviceKind()): ServiceState {
  const name = serviceName(home);
  const file = unitFile(home, kind);
  const isRunning =
    kind === 'systemd'
      ? ran('systemctl', '--user', 'is-active', '--quiet', name).code === 0
      : kind === 'launchd' && ran('launchctl', 'list', name).code === 0;
  const lingers =
    kind === 'systemd' ? /=yes/.test(ran('loginctl', 'show-user', userInfo().username, '-p', 'Linger').out) : null;
  return { kind, name, file, isInstalled: file !== null && existsSync(file), isRunning, lingers };
}

/** Writes the unit and starts it now; an older one of the same home is replaced. */
export function installService(home: Home, kind = serviceKind()): ServiceState {
  const file = unitFile(home, kind);
  if (file === null) throw noService(home);
  const started = startedBy(home);
  makeFolder(join(file, '..'), 0o755);
  replaceFile(file, kind === 'systemd' ? systemdUnit(started) : launchdAgent(started, logFile(home)), {
    durable: true,
  });
  if (kind === 'systemd') {
    must('systemctl', '--user', 'daemon-reload');
    must('systemctl', '--user', 'enable', file); // by its path: XDG_CONFIG_HOME of this shell may be unknown to the manager
    must('systemctl', '--user', 'restart', started.name);
  } else {
    ran('launchctl', 'unload', file);
    must('launchctl', 'load', '-w', file);
  }
  return serviceState(home, kind);
}

/** Stops it, and it no longer starts with the machine. The home stays as it is. */
export function removeService(home: Home, kind = serviceKind()): ServiceState {
  const file = unitFile(home, kind);
  if (file === null || !existsSync(file)) return serviceState(home, kind);
  if (kind === 'systemd') must('systemctl', '--user', 'disable', '--now', serviceName(home));
  else must('launchctl', 'unload', '-w', file);
  rmSync(file);
  if (kind === 'systemd') must('systemctl', '--user', 'daemon-reload');
  return serviceState(home, kind);
}

/** The command that shows what the service prints. */
export function logCommand(home: Home, kind: ServiceKind, lines: number, isFollowing: boolean): string[] {
  const follow = isFollowing ? ['-f'] : [];
  if (kind === 'systemd') return ['journalctl', '--user', '-u', serviceName(home), '-n', String(lines), ...follow];
  if (kind === 'launchd') return ['tail', '-n', String(lines), ...follow, logFile(home)];
  throw noService(home);
}

function noService(home: Home): OkaError {
  return new OkaError('refused', 'this machine has no service manager for users that oka knows (systemd, launchd)', {
    fix: `Start it with the machine by a line of crontab -e: ${cronLine(startedBy(home))}`,
  });
}

type Ran = { code: number | null; out: string };

function ran(program: string, ...args: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  return { code: status, out: `${stdout ?? ''}${stderr ?? ''}`.trim() };
}

function must(program: string, ...args: string[]): void {
  const { code, out } = ran(program, ...args);
  if (code !== 0)
    throw new OkaError('refused', `${program} ${args.join(' ')}: ${out.slice(0, 1000) || `exit ${code}`}`);
}
