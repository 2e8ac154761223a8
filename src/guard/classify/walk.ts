/**
 * Owns: going through a line the way bash would, in every branch, and judging each program it would start.
 * Does not own: what a program does (programs/), what happens inside a word (inspect.ts).
 * 1. Every command of the tree is reached, also in substitutions, here-documents, subscripts and functions.
 * 2. What a branch may or may not have changed counts at its worst.
 */
import {
  type AndOr,
  type CompoundCommand,
  type CompoundList,
  type Coproc,
  parse,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  type Statement,
  type While,
} from 'unbash';
import { walkCommand } from './command.ts';
import { checkTest, ends, isConstant } from './conditions.ts';
import { checkVariable } from './environment.ts';
import { checkArithmetic, inspect } from './inspect.ts';
import { redirect } from './redirect.ts';
import { placeOf } from './paths.ts';
import {
  type Arg,
  branchOf,
  type Definition,
  HOLE,
  literal,
  nothing,
  type Output,
  raise,
  type Scene,
  spend,
  type Stdin,
  unknown,
} from './scene.ts';
import { argsOf } from './words.ts';

export function walkText(scene: Scene, text: string, stdin: Stdin = nothing): void {
  if (text.length > 20_000) return raise(scene, 'deny', 'it is longer than anybody could check');
  if (!spend(scene, 5)) return;
  const { source } = scene;
  scene.source = text;
  walkScript(scene, parse(text), stdin);
  scene.source = source;
}

export function walkScript(scene: Scene, script: ParsedScript, stdin: Stdin): Output {
  if (script.source !== undefined) scene.source = script.source;
  const [error] = script.errors ?? [];
  if (error !== undefined) raise(scene, 'deny', `it does not parse: ${error.message}`);
  return walkList(scene, script.commands, stdin);
}

function walkList(scene: Scene, statements: readonly Statement[], stdin: Stdin): Output {
  let output: Output = null;
  for (const statement of statements) {
    const flow = { endless: null, bounded: false };
    output = walk({ scene: Object.assign(scene, { flow }), node: statement.command, stdin });
    if (flow.endless !== null && !flow.bounded)
      raise(scene, 'deny', `${String(flow.endless)} never ends and nothing here ends it`);
  }
  return statements.length === 1 ? output : null;
}

type Runnable = PipelineNode | AndOr | CompoundList;

type Compound = Exclude<CompoundCommand, { type: 'Subshell' | 'BraceGroup' }> | Coproc;

type Step<Node = Runnable> = { scene: Scene; node: Node; stdin: Stdin };

function walk({ scene, node, stdin }: Step): Output {
  if (!spend(scene)) return null;
  switch (node.type) {
    case 'Command':
      return walkCommand(scene, node, stdin);
    case 'Pipeline':
      return walkPipeline(scene, node, stdin);
    case 'AndOr':
      return maybe(scene, node.commands, stdin);
    case 'Redirected': {
      const { input, done } = redirect(scene, node.redirects, inspect(scene, ...node.redirects), stdin);
      walk({ scene, node: node.command, stdin: input });
      done(null);
      return null;
    }
    case 'Subshell':
      walkList(branchOf(scene), node.body.commands, stdin);
      return null;
    case 'BraceGroup':
    case 'CompoundList':
      return walkList(scene, node.type === 'BraceGroup' ? node.body.commands : node.commands, stdin);
    case 'Function':
      defineFunction(scene, node.name.value, node.body);
      return null;
    case 'If':
    case 'While':
    case 'For':
    case 'Select':
    case 'ArithmeticFor':
    case 'Case':
    case 'Coproc':
    case 'TestCommand':
    case 'ArithmeticCommand':
      walkCompound({ scene, node, stdin });
      return null;
  }
}

function walkCompound({ scene, node, stdin }: Step<Compound>): void {
  switch (node.type) {
    case 'If':
      walkList(scene, node.clause.commands, stdin);
      return either(
        scene,
        [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then]), ...(node.else ? [node.else] : [])],
        stdin,
      );
    case 'While':
      return walkLoop(scene, node, stdin);
    case 'For':
    case 'Select':
      return walkFor(
        scene,
        node.name.value,
        node.wordlist?.flatMap((word) => argsOf(scene, word, inspect(scene, word))) ?? scene.positional ?? [unknown],
        node.body,
        stdin,
      );
    case 'ArithmeticFor':
      for (const each of [node.initialize, node.test, node.update]) if (each) inspect(scene, each);
      scene.tally.calculates = true;
      if (node.test === undefined && !ends(node.body)) raise(scene, 'deny', 'a loop in it never ends');
      return walkTwice(scene, node.body, stdin);
    case 'Case':
      inspect(scene, node.word, ...node.items.flatMap(({ pattern }) => pattern));
      return either(
        scene,
        node.items.map(({ body }) => body),
        stdin,
      );
    case 'Coproc':
      walk({ scene: branchOf(scene), node: node.body, stdin: { from: 'pipe', fetched: false } });
      return;
    case 'TestCommand':
      inspect(scene, node);
      return checkTest(scene, node.expression);
    case 'ArithmeticCommand':
      inspect(scene, node);
      return checkArithmetic(scene, node.body, node.expression !== undefined || node.body.trim() === '');
  }
}

