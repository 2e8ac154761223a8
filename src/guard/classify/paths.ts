/** Owns: what a path means: the desk, scratch, the system, somebody's home; a secret, the guard, configuration. */
import { posix } from 'node:path';
import { hasCredentials, hostOf, isMetadata } from './hosts.ts';
import { type Arg, HOLE, raise, type Scene, shown } from './scene.ts';

export type Place =
  | 'desk'
  | 'desk root'
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

export type Care = 'secret' | 'private' | 'accounts' | 'guard' | 'config' | null;

const HOME = '/~';
const SINKS = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/;
const ENDLESS = /^\/dev\/(?:zero|full|u?random)$/;
const SCRATCH = /^\/(?:tmp|var\/tmp)(?:\/|$)/;
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

const CONFIG: readonly RegExp[] = [
  /\/\.git(?:\/|$)/,
  /\/\.(?:husky|githooks|vscode|cursor|idea|claude|codex|gemini|windsurf|continue|zed|fleet|devcontainer)(?:\/|$)/,
  /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|inputrc|login|cshrc|tcshrc|xinitrc|xprofile|xsession)$/,
  /\/\.(?:vimrc|gvimrc|exrc|nvimrc|emacs|nanorc|tmux\.conf|screenrc|gitconfig|gitmodules|npmrc|yarnrc(?:\.yml)?|pnpmrc|curlrc|wgetrc|netrc|envrc|pythonrc|pdbrc|gdbinit|lldbinit|dir-locals\.el|pre-commit-config\.yaml|lesskey|hgrc|mailrc|direnvrc|pip\/pip\.conf)$/,
  /\/\.(?:emacs\.d|vim|cargo\/config(?:\.toml)?|oh-my-zsh)(?:\/|$)/,
  /\/(?:CLAUDE|AGENTS?|GEMINI|CODEX|COPILOT|SOUL|SKILL)(?:\.local)?\.md$/i,
  /\/\.(?:cursorrules|windsurfrules|clinerules|aider[^/]*|mcp\.json|roomodes|goosehints)$/,
  /\/\.github\/copilot-instructions\.md$/,
  /\/(?:sitecustomize|usercustomize)\.py$|\.pth$|\/\.pdbrc$/,
  /\/(?:crontab|cron\.d|cron\.(?:daily|hourly|weekly|monthly)|systemd|autostart|LaunchAgents|LaunchDaemons|init\.d|profile\.d|ld\.so\.preload|udev)(?:\/|$)/,
];

/** Some file of a process, nobody knows which: its environment is one of them. */
const NAMELESS_PROCESS = /^\/proc\/(?:.*\/)?[^/]*\uE000$/;

const GUARD = /\/\.oka(?:\/(?!tools(?:\/|$))|$)|\/(?:run_ledger|maintenance_ledger)\.jsonl$|\/POLICY\.md$/;

/** What a glob is tried against, because nobody sees what it will match. */
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

/** The whole path, with links that the line itself made followed. */
export function fullPath(scene: Scene, text: string): string | null {
  const tilde = /^~([^/]*)/.exec(text);
  if (tilde !== null) {
    const rest = text.slice(tilde[0].length);
    if (tilde[1] === '+') return scene.cwd === null ? null : posix.normalize(scene.cwd + rest);
    return posix.normalize((tilde[1] === '' || tilde[1] === '-' ? HOME : `/home/${tilde[1]}`) + rest);
  }
  if (!text.startsWith('/') && (text.startsWith(HOLE) || scene.cwd === null)) return null;
  const full = posix.normalize(text.startsWith('/') ? text : `${scene.cwd}/${text}`);
  for (const [link, target] of scene.links) {
    if (full === link || full.startsWith(`${link}/`)) return posix.normalize(target + full.slice(link.length));
  }
  return full;
}

