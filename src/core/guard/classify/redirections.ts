/** Owns: judging redirections of a command's input and output. */
import type { Redirection } from 'unbash';
import { fullPath, judgeRead, judgeWrite } from './paths.ts';
import { type Arg, HOLE, type Output, raise, type ShellState, toDisplay, type Stdin } from './shell-state.ts';
import { wordText, type Values } from './expand-words.ts';

type Redirected = {
  input: Stdin;
  /** Call it with what the command prints, to record the content of files that the line writes. */
  done: (output: Output) => void;
};

export function redirect(
  state: ShellState,
  redirections: readonly Redirection[],
  values: Values,
  stdin: Stdin,
): Redirected {
  let input = stdin;
  const targets: Arg[] = [];
  for (const each of redirections) {
    if (each.type === 'HereDoc') {
      input = {
        from: 'text',
        text: bodyOf(each.body.text, each.body.parts !== undefined && each.delimiter?.quoted !== true),
      };
      continue;
    }
    if (each.target === undefined) {
      raise(state, 'deny', 'it does not parse: a redirection without a target');
      continue;
    }
    const target = wordText(state, each.target, values);
    if (each.type === 'HereString') input = { from: 'text', text: target.text };
    else if (each.operator === '<') input = inputFrom(state, target, each.target.text);
    else if (!/^(?:\d+-?|-)$/.test(target.text) || !each.operator.includes('&'))
      judgeTarget(state, target, each.target.text, targets);
  }
  return { input, done: (output) => recordWritten(state, targets, output) };
}

/** The text of a here-document, with a hole for every expansion unless its delimiter is quoted. */
function bodyOf(text: string, open: boolean): string {
  return open ? text.replaceAll(/\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+/g, HOLE) : text;
}

function inputFrom(state: ShellState, target: Arg, written: string): Stdin {
  if (isSocket(state, target)) return { from: 'pipe', fetched: true };
  if (written.startsWith('<(')) return { from: 'pipe', fetched: true };
  judgeRead(state, 'a redirection', target);
  return { from: 'file', file: target };
}

function judgeTarget(state: ShellState, target: Arg, written: string, targets: Arg[]): void {
  if (isSocket(state, target) || written.startsWith('>(')) return;
  if (target.hidden) raise(state, 'external_mutation', 'it is not visible which file is written');
  judgeWrite(state, 'a redirection', target);
  targets.push(target);
}

function isSocket(state: ShellState, { text }: Arg): boolean {
  if (!/^\/dev\/(?:tcp|udp)\//.test(text)) return false;
  raise(state, 'deny', `${toDisplay(text)} opens a network connection by a redirection`);
  state.tally.net = true;
  return true;
}

function recordWritten(state: ShellState, targets: readonly Arg[], output: Output): void {
  for (const target of targets) {
    const full = fullPath(state, target.text);
    if (full === null) continue;
    if (output !== null && 'text' in output) state.written.set(full, (state.written.get(full) ?? '') + output.text);
    else if (state.tally.net || state.tally.decodes) state.written.set(full, null);
  }
}
