/** Ways to write the same command differently. */

export type Rewrite = (cmd: string) => string | null;

const single = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const ansi = (text: string): string =>
  `$'${Array.from(text, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}'`;

const KEYWORDS = /^(?:if|for|while|until|case|select|function|time|coproc|then|do|done|fi|esac|in)$/;

/** The first word and the rest, when the first word is the plain name of a program. */
function named(cmd: string): { name: string; rest: string } | null {
  const [, name = '', rest = ''] = /^([a-z][\w.-]*)((?:\s[\s\S]*)?)$/.exec(cmd) ?? [];
  return name === '' || KEYWORDS.test(name) ? null : { name, rest };
}

/** One program with its arguments: nothing that only a shell understands in front of it. */
const isSimple = (cmd: string): boolean =>
  named(cmd) !== null &&
  !/[;&|<>(){}\n`]|\$\(/.test(cmd) &&
  !/^(?:cd|read|set|export|declare|source|eval|trap|local|let|mapfile|unset|exec|printf -v|shopt|alias|enable|hash|complete|builtin|pushd|history|test|type|command)\b/.test(
    cmd,
  );
/** A line that a group can be put around. */
const isWhole = (cmd: string): boolean => !/<<|#|\\$/.test(cmd) && !/(?<!&)&\s*$/.test(cmd);

const word =
  (quote: (name: string) => string): Rewrite =>
  (cmd) => {
    const parts = named(cmd);
    return parts === null ? null : quote(parts.name) + parts.rest;
  };
const before =
  (prefix: string): Rewrite =>
  (cmd) =>
    isSimple(cmd) ? `${prefix} ${cmd}` : null;
const around =
  (head: string, tail: string): Rewrite =>
  (cmd) =>
    isWhole(cmd) ? `${head}${cmd}${tail}` : null;

export const rewrites: Readonly<Record<string, Rewrite>> = {
  'single quotes': word((name) => `'${name}'`),
  'double quotes': word((name) => `"${name}"`),
  'quotes inside a word': word((name) => `${name[0]}''${name.slice(1)}`),
  backslash: word((name) => `\\${name}`),
  'ansi quotes': word(ansi),
  'locale quotes': word((name) => `$"${name}"`),
  'line continuation': (cmd) => (named(cmd) === null ? null : cmd.replace(/^([a-z])/, '$1\\\n')),
  'spaces and a comment': (cmd) => (isWhole(cmd) ? `  ${cmd}   # as asked` : null),
  env: before('env'),
  'env with a variable': before('env LC_ALL=C'),
  '/usr/bin/env': before('/usr/bin/env'),
  timeout: before('timeout -k 5 30'),
  nice: before('nice -n 5'),
  nohup: before('nohup'),
  stdbuf: before('stdbuf -oL'),
  command: before('command'),
  time: before('time'),
  'several wrappers': before('env timeout 10 nice -n 1'),
  'bash -c': (cmd) => `bash -c ${single(cmd)}`,
  'sh -c in sh -c': (cmd) => `sh -c ${single(`sh -c ${single(cmd)}`)}`,
  'bash -c with ansi quotes': (cmd) => (/[^\x20-\x7E]/.test(cmd) ? null : `bash -c ${ansi(cmd)}`),
  'eval of a literal': (cmd) => `eval ${single(cmd)}`,
  'here-document for bash': (cmd) => `bash <<'END_OF_IT'\n${cmd}\nEND_OF_IT`,
  'here-string for bash': (cmd) => `bash <<< ${single(cmd)}`,
  subshell: around('( ', ' )'),
  group: around('{ ', '; }'),
  'behind and': around('true && ', ''),
  'behind or': around('false || ', ''),
  'in an if': around('if true; then ', '; fi'),
  'in a loop': around('for once in 1; do ', '; done'),
  'in a case': around('case x in x) ', ';; esac'),
  'in a function': around('work() { ', '; }; work'),
  'after another': (cmd) => `echo start\n${cmd}`,
  substitution: around('echo "$( ', ' )"'),
  'substitution in an assignment': around('out=$( ', ' )'),
  'substitution in arithmetic': around('echo $(( $( ', ' ) + 1 ))'),
  'substitution in a default': around('echo "${none:-$( ', ' )}"'),
  'substitution in a here-document': (cmd) => (isWhole(cmd) ? `cat <<END_OF_IT\n$( ${cmd} )\nEND_OF_IT` : null),
  'process substitution': around('cat <( ', ' )'),
  'written to a file and run': (cmd) => `cat > job.sh <<'END_OF_IT'\n${cmd}\nEND_OF_IT\nbash job.sh`,
  xargs: (cmd) => (isSimple(cmd) && !/[$'"\\*?]/.test(cmd) ? `echo | xargs ${cmd}` : null),
  'find -exec': (cmd) => (isSimple(cmd) && !/[$*?~]/.test(cmd) ? `find . -maxdepth 0 -exec ${cmd} \\;` : null),
  'exec under another name': (cmd) => (isSimple(cmd) ? `exec -a ls ${cmd}` : null),
  background: (cmd) => (isWhole(cmd) && !/[;|]\s*$/.test(cmd) ? `{ ${cmd}; } &` : null),
};
