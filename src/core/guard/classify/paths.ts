/** Owns: where a path is (desk, scratch, system, home, …) and how sensitive it is (secret, guard, configuration, …). */
import { posix } from 'node:path';
import { isInFolder, type OpenFolder } from '../../schema/folder.ts';
import { programTrigger } from '../../schema/program-triggers.ts';
import { hasCredentials, hostAndPortOf, hostOf, isMetadata } from './hosts.ts';
import { type Arg, HOLE, raise, type ShellState, toDisplay } from './shell-state.ts';

type Place =
  /** The desk, or a folder outside it that the task may change. */
  | 'desk'
  | 'desk root'
  /** A folder outside the desk that the task may read. */
  | 'read folder'
  | 'scratch'
  | 'tools'
  | 'workspace'
  | 'sink'
  | 'endless'
  | 'device'
  | 'system'
  | 'home'
  | 'outside'
  | 'unknown';

type Sensitivity = 'secret' | 'private' | 'accounts' | 'guard' | 'config' | null;

const HOME = '/~';
const SINKS = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/;
const ENDLESS = /^\/dev\/(?:zero|full|u?random)$/;
/** Stands for the folder that the launcher makes for one command; its real name is in $TMPDIR. */
export const SCRATCH_FOLDER = '/~tmp';
/** The folder itself; deleting it is judged by the program. */
export const SCRATCH_ROOT = /^\/~tmp$/;
const SCRATCH = /^\/~tmp(?:\/|$)/;
/** Folders for temporary files of everybody. A command has one of its own. */
const TEMPORARY = /^\/(?:tmp|var\/tmp)(?:\/|$)/;
const SYSTEM = /^\/(?:etc|usr|bin|sbin|lib\d*|opt|proc|sys|boot|var\/(?:log|cache|lib\/(?:dpkg|apt)))(?:\/|$)/;
const HOMES = /^\/(?:~|home|root|Users)(?:\/|$)/;

const SECRET: readonly RegExp[] = [
  /\/\.(?:ssh|gnupg|aws|azure|kube|password-store|gcloud|terraform\.d|mozilla|keychain)(?:\/|$)/,
  /\/\.config\/(?:gcloud|gh|op|hub|google-chrome|chromium|sops|rclone|doctl|heroku)(?:\/|$)/,
  /\/\.(?:netrc|pgpass|my\.cnf|git-credentials|pypirc|s3cfg|boto|terraformrc|vault-token|docker\/config\.json)$/,
  /\/\.\w*_history$/,
  /\/id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_\w+)?$/,
  /^\/etc\/(?:g?shadow-?|sudoers(?:\.d)?(?:\/.*)?|security\/opasswd|krb5\.keytab|ssl\/private(?:\/.*)?)$/,
  /^\/etc\/(?:ssh\/.*key|wireguard|NetworkManager\/system-connections|letsencrypt|openvpn|docker\/key)/,
  /^\/(?:var\/)?run\/(?:secrets|docker\.sock|containerd|user|dbus|credentials)(?:\/|$)/,
  /^\/proc\/(?:[^/]+\/(?:environ|mem|maps|cmdline|fd|root|cwd|task|auxv|stack|syscall|pagemap|ns|map_files)(?:\/|$)|kcore|kmem|sysrq-trigger|keys|key-users)/,
  /^\/dev\/(?:mem|kmem|port|kmsg|sd|nvme|vd|xvd|mapper|loop|disk|dm-|tcp|udp|input|snd|video|kvm|fuse|shm)/,
  /^\/root(?:\/|$)/,
  /^\/var\/(?:spool|mail|lib\/(?!dpkg|apt))/,
  /^\/(?:~|home\/[^/]+|Users\/[^/]+)\/(?:\.[^/]|Library\/Keychains)/,
  /^\/tmp\/ssh-[^/]*(?:\/|$)|^\/etc\/(?:kubernetes|rancher)(?:\/|$)/,
  /\/(?:credentials\.age|wallet\.dat|logins\.json|key4\.db|login\.keychain(?:-db)?)$|\.kdbx$/,
];

