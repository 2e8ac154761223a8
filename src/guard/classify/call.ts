/**
 * Owns: judging one program with its arguments by its row.
 * 1. A name that is not literal, or an option that is not, is never run.
 * 2. A row that is read-only holds only for a program inside the system's own folders.
 * 3. What has no row is asked about.
 */
import { optionsIn, rulesFor } from './options.ts';
import { fullPath, looks, namesSecret, reads, writes } from './paths.ts';
import { runsFile } from './programs/local.ts';
import { programs } from './programs/table.ts';
import type { Row, Use } from './row.ts';
import { type Arg, HOLE, raise, type Scene, shown, spend, type Stdin } from './scene.ts';
import { hostOf } from './hosts.ts';

export function call(scene: Scene, args: readonly Arg[], stdin: Stdin): void {
  const [name, ...rest] = args;
  if (name === undefined || !spend(scene)) return;
  if (name.open || name.glob || name.hidden || name.text === '')
    return raise(scene, 'deny', `which program runs is only known when it runs: ${shown(name.text)}`);
  scene.tally.programs.add(shown(name.text));
  const own = scene.functions.filter((definition) => definition.name === name.text);
  if (own.length > 0) return callFunctions(scene, rest, () => own.forEach(({ run }) => run(scene, stdin)));
  const program = programOf(scene, name.text);
  const row = program === null ? undefined : rowOf(program);
  if (program === null || (row === undefined && name.text.includes('/'))) return runsOwn(scene, name.text, rest, stdin);
  if (row === undefined) return raise(scene, 'external_mutation', `${shown(program)} is not known`);
  if (row.builtin !== true && !isOfSystem(scene, name.text))
    raise(scene, 'write_local', `${shown(program)} is not one of the system's own programs`);
  judge(useOf(scene, program, row, rest, stdin), row);
}

/** A file of the project; the wrappers of build tools are also judged as what they wrap. */
function runsOwn(scene: Scene, path: string, rest: readonly Arg[], stdin: Stdin): void {
  runsFile(useOf(scene, path, { class: 'write_local' }, rest, stdin));
  const wrapper = /(?:^|\/)(gradlew|mvnw)$/.exec(path)?.[1];
  const row = wrapper === undefined ? undefined : rowOf(wrapper);
  if (wrapper !== undefined && row !== undefined) judge(useOf(scene, wrapper, row, rest, stdin), row);
}

function callFunctions(scene: Scene, args: readonly Arg[], body: () => void): void {
  const before = scene.positional;
  scene.positional = args;
  body();
  scene.positional = before;
}

/** The name to look up, or null for a file that is run by its path. */
function programOf(scene: Scene, name: string): string | null {
  if (!name.includes('/')) return name;
  const full = fullPath(scene, name);
  const folder = full === null ? null : full.slice(0, full.lastIndexOf('/'));
  return full !== null && folder !== null && scene.where.systemFolders.includes(folder)
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

function isOfSystem(scene: Scene, name: string): boolean {
  const found = scene.where.resolve(name);
  return found !== null && scene.where.systemFolders.some((folder) => found.startsWith(`${folder}/`));
}

function judge(use: Use, row: Row): void {
  const { scene, name, args } = use;
  if (
    args.length === 1 &&
    row.class !== 'deny' &&
    row.builtin !== true &&
    /^--(?:version|help)$/.test(args[0]?.text ?? '')
  )
    return raise(scene, 'read', `${name} only tells about itself`);
  if (row.class !== 'read' || scene.tally.reason === '') raise(scene, row.class, reasonOf(row, name));
  if (row.net === true) scene.tally.net = true;
  if (row.class !== 'read' && args.some(({ hidden }) => hidden))
    raise(scene, 'external_mutation', `nobody can see what ${name} is given`);
  if (row.operands !== 'text' && row.operands !== 'pattern' && args.some((arg) => namesSecret(scene, arg)))
    raise(scene, 'deny', `${name} is given the path of a secret`);
  for (const { name: option, value } of use.options)
    for (const rule of rulesFor(row, option)) apply(use, option, rule, value);
  operands(use, row);
  row.judge?.(use);
}

function reasonOf(row: Row, name: string): string {
  if (row.why !== undefined) return `${name} ${row.why}`;
  return row.class === 'read' ? `${name} only reads` : `${name} works on the desk`;
}

function apply(use: Use, option: string, rule: NonNullable<Row['rules']>[string], value: Arg | null): void {
  if (typeof rule === 'function') return rule(value, use);
  if (typeof rule === 'object') return use.raise(rule[0], `${use.name} ${option} ${rule[1]}`);
  if (rule === 'fine') return;
  if (value === null) return rule === 'writes' ? use.raise('write_local', `${use.name} ${option} writes`) : undefined;
  if (rule === 'reads') use.reads(value);
  else use.writes(value);
}

function operands({ operands, reads, looks, writes }: Use, { operands: kind = 'read' }: Row): void {
  switch (kind) {
    case 'text':
    case 'own':
      return;
    case 'read':
      return operands.forEach(reads);
    case 'look':
      return operands.forEach(looks);
    case 'write':
      return operands.forEach(writes);
    case 'copy':
      operands.slice(0, -1).forEach(reads);
      return operands.slice(-1).forEach(writes);
    case 'pattern':
      return operands.slice(1).forEach(reads);
  }
}

function useOf(scene: Scene, name: string, row: Row, args: readonly Arg[], stdin: Stdin): Use {
  const { options, operands, unclear } = optionsIn(args, row);
  if (unclear !== null && row.operands !== 'text')
    raise(scene, 'deny', `an option of ${name} is only known when it runs: ${shown(unclear.text)}`);
  return {
    name,
    args,
    options,
    operands,
    stdin,
    scene,
    has: (...names) =>
      options.some((option) =>
        names.some(
          (each) =>
            option.name === each || (each.startsWith('--') && option.name.length > 4 && each.startsWith(option.name)),
        ),
      ),
    raise: (to, why) => raise(scene, to, why),
    reads: (arg) => reads(scene, name, arg),
    looks: (arg) => looks(scene, name, arg),
    writes: (arg) => writes(scene, name, arg),
    runs: (inner, input = stdin) => scene.parts.call(scene, inner, input),
    script: (text) => runText(scene, name, text),
    knows: (program) => rowOf(program) !== undefined,
    contacts: (target) => contact(scene, target),
  };
}

/** A text for bash inside an argument: seen through when it is literal. */
function runText(scene: Scene, name: string, text: Arg): void {
  if (text.open || text.hidden || text.text.includes(HOLE))
    return raise(scene, 'deny', `what ${name} runs is only known when it runs`);
  scene.parts.script(scene, text.text);
}

function contact(scene: Scene, target: Arg): void {
  scene.tally.net = true;
  const host = hostOf(target.text);
  if (host !== null && !host.includes(HOLE)) scene.tally.hosts.add(host);
}
