/**
 * Owns: walking a script as bash would, through every branch, and judging each program it would start.
 * Does not own: what a program does (programs/), what happens inside a word (inspect-words.ts).
 * 1. Every command of the tree is reached, also in substitutions, here-documents, subscripts and functions.
 * 2. A value that differs between branches counts as the riskiest of them.
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
import { walkCommand } from './simple-command.ts';
import { checkTest, canEnd, isConstant } from './conditions.ts';
import { checkVariable } from './risky-variables.ts';
import { checkArithmetic, expandNodes } from './inspect-words.ts';
import { redirect } from './redirections.ts';
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
  type ShellState,
  spend,
  type Stdin,
  unknown,
} from './shell-state.ts';
import { argsOf } from './expand-words.ts';

export function walkText(state: ShellState, text: string, stdin: Stdin = nothing): void {
  if (text.length > 20_000) return raise(state, 'deny', 'it is too long to be checked');
  if (!spend(state, 5)) return;
  const { source } = state;
  state.source = text;
  walkScript(state, parse(text), stdin);
  state.source = source;
}

export function walkScript(state: ShellState, script: ParsedScript, stdin: Stdin): Output {
  if (script.source !== undefined) state.source = script.source;
  const [error] = script.errors ?? [];
  if (error !== undefined) raise(state, 'deny', `it does not parse: ${error.message}`);
  return walkList(state, script.commands, stdin);
}

function walkList(state: ShellState, statements: readonly Statement[], stdin: Stdin): Output {
  let output: Output = null;
  for (const statement of statements) {
    const flow = { endless: null, bounded: false };
    output = walk({ state: Object.assign(state, { flow }), node: statement.command, stdin });
    if (flow.endless !== null && !flow.bounded)
      raise(state, 'deny', `${String(flow.endless)} never ends and nothing in the line ends it`);
  }
  return statements.length === 1 ? output : null;
}

type Runnable = PipelineNode | AndOr | CompoundList;

type Compound = Exclude<CompoundCommand, { type: 'Subshell' | 'BraceGroup' }> | Coproc;

type Step<Node = Runnable> = { state: ShellState; node: Node; stdin: Stdin };

function walk({ state, node, stdin }: Step): Output {
  if (!spend(state)) return null;
  switch (node.type) {
    case 'Command':
      return walkCommand(state, node, stdin);
    case 'Pipeline':
      return walkPipeline(state, node, stdin);
    case 'AndOr':
      return walkOptional(state, node.commands, stdin);
    case 'Redirected': {
      const { input, done } = redirect(state, node.redirects, expandNodes(state, ...node.redirects), stdin);
      walk({ state, node: node.command, stdin: input });
      done(null);
      return null;
    }
    case 'Subshell':
      walkList(branchOf(state), node.body.commands, stdin);
      return null;
    case 'BraceGroup':
    case 'CompoundList':
      return walkList(state, node.type === 'BraceGroup' ? node.body.commands : node.commands, stdin);
    case 'Function':
      defineFunction(state, node.name.value, node.body);
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
      walkCompound({ state, node, stdin });
      return null;
  }
}

function walkCompound({ state, node, stdin }: Step<Compound>): void {
  switch (node.type) {
    case 'If':
      walkList(state, node.clause.commands, stdin);
      return walkAlternatives(
        state,
        [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then]), ...(node.else ? [node.else] : [])],
        stdin,
      );
    case 'While':
      return walkLoop(state, node, stdin);
    case 'For':
    case 'Select':
      return walkFor(
        state,
        node.name.value,
        node.wordlist?.flatMap((word) => argsOf(state, word, expandNodes(state, word))) ??
          state.positional ?? [unknown],
        node.body,
        stdin,
      );
    case 'ArithmeticFor':
      for (const each of [node.initialize, node.test, node.update]) if (each) expandNodes(state, each);
      state.tally.calculates = true;
      if (node.test === undefined && !canEnd(node.body)) raise(state, 'deny', 'a loop in it never ends');
      return walkTwice(state, node.body, stdin);
    case 'Case':
      expandNodes(state, node.word, ...node.items.flatMap(({ pattern }) => pattern));
      return walkAlternatives(
        state,
        node.items.map(({ body }) => body),
        stdin,
      );
    case 'Coproc':
      walk({ state: branchOf(state), node: node.body, stdin: { from: 'pipe', fetched: false } });
      return;
    case 'TestCommand':
      expandNodes(state, node);
      return checkTest(state, node.expression);
    case 'ArithmeticCommand':
      expandNodes(state, node);
      return checkArithmetic(state, node.body, node.expression !== undefined || node.body.trim() === '');
  }
}

/** The output of each command is the input of the next; each runs in its own subshell. */
function walkPipeline(state: ShellState, { commands }: Pipeline, stdin: Stdin): Output {
  if (commands.length === 1 && commands[0]) return walk({ state, node: commands[0], stdin });
  const { tally } = state;
  const before = { net: tally.net, decodes: tally.decodes };
  Object.assign(tally, { net: false, decodes: false });
  let input = stdin;
  let output: Output = null;
  for (const [index, node] of commands.entries()) {
    output = walk({ state: branchOf(state), node, stdin: input });
    if (index === 0 && output !== null && 'text' in output && output.text.trim() !== '' && !output.text.includes(HOLE))
      tally.decodes = true;
    input = inputFrom(output, tally.net || tally.decodes);
  }
  Object.assign(tally, { net: tally.net || before.net, decodes: tally.decodes || before.decodes });
  return output;
}