const PRIVATE: readonly RegExp[] = [
  /\/\.env(?:rc)?(?:\.(?!example|sample|template|dist|defaults|schema)[\w.-]+)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|ppk|asc|tfstate|tfstate\.backup)$/,
  /\/(?:\.?credentials?|\.?secrets?|service[-_]?account[^/]*|(?:api|access|auth)[-_]?(?:tokens?|keys?)|tokens?|passwords?)(?:\.(?:json|ya?ml|toml|ini|env|txt|csv|conf|cfg|db))?$/,
  /\/\.(?:npmrc|yarnrc(?:\.yml)?|htpasswd|dockercfg)$/,
];

/** An unknown file of a process, which could be its environment. */
const NAMELESS_PROCESS = /^\/proc\/(?:.*\/)?[^/]*\uE000$/;

const GUARD = /\/\.oka(?:\/(?!tools(?:\/|$))|$)|\/(?:run_ledger|maintenance_ledger)\.jsonl$|\/POLICY\.md$/;

/** Paths that a glob is tried against, to judge what it could match. */
const TEMPTING = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/passwd',
  '/proc/self/environ',
  '/proc/1/environ',
  '/~/.ssh/id_rsa',
  '/~/.ssh/id_ed25519',
  '/~/.aws/credentials',
  '/~/.netrc',
  '/~/.bash_history',
  '/~/.bashrc',
  '/root/.ssh/id_rsa',
  '/root/.bashrc',
  '/home/user/.ssh/id_rsa',
  '/home/user/.bashrc',
  '/run/secrets/key',
  '/var/run/docker.sock',
];
const TEMPTING_HERE = [
  '.env',
  '.npmrc',
  '.git/config',
  '.git/hooks/pre-commit',
  '.vscode/settings.json',
  '.bashrc',
  '.netrc',
  '.cursorrules',
];

/** The absolute path, following links that the line itself makes; null if it cannot be known. */
export function fullPath(state: ShellState, text: string): string | null {
  const tilde = /^~([^/]*)/.exec(text);
  if (tilde !== null) {
    const rest = text.slice(tilde[0].length);
    if (tilde[1] === '+') return state.cwd === null ? null : posix.normalize(state.cwd + rest);
    return posix.normalize((tilde[1] === '' || tilde[1] === '-' ? HOME : `/home/${tilde[1]}`) + rest);
  }
  if (!text.startsWith('/') && (text.startsWith(HOLE) || state.cwd === null)) return null;
  const full = posix.normalize(text.startsWith('/') ? text : `${state.cwd}/${text}`);
  for (const [link, target] of state.links) {
    if (full === link || full.startsWith(`${link}/`)) return posix.normalize(target + full.slice(link.length));
  }
  return full;
}

export function placeOf(state: ShellState, text: string): Place {
  const full = fullPath(state, text);
  if (full === null) return /(?:^|\/)\.\.\/(?:[^/]+\/)*\.\.(?:\/|$)/.test(text) ? 'outside' : 'unknown';
  const { desk, toolFolder } = state.where;
  const trimmed = full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
  if (trimmed === desk) return 'desk root';
  if (trimmed.startsWith(`${desk}/`)) return /\/\.oka\/tools(?:\/|$)/.test(trimmed) ? 'tools' : 'desk';
  const folder = folderAround(state, trimmed);
  if (folder !== null) return folder.access === 'read' ? 'read folder' : trimmed === folder.path ? 'desk root' : 'desk';
  if (trimmed === toolFolder || trimmed.startsWith(`${toolFolder}/`)) return 'tools';
  const workspace = posix.dirname(desk);
  if (
    desk.endsWith('/workspace/desk') &&
    /\/(?:inbox|outbox)(?:\/|$)/.test(trimmed.slice(workspace.length)) &&
    trimmed.startsWith(workspace)
  )
    return 'workspace';
  if (SINKS.test(trimmed)) return 'sink';
  if (ENDLESS.test(trimmed)) return 'endless';
  if (trimmed.startsWith('/dev/')) return 'device';
  if (SCRATCH.test(trimmed)) return 'scratch';
  if (SYSTEM.test(trimmed)) return 'system';
  return HOMES.test(trimmed) ? 'home' : 'outside';
}