/** Output of one is input of the next; each has a shell of its own. */
function walkPipeline(scene: Scene, { commands }: Pipeline, stdin: Stdin): Output {
  if (commands.length === 1 && commands[0]) return walk({ scene, node: commands[0], stdin });
  const { tally } = scene;
  const before = { net: tally.net, decodes: tally.decodes };
  Object.assign(tally, { net: false, decodes: false });
  let input = stdin;
  let output: Output = null;
  for (const [index, node] of commands.entries()) {
    output = walk({ scene: branchOf(scene), node, stdin: input });
    if (index === 0 && output !== null && 'text' in output && output.text.trim() !== '' && !output.text.includes(HOLE))
      tally.decodes = true;
    input = inputFrom(output, tally.net || tally.decodes);
  }
  Object.assign(tally, { net: tally.net || before.net, decodes: tally.decodes || before.decodes });
  return output;
}

/** A file that was only passed on counts as a pipe: who runs it should name it. */
function inputFrom(output: Output, fetched: boolean): Stdin {
  return output !== null && 'text' in output ? { from: 'text', text: output.text } : { from: 'pipe', fetched };
}

/** The first runs; whether the others do, nobody knows. */
function maybe(scene: Scene, [first, ...rest]: readonly Runnable[], stdin: Stdin): Output {
  if (first) walk({ scene, node: first, stdin });
  const branch = branchOf(scene);
  for (const node of rest) walk({ scene: branch, node, stdin });
  settle(scene, [branch]);
  return null;
}

function either(scene: Scene, bodies: readonly { commands: readonly Statement[] }[], stdin: Stdin): void {
  const branches = bodies.map((body) => {
    const branch = branchOf(scene);
    walkList(branch, body.commands, stdin);
    return branch;
  });
  settle(scene, branches);
}

function walkFor(
  scene: Scene,
  name: string,
  words: readonly Arg[],
  body: { commands: readonly Statement[] },
  stdin: Stdin,
): void {
  checkVariable(scene, name, unknown);
  for (const word of words.length === 0 ? [unknown] : words) {
    if (!spend(scene)) return;
    scene.vars.set(name, [word]);
    walkList(scene, body.commands, stdin);
  }
}

function walkLoop(scene: Scene, { kind, clause, body }: While, stdin: Stdin): void {
  const forever = clause.commands.length === 1 && isConstant(scene.source.slice(clause.pos, clause.end).trim(), kind);
  if (
    forever &&
    !ends(
      body,
      body.commands.some(({ background }) => background),
    )
  )
    raise(scene, 'deny', 'a loop in it never ends');
  walkList(scene, clause.commands, stdin);
  walkTwice(scene, body, stdin);
}

/** The second round sees what the first one left. */
function walkTwice(scene: Scene, body: { commands: readonly Statement[] }, stdin: Stdin): void {
  const branch = branchOf(scene);
  walkList(branch, body.commands, stdin);
  walkList(branch, body.commands, stdin);
  settle(scene, [branch]);
}

/** Of what the branches may have left, the worst. */
function settle(scene: Scene, branches: readonly Scene[]): void {
  for (const branch of branches) {
    if (branch.positional !== null && branch.positional !== scene.positional)
      scene.positional = worse(scene, scene.positional ?? undefined, branch.positional);
    for (const [name, value] of branch.vars) scene.vars.set(name, worse(scene, scene.vars.get(name), value));
    if (
      scene.cwd !== branch.cwd &&
      (scene.cwd === null || branch.cwd === null || risk(scene, literal(branch.cwd)) >= risk(scene, literal(scene.cwd)))
    )
      scene.cwd = branch.cwd;
  }
}

function worse(scene: Scene, one: readonly Arg[] | undefined, other: readonly Arg[]): readonly Arg[] {
  if (one === undefined || one === other) return other;
  const riskOf = (args: readonly Arg[]): number => Math.max(0, ...args.map((arg) => risk(scene, arg)));
  return riskOf(one) > riskOf(other) ? one : other;
}

function risk(scene: Scene, { text, hidden }: Arg): number {
  if (hidden) return 4;
  if (['outside', 'home', 'device', 'system'].includes(placeOf(scene, text))) return 3;
  if (text.startsWith('-') || /\s|\[/.test(text)) return 2;
  return text.includes(HOLE) ? 1 : 0;
}

function defineFunction(scene: Scene, name: string, body: Runnable): void {
  const { source } = scene;
  let running = false;
  const definition: Definition = { name, called: false, run };
  function run(at: Scene, stdin: Stdin): void {
    definition.called = true;
    if (running) return raise(at, 'deny', `${name} calls itself`);
    running = true;
    const before = at.source;
    at.source = source;
    walk({ scene: at, node: body, stdin });
    at.source = before;
    running = false;
  }
  scene.functions.push(definition);
}
