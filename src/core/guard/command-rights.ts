/**
 * Owns: what a command may access, by its class, its author and whether it has the network; and whether it may run at all
 * where it cannot be sandboxed.
 * Does not own: how that is enforced (native/, kit/sandbox/sandbox-launch.ts), nor the class of a command.
 *
 * R1 A read may write at most to its own scratch folder, and gets sockets only if it was given the network.
 * R6 Of the desk it changes the place of its task only, so that tasks in other places can run beside it.
 * R5 Outside the desk it gets exactly the folders that are open to its task, and a read only reads there.
 * R2 Below .oka, only the tool folder can be read, and only the installer can write it.
 * R3 The network is one address, that of oka's egress proxy; where the launcher cannot enforce this there are no sockets.
 * R4 Without a sandbox, a command that a model wrote never runs unless the operator has switched the sandbox off.
 */
import { totalmem } from 'node:os';
import { OkaError } from '../schema/errors.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import type { OpenFolder } from '../schema/folder.ts';
import type { Author } from '../schema/tool.ts';

type Limits = {
  fileBytes: number;
  cpuSeconds: number;
  openFiles: number;
  processes: number;
  /** Memory of the command and everything it started, together. */
  memoryBytes: number;
};

/** Absolute paths; a folder includes everything below it. One behind `=` must not have become a link. */
export type Rights = {
  read: readonly string[];
  /** Read and execute. */
  run: readonly string[];
  /** Single files that may be read and written. */
  devices: readonly string[];
  /** Read, execute, create, change and remove. */
  write: readonly string[];
  /** Addresses such as 127.0.0.1:3128 that it may connect to; without any there are no sockets. */
  connect: readonly string[];
  limits: Limits;
};

/** Real paths, since a symbolic link would grant access to its target. */
export type Places = {
  oka: string;
  desk: string;
  /** A folder for temporary files that is removed with the command; null if there is none. */
  scratch: string | null;
  tools: string;
  /** The folders of Node and npm, if they are not folders of the system. */
  programs: readonly string[];
  /** Root can read every file in /etc, so only those that programs need are granted. */
  root: boolean;
};

export type Step = {
  class: SideEffectClass;
  author: Author;
  /** The address of the egress proxy, for a step that needs the network and may have it. */
  net: string | null;
  installer: boolean;
  /** Folders outside the desk that are open to it. */
  folders?: readonly OpenFolder[];
  /** Real paths of the folders of the desk that it may change; the rest it may read and run. All when left out. */
  place?: readonly string[] | undefined;
};

/** What the machine offers to sandbox a command with. */
type Offer = { launcher: boolean; landlock: number; seccomp: boolean };

type Confinement = { kind: 'jail' } | { kind: 'none'; warning: string } | { kind: 'refused'; reason: string };

const GB = 1024 ** 3;
const LIMITS: Omit<Limits, 'memoryBytes'> = { fileBytes: 4 * GB, cpuSeconds: 14_400, openFiles: 4096, processes: 512 };
const MAX_MEMORY = 8 * GB;
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];
const OPTIONAL_FOLDERS = ['/opt', '/snap'];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'];
/** In /proc, only the command's own process: the arguments of others may be secret. */
const KERNEL_FILES = [
  ...['self', 'cpuinfo', 'meminfo', 'stat', 'loadavg', 'uptime', 'version', 'filesystems'].map(
    (name) => `/proc/${name}`,
  ),
  '/proc/sys/kernel',
  '/proc/sys/vm/overcommit_memory',
  '/sys/fs/cgroup',
  '/sys/devices/system',
];
const PACKAGE_LISTS = ['/var/lib/dpkg', '/var/lib/apt/lists', '/var/lib/rpm', '/lib/apk/db'];
const ETC_FOR_ROOT = `
  alternatives bash.bashrc ca-certificates ca-certificates.conf debian_version default fonts gai.conf gitconfig group
  host.conf hostname hosts inputrc issue java ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime
  lsb-release machine-id magic mime.types networks nsswitch.conf openssl os-release passwd perl pki profile protocols
  python3 resolv.conf services shells ssl/certs ssl/openssl.cnf terminfo timezone wgetrc`
  .trim()
  .split(/\s+/)
  .map((name) => `/etc/${name}`);