export function placeOf(scene: Scene, text: string): Place {
  const full = fullPath(scene, text);
  if (full === null) return /(?:^|\/)\.\.\/(?:[^/]+\/)*\.\.(?:\/|$)/.test(text) ? 'outside' : 'unknown';
  const { desk, toolFolder } = scene.where;
  const trimmed = full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
  if (trimmed === desk) return 'desk root';
  if (trimmed.startsWith(`${desk}/`)) return /\/\.oka\/tools(?:\/|$)/.test(trimmed) ? 'tools' : 'desk';
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

/** Why more than the place matters; `for` says which kinds count. */
export function careOf(scene: Scene, arg: Arg, writing = false): Care {
  const full = fullPath(scene, arg.text) ?? `/${arg.text.replaceAll(HOLE, '').replace(/^\/+/, '')}`;
  const trimmed = full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
  if (NAMELESS_PROCESS.test(trimmed)) return 'secret';
  const own = careOfPath(trimmed, scene, writing);
  return own ?? (arg.glob || arg.open ? careOfMatches(trimmed, scene) : null);
}

function careOfPath(full: string, scene: Scene, writing = false): Care {
  const inside = full.startsWith(`${scene.where.desk}/`) ? full.slice(scene.where.desk.length) : null;
  const tools = full.startsWith(`${scene.where.toolFolder}/`) || full === scene.where.toolFolder;
  const tail = inside ?? full;
  if (!tools && GUARD.test(tail)) return 'guard';
  if (SECRET.some((shape) => shape.test(tail))) return 'secret';
  if (writing && CONFIG.some((shape) => shape.test(tail))) return 'config';
  if (PRIVATE.some((shape) => shape.test(tail))) return 'private';
  if (/^\/etc\/(?:passwd|group)-?$/.test(full)) return 'accounts';
  return CONFIG.some((shape) => shape.test(tail)) ? 'config' : null;
}

/** A glob, or a path with a hole behind a separator, counts as what it could name at worst. */
function careOfMatches(full: string, scene: Scene): Care {
  if (!/[*?[]|\/[^/]*\uE000/.test(full) || full.length > 300) return null;
  if ((full.match(/[*?[]/g) ?? []).length > 8) return full.startsWith(`${scene.where.desk}/`) ? null : 'secret';
  const shape = globShape(full);
  const here = scene.cwd ?? scene.where.desk;
  const hits = [...(full.startsWith(`${here}/`) ? TEMPTING_HERE.map((name) => `${here}/${name}`) : TEMPTING)];
  const cares = hits.filter((path) => shape.test(path)).map((path) => careOfPath(path, scene));
  return cares.find((care) => care === 'secret') ?? cares[0] ?? null;
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

const SAYS: Record<Exclude<Care, null>, string> = {
  secret: 'holds secrets',
  private: 'may hold secrets',
  accounts: 'lists the accounts of this machine',
  guard: 'belongs to the guard',
  config: 'is configuration that runs or steers other programs',
};

/** The program looks into the file. */
export function reads(scene: Scene, program: string, arg: Arg): void {
  if (arg.text === '-' || arg.text === '') return;
  note(scene, arg);
  if (/^https?:\/\//.test(arg.text)) return fetched(scene, program, arg);
  if (arg.hidden) raise(scene, 'deny', `nobody can see which file ${program} would read`);
  const care = careOf(scene, arg);
  const what = `${program} would read ${shown(arg.text)}, which`;
  if (care === 'secret' || care === 'guard') return raise(scene, 'deny', `${what} ${SAYS[care]}`);
  if (care === 'private' || care === 'accounts') return raise(scene, 'external_mutation', `${what} ${SAYS[care]}`);
  switch (placeOf(scene, arg.text)) {
    case 'device':
      return raise(scene, 'deny', `${what} is a device`);
    case 'home':
    case 'outside':
      return raise(scene, 'external_mutation', `${what} is neither on the desk nor a file of the system`);
    case 'endless':
      scene.flow.endless = arg.text;
      return;
    case 'system':
      if (arg.open && arg.text.startsWith('/etc/'))
        raise(scene, 'external_mutation', `${what} is only known when it runs`);
      return;
    case 'desk':
    case 'desk root':
    case 'scratch':
    case 'tools':
    case 'workspace':
    case 'sink':
    case 'unknown':
      return;
  }
}

/** Many programs take an address where they take a file. */
function fetched(scene: Scene, program: string, { text, open }: Arg): void {
  const host = hostOf(text);
  scene.tally.net = true;
  if (host !== null && !host.includes(HOLE)) scene.tally.hosts.add(host);
  if (open || hasCredentials(text))
    raise(scene, 'external_mutation', `${program} would send something from here along with ${shown(text)}`);
  if (isMetadata(host ?? '')) raise(scene, 'deny', 'there this machine would hand out its credentials');
}

/** The program asks for names, sizes and dates only. */
export function looks(scene: Scene, program: string, arg: Arg): void {
  note(scene, arg);
  const care = careOf(scene, { ...arg, glob: arg.glob && /^[/~]/.test(arg.text) });
  if (care === 'secret' || care === 'guard')
    raise(scene, 'deny', `${program} would look at ${shown(arg.text)}, which ${SAYS[care]}`);
}

/** The program makes, changes or removes the file. */
export function writes(scene: Scene, program: string, arg: Arg): void {
  if (arg.text === '-' || arg.text === '') return;
  note(scene, arg);
  const place = placeOf(scene, arg.text);
  if (place === 'sink') return;
  const what = `${program} would change ${shown(arg.text)}, which`;
  const care = careOf(scene, arg, true);
  if (care === 'secret' || care === 'guard' || care === 'config' || care === 'accounts')
    return raise(scene, 'deny', `${what} ${SAYS[care]}`);
  if (posix.basename(arg.text).startsWith('-') && program !== 'rm')
    return raise(scene, 'deny', `${what} looks like an option`);
  if (['desk', 'desk root', 'scratch', 'tools', 'unknown'].includes(place))
    return raise(scene, 'write_local', `${program} writes on the desk`);
  raise(scene, 'deny', `${what} is outside the desk`);
}

function note(scene: Scene, arg: Arg): void {
  if (!arg.text.startsWith(HOLE)) scene.tally.paths.add(shown(arg.text));
}

/** Whether a word that is no file of the program itself names a secret all the same. */
export function namesSecret(scene: Scene, arg: Arg): boolean {
  const pieces = arg.text.split(/[=@,:]/);
  return [arg.text, ...pieces].some((text) => {
    if (!/[/.~]|^id_/.test(text) || /\s/.test(text)) return false;
    const care = careOf(scene, { ...arg, text, glob: arg.glob && /^[/~]/.test(text) });
    return care === 'secret' || care === 'guard';
  });
}
