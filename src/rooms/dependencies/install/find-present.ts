/** Owns: whether something that was missing is there now, by searching where programs are searched. Nothing is run. */
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Need } from '../../../core/schema/dependency.ts';
import type { Presence } from '../../../kit/ports/dependencies-port.ts';

type SearchPaths = {
  /** PATH as commands see it. */
  path: string;
  /** Folder of the Python environment. */
  python: string;
  /** Folder with the Node packages that scripts can load. */
  modules: string;
  root?: string;
};

const LIBRARIES = ['/lib', '/usr/lib', '/usr/local/lib', '/lib64', '/usr/lib64'];
const HEADERS = ['/usr/include', '/usr/local/include'];
const ENTRIES = ['/usr/lib/pkgconfig', '/usr/share/pkgconfig', '/usr/local/lib/pkgconfig'];
const LOCALES = ['/usr/lib/locale', '/usr/share/i18n/locales-made'];
const FONTS = ['/usr/share/fonts', '/usr/local/share/fonts'];

export function findPresent(need: Pick<Need, 'kind' | 'name' | 'version'>, eyes: SearchPaths): Presence {
  const { kind, name } = need;
  const under = (folders: readonly string[]): string[] => folders.map((folder) => join(eyes.root ?? '', folder));
  switch (kind) {
    case 'command':
      return findFirst(
        eyes.path.split(':').map((folder) => join(folder, name)),
        isProgram,
        `${name} is in no folder of PATH`,
      );
    case 'library':
      return findLibrary(name, under(LIBRARIES), eyes);
    case 'header':
      return findFirst(
        withMachines(under(HEADERS)).map((folder) => join(folder, name)),
        isThere,
        `${name} is in none of ${HEADERS.join(', ')}`,
      );
    case 'pkgconfig': {
      const folders = [
        ...under(ENTRIES),
        ...withMachines(under(['/usr/lib'])).map((folder) => join(folder, 'pkgconfig')),
      ];
      return findFirst(
        folders.map((folder) => join(folder, `${name}.pc`)),
        isThere,
        `pkg-config has no ${name}.pc`,
      );
    }
    case 'locale':
      return findLocale(name, under(LOCALES));
    case 'font':
      return findFirst(under(FONTS), hasFiles, `there are no fonts in ${FONTS.join(', ')}`);
    case 'device':
      return findFirst([join(eyes.root ?? '', name)], isThere, `there is no ${name}`);
    case 'capability':
      return findCapability(name, eyes.root ?? '');
    case 'python':
      return findPythonModule(name, eyes);
    case 'node':
      return findFirst(
        [join(eyes.modules, name, 'package.json')],
        isThere,
        `${name} is not among the installed packages`,
      );
  }
}

/** What commands may have at most, by the kernel's own numbers; a name that is not known is left to the step. */
function findCapability(name: string, root: string): Presence {
  const bit = CAPABILITIES.indexOf(name.replace(/^CAP_/, '').toLowerCase());
  const [, mask = '0'] = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync(join(root, '/proc/self/status'), 'utf8')) ?? [];
  if (bit === -1) return { there: true, seen: `${name} is no capability that is known here` };
  return (BigInt(`0x${mask}`) >> BigInt(bit)) % 2n === 1n
    ? { there: true, seen: `processes here may have ${name}` }
    : { there: false, seen: `processes here cannot have ${name}` };
}

/** In the order of their numbers (linux/capability.h). */
const CAPABILITIES =
  'chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable net_bind_service net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace sys_pacct sys_admin sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control setfcap mac_override mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore'.split(
    ' ',
  );

/** perl:X, ruby:X and their like are not checked: the step fails if they are missing. */
function findLibrary(name: string, folders: readonly string[], { root = '' }: SearchPaths): Presence {
  if (/^[a-z]+:/.test(name))
    return { there: true, seen: `nobody can look for ${name}; the step will tell`, blind: true };
  const found = findFirst(
    withMachines(folders).map((folder) => join(folder, name)),
    isThere,
    `${name} is in none of ${folders.join(', ')}`,
  );
  return found.there ? found : findInLoaderCache(name, root, found);
}

/** What the loader's own cache names, in folders that only it knows. */
function findInLoaderCache(name: string, root: string, otherwise: Presence): Presence {
  try {
    const cache = readFileSync(join(root, '/etc/ld.so.cache')).toString('latin1');
    const path = cache.match(new RegExp(`/[\\w./+-]*/${name.replaceAll(/[.+]/g, '\\$&')}(?=\\0)`))?.[0];
    return path !== undefined && isThere(join(root, path)) ? { there: true, seen: path } : otherwise;
  } catch {
    return otherwise;
  }
}

function findLocale(name: string, folders: readonly string[]): Presence {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[.-]/g, '');
  if (/^C\.utf-?8$/i.test(name)) return { there: true, seen: 'every system has it' };
  const made = folders.flatMap((folder) => listOrEmpty(folder).map((entry) => join(folder, entry)));
  const found = made.find((path) => plain(path.split('/').at(-1) ?? '') === plain(name));
  if (found !== undefined) return { there: true, seen: found };
  const archive = made.find((path) => path.endsWith('locale-archive'));
  const isInside = archive !== undefined && readFileSync(archive).includes(name.replace(/UTF-8$/i, 'utf8'));
  return isInside ? { there: true, seen: archive } : { there: false, seen: `the locale ${name} is not made` };
}

function findPythonModule(name: string, { python }: SearchPaths): Presence {
  const [first = ''] = name.split('.');
  const libraries = listOrEmpty(join(python, 'lib')).map((version) => join(python, 'lib', version, 'site-packages'));
  const places = libraries.flatMap((folder) => [join(folder, first), join(folder, `${first}.py`)]);
  return findFirst(places, isThere, `the module ${name} is not among the installed packages`);
}

function findFirst(places: readonly string[], test: (path: string) => boolean, otherwise: string): Presence {
  const found = places.find(test);
  return found === undefined ? { there: false, seen: otherwise } : { there: true, seen: found };
}

/** Debian stores files that depend on the machine in folders such as aarch64-linux-gnu. */
function withMachines(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => [
    folder,
    ...listOrEmpty(folder)
      .filter((name) => name.includes('-linux-'))
      .map((name) => join(folder, name)),
  ]);
}

/** Whether this user can start it. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function hasFiles(folder: string): boolean {
  return listOrEmpty(folder).length > 0;
}

function listOrEmpty(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no such folder here
  }
}