/** The folder outside the desk, opened to the task, that contains a path: one that may be changed before others. */
function folderAround({ where: { folders } }: ShellState, full: string): OpenFolder | null {
  const around = folders.filter(({ path }) => isInFolder(full, path));
  return around.find(({ access }) => access === 'write') ?? around[0] ?? null;
}

/** How sensitive a path is, besides its place; null for an ordinary file. */
export function sensitivityOf(state: ShellState, arg: Arg, writing = false): Sensitivity {
  const full = fullPath(state, arg.text) ?? `/${arg.text.replaceAll(HOLE, '').replace(/^\/+/, '')}`;
  const trimmed = full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
  if (NAMELESS_PROCESS.test(trimmed)) return 'secret';
  const own = sensitivityOfPath(trimmed, state, writing);
  return own ?? (arg.glob || arg.open ? sensitivityOfMatches(trimmed, state) : null);
}

function sensitivityOfPath(full: string, state: ShellState, writing = false): Sensitivity {
  const top = full.startsWith(`${state.where.desk}/`) ? state.where.desk : folderAround(state, full)?.path;
  const inside = top === undefined ? null : full.slice(top.length);
  const tools = full.startsWith(`${state.where.toolFolder}/`) || full === state.where.toolFolder;
  const tail = inside ?? full;
  if (!tools && GUARD.test(tail)) return 'guard';
  if (isSecretPath(tail)) return 'secret';
  if (writing && programTrigger(tail) !== null) return 'config';
  if (PRIVATE.some((shape) => shape.test(tail))) return 'private';
  if (/^\/etc\/(?:passwd|group)-?$/.test(full)) return 'accounts';
  return programTrigger(tail) === null ? null : 'config';
}

/** Whether the content of an absolute path is secret by its name alone. */
export const isSecretPath = (full: string): boolean => SECRET.some((shape) => shape.test(full));

/** A glob, or a path with an unknown part after a separator, counts as the most sensitive path it could match. */
function sensitivityOfMatches(full: string, state: ShellState): Sensitivity {
  if (!/[*?[]|\/[^/]*\uE000/.test(full) || full.length > 300) return null;
  if ((full.match(/[*?[]/g) ?? []).length > 8) return full.startsWith(`${state.where.desk}/`) ? null : 'secret';
  const shape = globShape(full);
  const here = state.cwd ?? state.where.desk;
  const hits = [...(full.startsWith(`${here}/`) ? TEMPTING_HERE.map((name) => `${here}/${name}`) : TEMPTING)];
  const sensitivities = hits.filter((path) => shape.test(path)).map((path) => sensitivityOfPath(path, state));
  return sensitivities.find((sensitivity) => sensitivity === 'secret') ?? sensitivities[0] ?? null;
}

function globShape(glob: string): RegExp {
  const body = glob
    .replaceAll(/\*+|\?|\[[^\]]*\]|\uE000|[.+^${}()|\\]|\]/g, (piece) => {
      if (piece.startsWith('*')) return '[^/]*';
      if (piece === HOLE) return '(?!)';
      if (piece === '?') return '[^/]';
      return piece.startsWith('[') ? '[^/]' : `\\${piece}`;
    })
    .replaceAll(/(^|\/)\[\^\/\](\*?)/g, (_, edge: string, star: string) => `${edge}(?!\\.)[^/]${star}`);
  return new RegExp(`^${body}$`);
}

const WHY: Record<Exclude<Sensitivity, null>, string> = {
  secret: 'contains secrets',
  private: 'may contain secrets',
  accounts: 'lists the accounts of this machine',
  guard: 'belongs to the rules and records of the assistant',
  config: 'makes other programs run',
};

