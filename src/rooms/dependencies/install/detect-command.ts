/** Programs that are not there, as shells and launchers of programs say it. */
import type { Need } from '../../../core/schema/dependency.ts';
import { type Failure, type Found, matchSigns, type Sign } from './command-failure.ts';

type Missing = Omit<Need, 'evidence'>;

/** A name that PATH is searched for; with a slash it is a file. */
const WORD = String.raw`[A-Za-z0-9_+][A-Za-z0-9_.+@-]{0,99}`;
const QUOTE = String.raw`['"‘’\x60]?`;
const NO_FILE = 'No such file or directory';

/** Exit 127 is how shells and launchers say it; a program that runs a shell reports its 127. */
function is127({ exit, text }: Failure): boolean {
  return exit === 127 || /\b(?:Error|[Cc]ode|[Ss]tatus|exited? with(?: code| status)?):? 127\b/.test(text);
}

function command(name: string | undefined): Missing | null {
  const bare = name?.trim() ?? '';
  return bare === '' || /^\d+$/.test(bare) || NOT_PROGRAMS.has(bare) ? null : { kind: 'command', name: bare };
}

/** Words in a place where a name could be. */
const NOT_PROGRAMS = new Set(['line', 'command', 'error', 'warning', 'fatal', 'exec', 'sh', 'bash', 'zsh', 'dash']);

const multiline = (source: string, flags = 'gm'): RegExp => new RegExp(source, flags);

