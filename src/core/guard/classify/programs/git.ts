/** git, by what its subcommands do. It runs with a configuration that oka sets. */
import type { SideEffectClass } from '../../../schema/effect.ts';
import { fullPath, placeOf } from '../paths.ts';
import { read, type Table, type Use } from '../program-row.ts';
import { type Arg, joinArgs, literal, toDisplay } from '../shell-state.ts';
import { has, isOwnRepository, judgeSending, judgeSubcommand, plain } from './git-exchange.ts';

const READS = words(
  `status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file grep
    whatchanged diff-tree diff-index diff-files name-rev merge-base cherry range-diff count-objects show-ref
    show-branch for-each-ref check-ignore check-attr check-ref-format help version verify-commit verify-tag fsck
    merge-tree patch-id column stripspace get-tar-commit-id mailinfo var`,
);
const WRITES = words(
  `add commit checkout switch restore reset clean merge rebase cherry-pick revert rm mv init gc prune repack
    pack-refs notes update-index apply am sparse-checkout write-tree commit-tree read-tree hash-object
    update-ref symbolic-ref format-patch replace rerere maintenance checkout-index merge-file mktree mktag
    unpack-objects pack-objects index-pack fast-import fast-export`,
);
const SENDS = words(
  `push fetch pull clone ls-remote send-email request-pull svn p4 cvsserver imap-send archimport fetch-pack
    send-pack remote-http remote-https upload-archive`,
);
const NEVER = words(
  `credential credential-store credential-cache daemon difftool mergetool filter-branch instaweb http-backend
    shell upload-pack receive-pack web--browse gui citool hook config--edit`,
);
const LISTS: Readonly<Record<string, (use: Use, rest: readonly Arg[]) => SideEffectClass>> = {
  branch: (_, rest) =>
    has(rest, /^-(?:[dDmMcCfu]|-(?:delete|move|copy|set-upstream.*|unset-upstream|edit-description|force))/) ||
    (plain(rest).length > 0 &&
      !has(rest, /^-(?:l|-list|-contains|-merged|-no-merged|-points-at|-no-contains)|^-[avr]+$/))
      ? 'write_local'
      : 'read',
  tag: (_, rest) =>
    has(rest, /^-[adsufm]/) ||
    (plain(rest).length > 0 && !has(rest, /^-(?:l|n\d*|-list|-contains|-merged|-points-at|-sort.*)/))
      ? 'write_local'
      : 'read',
  stash: (_, [sub]) => (['list', 'show'].includes(sub?.text ?? '') ? 'read' : 'write_local'),
  worktree: (use, [sub, ...rest]) =>
    sub?.text === 'list' ? 'read' : (plain(rest).slice(0, 1).forEach(use.writes), 'write_local'),
  reflog: (use, [sub]) => (['expire', 'delete'].includes(sub?.text ?? '') ? judgeForgetting(use) : 'read'),
  remote: (use, [sub, ...rest]) => {
    if (sub === undefined || /^(?:-v|--verbose|get-url)$/.test(sub.text)) return 'read';
    const [, url] = plain(rest);
    return /^(?:add|set-url)$/.test(sub.text) && rest.length === 2 && url !== undefined && isOwnRepository(use, url)
      ? 'write_local'
      : 'external_mutation';
  },
  submodule: (use, rest) => judgeSubmodule(use, rest),
  bisect: (use, rest) => judgeBisect(use, rest),
  bundle: (use, [sub, file]) => (sub?.text === 'create' ? (file && use.writes(file), 'write_local') : 'read'),
  archive: (use, rest) => judgeArchive(use, rest),
  config: (use, rest) => judgeConfig(use, rest),
  lfs: (_, [sub]) =>
    /^(?:ls-files|status|env|version)$/.test(sub?.text ?? '')
      ? 'read'
      : /^(?:track|untrack)$/.test(sub?.text ?? '')
        ? 'write_local'
        : 'external_mutation',
};

/** Options of any subcommand that run something. */
const RUNS =
  /^(?:--ext-diff|--textconv|--filters|--open-files-in-pager|--upload-pack|--receive-pack|--exec(?:-path)?=|--extcmd|--tool|--smtp-server|--to-cmd|--cc-cmd|--template|--config-env|--trailer-command|--gpg-sign=|--separate-git-dir|--run=|--exec$)/;
