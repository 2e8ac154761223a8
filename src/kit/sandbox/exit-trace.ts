/**
 * Owns: what fails inside a line of the shell whose own exit status does not say so: a pipe or a list hides it.
 * Does not own: what follows from it (rooms/task/roles/unfound-commands.ts).
 *
 * X1 The line runs as it was written: its numbers of lines, its status and its output are the same with and without.
 * X2 Only what is surely a failure is named: a program that was not found or cannot be executed, and a package manager
 *    that could not install. What the line provides for (`||`, `if`, `!`) is left out.
 */
import { closeSync, constants, fstatSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';

const MANAGERS = 'npm pnpm yarn bun pip pip3 pipx uv poetry conda apt apt-get dnf yum apk brew gem cargo'.split(' ');
const MANAGER = new RegExp(`(?<![\\w./-])(?:${MANAGERS.join('|')})(?![\\w./-])`, 'g');
/** A status can only be hidden by a second command; a line that shows its own commands would show those of the trace. */
const HIDES = /[|;&\n]/;
const SHOWS_COMMANDS = /\bset\s+-\w*x|xtrace/;
const PROVIDES = /\|\||(?:^|[;&|\s(])(?:if|while|until|!|command|type|which)\s/;
const NOT_RUN = /^12[67]$/;
const INSTALLS = /\s(?:install|i|ci|add|sync|update|upgrade|restore)(?:\s|$)/;
const MOST_NAMED = 5;
const LONGEST_NAME = 120;
const MOST_READ = 65_536;

/** Whether a line says what is to be done when something in it fails. */
export const providesForFailure = (line: string): boolean => PROVIDES.test(line);

/** What the shell has to be given so that it records hidden failures in `scratch`; empty where there is nothing to hide. */
export function traceExits(line: string, scratch: string): { BASH_ENV?: string } {
  if (!HIDES.test(line) || SHOWS_COMMANDS.test(line)) return {};
  const script = join(scratch, '.trace');
  writeFileSync(script, traceScript(line, join(scratch, '.exits')), { mode: 0o600 });
  return { BASH_ENV: script };
}

/** Each failure that the line has hidden, such as `exit 1: npm install -g cowsay`. */
export function hiddenFailures(line: string, scratch: string): string[] {
  const notes = readNotes(join(scratch, '.exits'));
  for (const name of ['.trace', '.exits']) rmSync(join(scratch, name), { recursive: true, force: true });
  const noted = notes.filter(
    ({ kind, status, text }) =>
      (kind === 'list' || !providesForFailure(line)) && (NOT_RUN.test(status) || INSTALLS.test(text)),
  );
  const found = new Map<string, string>();
  for (const { status, text } of noted.toSorted((a, b) => b.text.length - a.text.length)) {
    const program = text.replace(/^(?:\w+=\S*\s+)+/, '').split(/\s/)[0] ?? '';
    if (text !== '' && !found.has(program)) found.set(program, `exit ${status}: ${text.slice(0, LONGEST_NAME)}`);
  }
  const isNamed = noted.some(({ status, text }) => NOT_RUN.test(status) && text !== '');
  const unnamed = isNamed ? undefined : noted.find(({ text }) => text === '');
  return [
    ...[...found.values()].slice(0, MOST_NAMED),
    ...(unnamed === undefined ? [] : [`exit ${unnamed.status}: a command in a pipe`]),
  ];
}

/** `list` where the shell itself counts it as a failure that nothing provides for. */
type Note = { kind: 'list' | 'pipe'; status: string; text: string };

function readNotes(file: string): Note[] {
  const lines = readOwn(file).split('\n').slice(0, -1);
  return lines.flatMap((each) => {
    const [, kind, status = '', text = ''] = /^(list|pipe) (\d{1,3}) (.*)$/.exec(each) ?? [];
    return kind === undefined ? [] : [{ kind: kind as Note['kind'], status, text: text.trim() }];
  });
}

/** The beginning of a plain file. The command could write there: a pipe, a link or anything else in its place counts as nothing. */
function readOwn(file: string): string {
  let fd: number | null = null;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return '';
    const bytes = Buffer.alloc(MOST_READ);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, MOST_READ, 0));
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EACCES'].includes(errnoOf(error) ?? '')) return '';
    throw error;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Read by bash before the line (BASH_ENV), and by no shell that it starts. */
function traceScript(line: string, exits: string): string {
  const called = [...new Set(line.match(MANAGER) ?? [])];
  const file = `'${exits.replaceAll("'", "'\\''")}'`;
  return [
    'unset BASH_ENV',
    `__oka_note() { (( \${__oka_notes:=0} < 50 )) && printf '%s %s %s\\n' "$1" "$2" "\${3//$'\\n'/ }" >> ${file}; __oka_notes=$((__oka_notes + 1)); } 2> /dev/null`,
    `__oka_failed() { __oka_note pipe "$1" "\${*:2}"; return "$1"; }`,
    `command_not_found_handle() { __oka_note pipe 127 "$1"; printf '%s: line %s: %s: command not found\\n' "$0" "\${BASH_LINENO[0]}" "$1" >&2; return 127; }`,
    ...called.map((name) => `${name}() { command ${name} "$@" || __oka_failed $? ${name} "$@"; }`),
    'set -E',
    `trap 'case $?-$BASH_COMMAND in 12[67]-__oka_*|12[67]-return*) ;; 12[67]-*${called.map((name) => `|*-${name}\\ *`).join('')}) __oka_note list $? "$BASH_COMMAND";; esac' ERR`,
    ...(line.includes('|')
      ? [
          `trap 'case " \${PIPESTATUS[*]}" in *\\ 127*\\ *) __oka_note pipe 127 "";; *\\ 126*\\ *) __oka_note pipe 126 "";; esac' DEBUG EXIT`,
        ]
      : []),
    '',
  ].join('\n');
}