/** A file that was only passed on counts as a pipe: a command that runs it has to name it. */
function inputFrom(output: Output, fetched: boolean): Stdin {
  return output !== null && 'text' in output ? { from: 'text', text: output.text } : { from: 'pipe', fetched };
}

/** The first command runs; the others may or may not. */
function walkOptional(state: ShellState, [first, ...rest]: readonly Runnable[], stdin: Stdin): Output {
  if (first) walk({ state, node: first, stdin });
  const branch = branchOf(state);
  for (const node of rest) walk({ state: branch, node, stdin });
  mergeBranches(state, [branch]);
  return null;
}

function walkAlternatives(
  state: ShellState,
  bodies: readonly { commands: readonly Statement[] }[],
  stdin: Stdin,
): void {
  const branches = bodies.map((body) => {
    const branch = branchOf(state);
    walkList(branch, body.commands, stdin);
    return branch;
  });
  mergeBranches(state, branches);
}

function walkFor(
  state: ShellState,
  name: string,
  words: readonly Arg[],
  body: { commands: readonly Statement[] },
  stdin: Stdin,
): void {
  checkVariable(state, name, unknown);
  for (const word of words.length === 0 ? [unknown] : words) {
    if (!spend(state)) return;
    state.vars.set(name, [word]);
    walkList(state, body.commands, stdin);
  }
}

function walkLoop(state: ShellState, { kind, clause, body }: While, stdin: Stdin): void {
  const forever = clause.commands.length === 1 && isConstant(state.source.slice(clause.pos, clause.end).trim(), kind);
  if (
    forever &&
    !canEnd(
      body,
      body.commands.some(({ background }) => background),
    )
  )
    raise(state, 'deny', 'a loop in it never ends');
  walkList(state, clause.commands, stdin);
  walkTwice(state, body, stdin);
}

/** Walks a loop's body twice, since the second iteration sees what the first one changed. */
function walkTwice(state: ShellState, body: { commands: readonly Statement[] }, stdin: Stdin): void {
  const branch = branchOf(state);
  walkList(branch, body.commands, stdin);
  walkList(branch, body.commands, stdin);
  mergeBranches(state, [branch]);
}

/** Merges the variables of branches: the riskiest value of each wins. */
function mergeBranches(state: ShellState, branches: readonly ShellState[]): void {
  for (const branch of branches) {
    if (branch.positional !== null && branch.positional !== state.positional)
      state.positional = riskier(state, state.positional ?? undefined, branch.positional);
    for (const [name, value] of branch.vars) state.vars.set(name, riskier(state, state.vars.get(name), value));
    if (
      state.cwd !== branch.cwd &&
      (state.cwd === null || branch.cwd === null || risk(state, literal(branch.cwd)) >= risk(state, literal(state.cwd)))
    )
      state.cwd = branch.cwd;
  }
}

function riskier(state: ShellState, one: readonly Arg[] | undefined, other: readonly Arg[]): readonly Arg[] {
  if (one === undefined || one === other) return other;
  const riskOf = (args: readonly Arg[]): number => Math.max(0, ...args.map((arg) => risk(state, arg)));
  return riskOf(one) > riskOf(other) ? one : other;
}

function risk(state: ShellState, { text, hidden }: Arg): number {
  if (hidden) return 4;
  if (['outside', 'home', 'device', 'system'].includes(placeOf(state, text))) return 3;
  if (text.startsWith('-') || /\s|\[/.test(text)) return 2;
  return text.includes(HOLE) ? 1 : 0;
}

function defineFunction(state: ShellState, name: string, body: Runnable): void {
  const { source } = state;
  let running = false;
  const definition: Definition = { name, called: false, run };
  function run(at: ShellState, stdin: Stdin): void {
    definition.called = true;
    if (running) return raise(at, 'deny', `${name} calls itself`);
    running = true;
    const before = at.source;
    at.source = source;
    walk({ state: at, node: body, stdin });
    at.source = before;
    running = false;
  }
  state.functions.push(definition);
}