/** Keys that -c may set, since they only change colours and names. */
const HARMLESS =
  /^(?:core\.pager=(?:cat|less|)$|core\.quotepath=|color\.|advice\.|user\.(?:name|email)=|commit\.gpgsign=false|tag\.gpgsign=false|log\.(?:date|showsignature|decorate)|diff\.(?:renames|renamelimit|algorithm|colormoved|context|noprefix|mnemonicprefix|wserrorhighlight)|init\.defaultbranch=|gc\.auto|pager\.\w+=(?:false|cat)|core\.autocrlf=|core\.hookspath=\/dev\/null|core\.fsmonitor=false|safe\.directory=|grep\.(?:linenumber|column)|rebase\.autostash|merge\.conflictstyle|pull\.rebase)/i;

export const git: Table = { git: read('own', { judge: judgeGit }) };

function judgeGit(use: Use): void {
  const { sub, rest } = subcommand(use);
  if (sub === null) return;
  const name = sub.text;
  if (name === 'help' && has(rest, /^-(?:w|-web)$/)) use.raise('external_mutation', 'git help -w opens a page');
  const asked = rest.some(({ text }) => text === '--help' || text === '-h');
  for (const { text } of rest)
    if (RUNS.test(text) || (name === 'grep' && text.startsWith('-O')) || text.startsWith('ext::'))
      use.raise('deny', `git ${name} ${toDisplay(text)} runs a program`);
  for (const { text } of rest)
    if (/^-.*\uE000/.test(text) && !/^-{1,2}[\w-]+=|^-[mnSGLU]/.test(text))
      use.raise('deny', 'an option of git is not known before it runs');
  judgePaths(use, name, rest);
  const list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
  if (asked) return;
  if (list !== undefined) return judgeSubcommand(use, name, list(use, rest));
  if (READS.has(name)) return judgeSubcommand(use, name, 'read');
  if (NEVER.has(name)) return use.raise('deny', `git ${name} runs other programs or hands out secrets`);
  if (WRITES.has(name)) return judgeWriting(use, name, rest);
  if (SENDS.has(name)) return judgeSending(use, name, rest);
  use.raise('external_mutation', `git ${toDisplay(name)} is not known`);
}

/** Judges the global options, and gives the words from the subcommand on. */
function subcommand(use: Use): { sub: Arg | null; rest: readonly Arg[] } {
  const { args, raise, state } = use;
  for (let at = 0; at < args.length; at += 1) {
    const { text, open } = args[at] as Arg;
    const value = args[at + 1];
    if (text === '-c') {
      if (value === undefined || value.open || !HARMLESS.test(value.text))
        raise('deny', 'git -c can make git run a program');
      at += 1;
    } else if (/^-c./.test(text)) {
      if (open || !HARMLESS.test(text.slice(2))) raise('deny', 'git -c can make git run a program');
    } else if (text === '-C') {
      if (value) judgeOtherRepository(use, value);
      state.cwd = fullPath(state, value?.text ?? '');
      at += 1;
    } else if (/^--(?:git-dir|work-tree|namespace|super-prefix)(?:=|$)|^--bare$/.test(text)) {
      if (/^--(?:git-dir|bare)/.test(text))
        raise(
          'external_mutation',
          'git would obey the settings of a directory that it is given; with -C it finds its own',
        );
      if (text.includes('=')) use.writes(literal(text.slice(text.indexOf('=') + 1)));
      else if (text !== '--bare') {
        if (value) use.writes(value);
        at += 1;
      }
    } else if (/^--(?:exec-path=|config-env|attr-source)/.test(text))
      raise('deny', `git ${text} can make git run a program`);
    else if (/^(?:--version|--help|--html-path|--man-path|--info-path|--exec-path)$/.test(text))
      return { sub: null, rest: [] };
    else if (!text.startsWith('-')) {
      if (open) raise('deny', 'what git does is not known before it runs');
      return { sub: args[at] as Arg, rest: args.slice(at + 1) };
    }
  }
  return { sub: null, rest: [] };
}

/** Judges working in another folder: git would follow the configuration it finds there. */
function judgeOtherRepository(use: Use, folder: Arg): void {
  use.stats(folder);
  if (['system', 'home', 'outside', 'workspace', 'device'].includes(placeOf(use.state, folder.text)))
    use.raise('external_mutation', `git would work in ${toDisplay(folder.text)}, which is outside the desk`);
}

/** Judges commands that delete the reflog or unreachable objects, after which lost work cannot be recovered. */
function judgeForgetting(use: Use): SideEffectClass {
  use.raise('external_mutation', 'git would delete what is needed to recover lost work');
  return 'write_local';
}