export function rightsOf(step: Step, places: Places, offer: Pick<Offer, 'seccomp'>): Rights {
  const writes = mayWrite(step);
  const scratch = places.scratch === null ? [] : [places.scratch];
  const { folders = [] } = step;
  const place = writes ? (step.place?.map((path) => `=${path}`) ?? [places.desk]) : [];
  const changed = writes ? folders.filter(({ access }) => access === 'write').map(exactly) : [];
  return {
    read: [
      ...(places.root ? ETC_FOR_ROOT : ['/etc']),
      ...KERNEL_FILES,
      ...PACKAGE_LISTS,
      ...(writes ? [] : [places.desk, places.tools]),
      ...folders.map(exactly).filter((path) => !changed.includes(path)),
    ],
    run: [
      ...systemFolders(places.oka),
      ...places.programs,
      ...(writes && !step.installer ? [places.tools] : []),
      ...(writes && step.place !== undefined ? [places.desk] : []),
    ],
    devices: DEVICES,
    write: [...place, ...changed, ...scratch, ...(step.installer ? [places.tools] : [])],
    connect: step.net === null || !offer.seccomp ? [] : [step.net],
    limits: { ...LIMITS, memoryBytes: memoryLimit(totalmem()) },
  };
}

/** The launcher opens the folder at this path, and nothing if a link has taken its place since it was checked. */
const exactly = ({ path }: OpenFolder): string => `=${path}`;

/** Half of the machine, so that the worker and its host stay alive. */
const memoryLimit = (total: number): number => Math.min(MAX_MEMORY, Math.floor(total / 2));

/** The folders of PATH that a sandboxed command can run programs from; a shell would stop at one that it may not start. */
export function pathWithin(path: string, { oka, tools, programs }: Pick<Places, 'oka' | 'tools' | 'programs'>): string {
  const roots = [...SYSTEM_FOLDERS, ...OPTIONAL_FOLDERS.filter((folder) => !isBelow(oka, folder)), tools, ...programs];
  return path
    .split(':')
    .filter((folder) => roots.some((root) => isBelow(folder, root)))
    .join(':');
}

/** Whether a command may run with what the machine offers, and the warning for a person. */
export function confinementFor(offer: Offer, sandbox: 'jail' | 'none', author: Author): Confinement {
  if (sandbox === 'none')
    return {
      kind: 'none',
      warning: 'the sandbox is switched off in config.json (sandbox: none): this command runs without limits',
    };
  if (offer.launcher && offer.landlock > 0) return { kind: 'jail' };
  const missing = missingSupport(offer);
  if (author === 'operator')
    return { kind: 'none', warning: `${missing}: this command runs because a person wrote it` };
  return { kind: 'refused', reason: `${missing}, so a command that a model wrote cannot be sandboxed` };
}

export function missingSupport({ launcher }: Pick<Offer, 'launcher'>): string {
  return launcher ? 'the kernel does not offer Landlock' : 'the launcher is not built (npm run build:native)';
}

/** Whether a command may write: those in a person's runbook always may. */
function mayWrite({ class: itsClass, author, installer }: Step): boolean {
  switch (itsClass) {
    case 'read':
      return author === 'operator' || installer;
    case 'write_local':
    case 'external_mutation':
      return true;
    case 'deny':
      throw new OkaError('refused', 'a command of class deny has no rights: it is never run');
  }
}

function systemFolders(oka: string): string[] {
  const around = SYSTEM_FOLDERS.find((folder) => isBelow(oka, folder));
  if (around !== undefined)
    throw new OkaError('refused', `${oka} is inside ${around}, which every command can read`, {
      fix: 'Move the assistant to a folder of its own, such as /home/you/oka or /data.',
    });
  return [...SYSTEM_FOLDERS, ...OPTIONAL_FOLDERS.filter((folder) => !isBelow(oka, folder))];
}

/** The folder itself counts. */
export const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