const SIGNS: readonly Sign[] = [
  // zsh:1: command not found: x, and what programs say in the same words
  {
    pattern: multiline(String.raw`^\S*zsh(?::\d+)?: command not found: (${WORD})\s*$`),
    need: ([, name]) => command(name),
  },
  // bash: line 1: x: command not found, in whatever language: shell, line, name, words
  {
    pattern: multiline(
      String.raw`^\S*?\b(?:r?bash|sh|dash|ash|r?ksh\d*|E: l?mksh)(?:\[\d+\])?: (?:[^\s:]+ \d+: |\d+: )?(${WORD})\s?[:：] ?(?!${NO_FILE})\S.*$`,
    ),
    when: is127,
    need: ([, name]) => command(name),
  },
  // ./script.sh: line 3: x: command not found
  {
    pattern: multiline(
      String.raw`^[^\s:]+: (?:[^\s:]+ )?\d+: (${WORD})\s?[:：] ?(?!${NO_FILE}|Permission|Is a dir)\S.*$`,
    ),
    when: is127,
    need: ([, name]) => command(name),
  },
  { pattern: multiline(String.raw`^(${WORD}): command not found$`), when: is127, need: ([, name]) => command(name) },
  { pattern: multiline(String.raw`^(${WORD}): Command not found\.$`), need: ([, name]) => command(name) },
  { pattern: multiline(String.raw`^fish: Unknown command: (${WORD})$`), need: ([, name]) => command(name) },
  { pattern: multiline(String.raw`^sudo: (${WORD}): command not found$`), need: ([, name]) => command(name) },
  // env, xargs, timeout, nohup, nice, setsid, flock, make …: a launcher that found no file of that name in PATH
  {
    pattern: multiline(
      String.raw`^(?:/usr/bin/)?(?:env|xargs|nice|find|ionice|taskset|watch): ${QUOTE}(${WORD})${QUOTE}: ${NO_FILE}$`,
    ),
    need: ([, name]) => command(name),
  },
  {
    pattern: multiline(
      String.raw`: (?:failed to run command|failed to execute|cannot run) ${QUOTE}(${WORD})${QUOTE}: ${NO_FILE}$`,
    ),
    need: ([, name]) => command(name),
  },
  {
    pattern: multiline(String.raw`^g?make(?:\[\d+\])?: (${WORD}): ${NO_FILE}$`),
    when: is127,
    need: ([, name]) => command(name),
  },
  // the same in whatever language
  {
    pattern: multiline(
      String.raw`^(?:/usr/bin/)?(?:env|xargs|nice|ionice|nohup|setsid|timeout): (?:[^\n:]{0,60} )?['"‘«»„“\s]{1,3}(${WORD})['"’»«“”\s]{1,3}[^\n:]{0,60}: \S.*$`,
    ),
    when: ({ exit }) => exit === 127,
    need: ([, name]) => command(name),
  },
  // what programs in other languages say
  { pattern: multiline(String.raw`\bspawn(?:Sync)? (${WORD}) ENOENT\b`), need: ([, name]) => command(name) },
  {
    pattern: multiline(String.raw`exec: "(${WORD})": executable file not found in \$PATH`),
    need: ([, name]) => command(name),
  },
  { pattern: multiline(String.raw`Cannot run program "(${WORD})"[^\n]*: error=2`), need: ([, name]) => command(name) },
  { pattern: multiline(String.raw`^Can't exec "(${WORD})": ${NO_FILE}`), need: ([, name]) => command(name) },
  {
    pattern: multiline(String.raw`${NO_FILE} - (${WORD}) \(Errno::ENOENT\)$`),
    when: ({ text }) => /spawn|backtick|in [\x60']/.test(text),
    need: ([, name]) => command(name),
  },
  {
    pattern: multiline(String.raw`^error: command '(?:\w+-linux-gnu-)?(${WORD})' failed: ${NO_FILE}$`),
    need: ([, name]) => command(name),
  },
  {
    pattern: multiline(String.raw`^FileNotFoundError: \[Errno 2\] ${NO_FILE}: '(${WORD})'$`),
    when: ({ text }) => /in _execute_child$/m.test(text),
    need: ([, name]) => command(name),
  },
  {
    pattern: multiline(String.raw`^git: '(lfs|flow|annex|filter-repo|crypt|absorb|svn|cvs)' is not a git command`),
    need: ([, name]) => command(`git-${name}`),
  },
  {
    pattern: multiline(String.raw`npx canceled due to missing packages and no YES option: \["(@?[^"@]+)`),
    need: ([, name]) => command(name?.split('/').at(-1)),
  },
  {
    pattern: multiline(String.raw`^(?:configure: error|error): no acceptable C compiler found`),
    need: () => command('gcc'),
  },
  { pattern: multiline('^.*No CMAKE_(?:C|CXX)_COMPILER could be found'), need: () => command('g++') },
  {
    pattern: multiline(String.raw`^Error: (pg_config|mysql_config) (?:executable )?not found`),
    need: ([, name]) => command(name),
  },
  {
    pattern: multiline(
      String.raw`(?:Could not find Chrom(?:e|ium)\b|browserType\.launch: Executable doesn't exist|Failed to find a suitable Chrom)`,
    ),
    need: () => command('chromium'),
  },
  {
    pattern: multiline('^gyp ERR! find Python *$|^gyp ERR! find Python You need to install'),
    need: () => command('python3'),
  },
  // a script whose interpreter is not there
  {
    pattern: multiline(
      String.raw`: (?:/\S*/)?(${WORD}): bad interpreter: ${NO_FILE}$|bad interpreter: (?:/\S*/)?(${WORD}): ${NO_FILE}$`,
    ),
    need: ([, first, second], failure) => command(second ?? findInterpreter(first ?? '', failure) ?? first),
  },
  {
    pattern: multiline(
      String.raw`^\S*: (?:[^\s:]+ \d+: |\d+: )?(\S*/\S+): (?:cannot execute: required file not found|not found|bad interpreter)`,
    ),
    when: is127,
    need: ([, script], failure) => command(findInterpreter(script ?? '', failure)),
  },
  // npx without the network, and no such program installed
  {
    pattern: multiline(
      String.raw`^npm (?:error|ERR!) (?:code|errno) (?:E(?:AI_AGAIN|CONN\w+|NETUNREACH|PERM|ACCES|NOTFOUND)|ENOTFOUND)\b`,
    ),
    when: ({ command: given }) => npxPackage(given) !== null,
    need: (_, { command: given }) => command(npxPackage(given) ?? ''),
  },
];

export function missingCommand(failure: Failure): Found | null {
  return matchSigns(SIGNS, failure);
}

/** The interpreter after #! in a script, without its path. */
function findInterpreter(script: string, { firstLineOf }: Failure): string | undefined {
  const line = firstLineOf?.(script) ?? null;
  const [, path = '', first] = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(line ?? '') ?? [];
  if (path === '') return undefined;
  return path.endsWith('/env') ? first : path.split('/').at(-1);
}

/** The package that npx was asked for. */
function npxPackage(line: string): string | null {
  const [, name] = /(?:^|[;&|\s])npx (?:-\S+ )*(@?[a-z0-9][\w./-]*)/.exec(line) ?? [];
  return name?.split('/').at(-1) ?? null;
}