function judgePaths(use: Use, name: string, rest: readonly Arg[]): void {
  rest.forEach((arg, at) => {
    const [, option, value] =
      /^(--output|--output-directory|--contents|--file|--pathspec-from-file|--ignore-revs-file|--orderfile)=(.*)$/s.exec(
        arg.text,
      ) ?? [];
    const given = value === undefined ? undefined : { ...arg, text: value };
    if (given) (option === '--output' || option === '--output-directory' ? use.writes : use.reads)(given);
    const next = rest[at + 1];
    const saves =
      /^(?:--output|--output-directory)$/.test(arg.text) ||
      (arg.text === '-o' && /^(?:archive|format-patch)$/.test(name));
    if (saves && next) use.writes(next);
    if (arg.text === '-F' && next) use.reads(next);
  });
  if (has(rest, /^--no-index$/)) plain(rest).forEach(use.reads);
}

function judgeWriting(use: Use, name: string, rest: readonly Arg[]): void {
  judgeSubcommand(use, name, name === 'format-patch' && has(rest, /^--stdout$/) ? 'read' : 'write_local');
  if (name === 'rebase') {
    rest.forEach((arg, at) => {
      const text = arg.text.startsWith('--exec=')
        ? arg.text.slice(7)
        : /^-x.|^--exec=/.test(arg.text)
          ? arg.text.slice(2)
          : null;
      const command = text === null ? (/^(?:-x|--exec)$/.test(arg.text) ? rest[at + 1] : undefined) : { ...arg, text };
      if (command) use.script(command);
    });
  }
  if (/^(?:init|rm|mv|add|restore|apply|hash-object|clean)$/.test(name))
    for (const arg of plain(rest)) (/^(?:init|rm|mv|clean)$/.test(name) ? use.writes : use.stats)(arg);
  if (name === 'maintenance' && has(rest, /^(?:start|register|stop|unregister)$/))
    use.raise('deny', 'git maintenance would run in the background later');
  if (/^(?:gc|prune|repack)$/.test(name) && has(rest, /^--(?:prune=(?:now|all)|expire)/)) judgeForgetting(use);
  if (/^(?:add|commit)$/.test(name))
    plain(rest)
      .filter(({ text }) => /^[/~]/.test(text))
      .forEach(use.reads);
  if (name === 'apply' && has(rest, /^--unsafe-paths$/)) use.raise('deny', 'git apply would leave the desk');
}

const LOOKS = /^(?:-l|--list|--get(?:-all|-regexp|-urlmatch)?|--show-origin|--show-scope|--name-only|get|list)$/;
const PLAIN_KEYS =
  /^(?:user\.(?:name|email)|init\.defaultbranch|color\.\w+|core\.(?:autocrlf|filemode|ignorecase|quotepath|eol)|pull\.(?:rebase|ff)|push\.default|merge\.conflictstyle|rerere\.enabled|advice\.\w+|commit\.gpgsign)$/i;

function judgeConfig(use: Use, rest: readonly Arg[]): SideEffectClass {
  const words = plain(rest);
  if (words.some(({ text }) => /extraheader|token|passw|credential|cookie|secret|askpass/i.test(text)))
    use.raise('deny', 'git stores a secret there');
  if (has(rest, /^--(?:global|system)$/)) use.raise('external_mutation', 'it is the personal configuration of a user');
  if (
    has(rest, LOOKS) ||
    (words.length === 1 && !has(rest, /^--(?:unset|edit|remove|rename|add|replace)|^-e$/)) ||
    /^(?:get|list)$/.test(words[0]?.text ?? '')
  )
    return 'read';
  if (has(rest, /^--(?:global|system|file|blob|edit)|^-[ef]$/)) {
    use.raise('deny', 'it would change how git works for everything');
    return 'deny';
  }
  if (PLAIN_KEYS.test(words[0]?.text ?? '')) return 'write_local';
  use.raise('deny', 'it would change how git works, which can run programs');
  return 'deny';
}

function judgeSubmodule(use: Use, rest: readonly Arg[]): SideEffectClass {
  const [sub, ...words] = plain(rest);
  if (sub === undefined || sub.text === 'status' || sub.text === 'summary') return 'read';
  if (sub.text !== 'foreach') return 'external_mutation';
  use.script(joinArgs(words));
  return 'write_local';
}

function judgeBisect(use: Use, [sub, ...rest]: readonly Arg[]): SideEffectClass {
  if (sub?.text === 'run') use.runs(rest);
  return sub?.text === 'log' || sub?.text === 'view' ? 'read' : 'write_local';
}

function judgeArchive(use: Use, rest: readonly Arg[]): SideEffectClass {
  if (has(rest, /^--exec/)) use.raise('deny', 'git archive --exec runs a program');
  return has(rest, /^--remote/) ? 'external_mutation' : 'read';
}

function words(text: string): Set<string> {
  return new Set(text.split(/\s+/));
}
