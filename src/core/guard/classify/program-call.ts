/**
 * Owns: judging one call of a program by the program's row in the table.
 * 1. A call whose program name or options are not literal is denied.
 * 2. A read-only row applies only to a program in one of the system's folders.
 * 3. A program without a row needs an approval.
 */
import { parseOptions, rulesFor } from './parse-options.ts';
import { fullPath, judgeStat, namesSecret, judgeRead, judgeWrite } from './paths.ts';
import { judgeRunFile } from './programs/desk-code.ts';
import { programs } from './programs/program-table.ts';
import type { Row, Use } from './program-row.ts';
import { type Arg, HOLE, raise, type ShellState, toDisplay, spend, type Stdin } from './shell-state.ts';
import { hostAndPortOf } from './hosts.ts';

export function judgeCall(state: ShellState, args: readonly Arg[], stdin: Stdin): void {
  const [name, ...rest] = args;
  if (name === undefined || !spend(state)) return;
  if (name.open || name.glob || name.hidden || name.text === '')
    return raise(state, 'deny', `it is not known beforehand which program runs: ${toDisplay(name.text)}`);
  state.tally.programs.add(toDisplay(name.text));
  const own = state.functions.filter((definition) => definition.name === name.text);
  if (own.length > 0) return callFunctions(state, rest, () => own.forEach(({ run }) => run(state, stdin)));
  const program = programOf(state, name.text);
  const row = program === null ? undefined : rowOf(program);
  if (program === null || (row === undefined && name.text.includes('/')))
    return judgeProjectFile(state, name.text, rest, stdin);
  if (row === undefined) return raise(state, 'external_mutation', `${toDisplay(program)} is not known`);
  if (row.builtin !== true && !isOfSystem(state, name.text))
    raise(state, 'write_local', `${toDisplay(program)} is not one of the system's own programs`);
  judgeByRow(useOf(state, program, row, rest, stdin), row);
}

/** Judges a file of the project; wrappers of build tools (gradlew, mvnw) are also judged as the tool they wrap. */
function judgeProjectFile(state: ShellState, path: string, rest: readonly Arg[], stdin: Stdin): void {
  judgeRunFile(useOf(state, path, { class: 'write_local' }, rest, stdin));
  const wrapper = /(?:^|\/)(gradlew|mvnw)$/.exec(path)?.[1];
  const row = wrapper === undefined ? undefined : rowOf(wrapper);
  if (wrapper !== undefined && row !== undefined) judgeByRow(useOf(state, wrapper, row, rest, stdin), row);
}

function callFunctions(state: ShellState, args: readonly Arg[], body: () => void): void {
  const before = state.positional;
  state.positional = args;
  body();
  state.positional = before;
}

/** The name to find in the table, or null for a file that is run by its path. */
function programOf(state: ShellState, name: string): string | null {
  if (!name.includes('/')) return name;
  const full = fullPath(state, name);
  const folder = full === null ? null : full.slice(0, full.lastIndexOf('/'));
  return full !== null && folder !== null && state.where.systemFolders.includes(folder)
    ? full.slice(folder.length + 1)
    : null;
}

function rowOf(name: string): Row | undefined {
  const plain = /^(python|pip|node|ruby|perl|php|lua|gcc|g\+\+|clang|clang\+\+|java|javac|pypy)-?[\d.]+$/.exec(
    name,
  )?.[1];
  const key = plain ?? (name.startsWith('mkfs.') ? 'mkfs' : name);
  return Object.hasOwn(programs, key) ? programs[key] : undefined;
}

function isOfSystem(state: ShellState, name: string): boolean {
  const found = state.where.resolve(name);
  return found !== null && state.where.systemFolders.some((folder) => found.startsWith(`${folder}/`));
}

function judgeByRow(use: Use, row: Row): void {
  const { state, name, args } = use;
  if (
    args.length === 1 &&
    row.class !== 'deny' &&
    row.builtin !== true &&
    /^--(?:version|help)$/.test(args[0]?.text ?? '')
  )
    return raise(state, 'read', `${name} only prints its version or help`);
  if (row.class !== 'read' || state.tally.reason === '') raise(state, row.class, reasonOf(row, name));
  if (row.net === true) state.tally.net = true;
  if (row.class !== 'read' && args.some(({ hidden }) => hidden))
    raise(state, 'external_mutation', `the arguments of ${name} are hidden`);
  if (row.operands !== 'text' && row.operands !== 'pattern' && args.some((arg) => namesSecret(state, arg)))
    raise(state, 'deny', `${name} is given the path of a secret`);
  for (const { name: option, value } of use.options)
    for (const rule of rulesFor(row, option)) applyRule(use, option, rule, value);
  judgeOperands(use, row);
  row.judge?.(use);
}

function reasonOf(row: Row, name: string): string {
  if (row.why !== undefined) return `${name} ${row.why}`;
  return row.class === 'read' ? `${name} only reads` : `${name} works on the desk`;
}

function applyRule(use: Use, option: string, rule: NonNullable<Row['rules']>[string], value: Arg | null): void {
  if (typeof rule === 'function') return rule(value, use);
  if (typeof rule === 'object') return use.raise(rule[0], `${use.name} ${option} ${rule[1]}`);
  if (rule === 'fine') return;
  if (value === null) return rule === 'writes' ? use.raise('write_local', `${use.name} ${option} writes`) : undefined;
  if (rule === 'reads') use.reads(value);
  else use.writes(value);
}

function judgeOperands({ operands, reads, stats, writes }: Use, { operands: kind = 'read' }: Row): void {
  switch (kind) {
    case 'text':
    case 'own':
      return;
    case 'read':
      return operands.forEach(reads);
    case 'stat':
      return operands.forEach(stats);
    case 'write':
      return operands.forEach(writes);
    case 'copy':
      operands.slice(0, -1).forEach(reads);
      return operands.slice(-1).forEach(writes);
    case 'pattern':
      return operands.slice(1).forEach(reads);
  }
}

function useOf(state: ShellState, name: string, row: Row, args: readonly Arg[], stdin: Stdin): Use {
  const { options, operands, unclear } = parseOptions(args, row);
  if (unclear !== null && row.operands !== 'text')
    raise(state, 'deny', `an option of ${name} is not known before it runs: ${toDisplay(unclear.text)}`);
  return {
    name,
    args,
    options,
    operands,
    stdin,
    state,
    has: (...names) =>
      options.some((option) =>
        names.some(
          (each) =>
            option.name === each || (each.startsWith('--') && option.name.length > 4 && each.startsWith(option.name)),
        ),
      ),
    raise: (to, why) => raise(state, to, why),
    reads: (arg) => judgeRead(state, name, arg),
    stats: (arg) => judgeStat(state, name, arg),
    writes: (arg) => judgeWrite(state, name, arg),
    runs: (inner, input = stdin) => state.parts.call(state, inner, input),
    script: (text) => judgeShellText(state, name, text),
    knows: (program) => rowOf(program) !== undefined,
    contacts: (target) => recordHost(state, target),
  };
}

/** Judges an argument that is itself a shell script; it has to be literal. */
function judgeShellText(state: ShellState, name: string, text: Arg): void {
  if (text.open || text.hidden || text.text.includes(HOLE))
    return raise(state, 'deny', `what ${name} runs is not known beforehand`);
  state.parts.script(state, text.text);
}

function recordHost(state: ShellState, target: Arg): void {
  state.tally.net = true;
  const host = hostAndPortOf(target.text);
  if (host !== null && !host.includes(HOLE)) state.tally.hosts.add(host);
}