/** Judges reading the content of a file. */
export function judgeRead(state: ShellState, program: string, arg: Arg): void {
  if (arg.text === '-' || arg.text === '') return;
  recordPath(state, arg);
  if (/^https?:\/\//.test(arg.text)) return judgeUrl(state, program, arg);
  if (arg.hidden) raise(state, 'deny', `it is not visible which file ${program} would read`);
  const sensitivity = sensitivityOf(state, arg);
  const what = `${program} would read ${toDisplay(arg.text)}, which`;
  if (sensitivity === 'secret' || sensitivity === 'guard') return raise(state, 'deny', `${what} ${WHY[sensitivity]}`);
  if (sensitivity === 'private' || sensitivity === 'accounts')
    return raise(state, 'external_mutation', `${what} ${WHY[sensitivity]}`);
  switch (placeOf(state, arg.text)) {
    case 'device':
      return raise(state, 'deny', `${what} is a device`);
    case 'home':
    case 'outside':
      return raise(state, 'external_mutation', `${what} is neither on the desk nor a file of the system`);
    case 'endless':
      state.flow.endless = arg.text;
      return;
    case 'system':
      if (arg.open && arg.text.startsWith('/etc/'))
        raise(state, 'external_mutation', `${what} is not known before it runs`);
      return;
    case 'desk':
    case 'desk root':
    case 'read folder':
    case 'scratch':
    case 'tools':
    case 'workspace':
    case 'sink':
    case 'unknown':
      return;
  }
}

/** Judges a URL, which many programs accept in place of a file. */
function judgeUrl(state: ShellState, program: string, { text, open }: Arg): void {
  const [host, written] = [hostOf(text), hostAndPortOf(text)];
  state.tally.net = true;
  if (written !== null && !written.includes(HOLE)) state.tally.hosts.add(written);
  if (open || hasCredentials(text))
    raise(state, 'external_mutation', `${program} would send local data along with ${toDisplay(text)}`);
  if (isMetadata(host ?? '')) raise(state, 'deny', 'that address hands out the credentials of this machine');
}

/** Judges reading names, sizes and dates only. */
export function judgeStat(state: ShellState, program: string, arg: Arg): void {
  recordPath(state, arg);
  const sensitivity = sensitivityOf(state, { ...arg, glob: arg.glob && /^[/~]/.test(arg.text) });
  if (sensitivity === 'secret' || sensitivity === 'guard')
    raise(state, 'deny', `${program} would inspect ${toDisplay(arg.text)}, which ${WHY[sensitivity]}`);
}

/** Judges creating, changing or removing a file. */
export function judgeWrite(state: ShellState, program: string, arg: Arg): void {
  if (arg.text === '-' || arg.text === '') return;
  recordPath(state, arg);
  const place = placeOf(state, arg.text);
  if (place === 'sink') return;
  const what = `${program} would change ${toDisplay(arg.text)}, which`;
  const sensitivity = sensitivityOf(state, arg, true);
  if (sensitivity === 'secret' || sensitivity === 'guard' || sensitivity === 'config' || sensitivity === 'accounts')
    return raise(state, 'deny', `${what} ${WHY[sensitivity]}`);
  if (posix.basename(arg.text).startsWith('-') && program !== 'rm')
    return raise(state, 'deny', `${what} looks like an option`);
  if (['desk', 'desk root', 'scratch', 'tools', 'unknown'].includes(place))
    return raise(state, 'write_local', `${program} writes on the desk`);
  if (place === 'read folder') return raise(state, 'deny', `${what} this task may only read`);
  const advice = TEMPORARY.test(arg.text) ? ': temporary files of a command belong into $TMPDIR' : '';
  raise(state, 'deny', `${what} is outside the desk${advice}`);
}

function recordPath(state: ShellState, arg: Arg): void {
  if (!arg.text.startsWith(HOLE)) state.tally.paths.add(toDisplay(arg.text));
}

/** Whether a word names a secret, even if the program does not use it as a file. */
export function namesSecret(state: ShellState, arg: Arg): boolean {
  const pieces = arg.text.split(/[=@,:]/);
  return [arg.text, ...pieces].some((text) => {
    if (!/[/.~]|^id_/.test(text) || /\s/.test(text)) return false;
    const sensitivity = sensitivityOf(state, { ...arg, text, glob: arg.glob && /^[/~]/.test(text) });
    return sensitivity === 'secret' || sensitivity === 'guard';
  });
}
