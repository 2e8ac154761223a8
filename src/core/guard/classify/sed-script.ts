/** Owns: judging a sed script by what it would run, read or write. */
import type { Use } from './program-row.ts';
import { type Arg, HOLE, literal, toDisplay } from './shell-state.ts';

export function judgeSedScript(use: Use, script: Arg): void {
  if (script.hidden || (script.open && script.text.replaceAll(HOLE, '').trim() === ''))
    return use.raise('deny', 'it is not visible what sed would do');
  const problem = problemIn(use, script.text.replaceAll(HOLE, 'x'));
  if (problem !== null) use.raise('deny', problem);
  else if (script.open && /^\uE000|\uE000$/.test(script.text))
    use.raise('external_mutation', 'part of the sed script is not known before it runs');
}

/** The first problem of the script, or null if all its commands are harmless. */
function problemIn(use: Use, text: string): string | null {
  let rest = text;
  for (let steps = 0; steps < 2000; steps += 1) {
    rest = rest.replace(/^[\s;]+/, '');
    if (rest === '') return null;
    const step = stepOf(use, rest);
    if (typeof step === 'string') return step;
    rest = step.rest;
  }
  return 'the sed script is too long to be judged';
}

const NUMBERED = /^(?:\d+(?:~\d+)?|\$|\+\d+|~\d+)/;

function stepOf(use: Use, text: string): { rest: string } | string {
  let rest = text;
  for (let part = 0; part < 2; part += 1) {
    const number = NUMBERED.exec(rest);
    if (number !== null) rest = rest.slice(number[0].length);
    else if (/^(?:\/|\\[^\n])/.test(rest)) {
      const end = endOfDelimited(rest, rest.startsWith('\\') ? 1 : 0);
      if (end === -1) return 'the sed script is not understood';
      rest = rest.slice(end + 1).replace(/^[IM]+/, '');
    }
    rest = rest.replace(/^\s+/, '');
    if (part === 0 && rest.startsWith(',')) rest = rest.slice(1).replace(/^\s+/, '');
    else break;
  }
  return commandOf(use, rest.replace(/^[\s!]+/, ''));
}

function commandOf(use: Use, text: string): { rest: string } | string {
  const [command = ''] = text;
  const rest = text.slice(1);
  if ('{}=dDgGhHnNpPxzF'.includes(command)) return { rest };
  if ('lLqQ'.includes(command)) return { rest: rest.replace(/^\s*\d+/, '') };
  if ('bTt:'.includes(command)) return { rest: rest.replace(/^[^;\n}]*/, '') };
  if (command === '#') return { rest: rest.replace(/^[^\n]*/, '') };
  if ('aic'.includes(command)) return { rest: rest.replace(/^(?:[^\\\n]|\\[\s\S])*/, '') };
  if (command === 's' || command === 'y') return judgeSubstitution(use, rest, command);
  if ('rRwW'.includes(command)) return judgeFileName(use, command, rest);
  return command === 'e' ? 'sed e runs a command' : `the sed script is not understood at ${toDisplay(text)}`;
}

function judgeSubstitution(use: Use, text: string, command: string): { rest: string } | string {
  const middle = endOfDelimited(text, 0);
  const end = middle === -1 ? -1 : endOfDelimited(text, middle);
  if (end === -1) return 'the sed script is not understood';
  const [flags = ''] = /^[a-zA-Z0-9]*/.exec(text.slice(end + 1)) ?? [];
  const rest = text.slice(end + 1 + flags.length);
  if (command === 'y') return { rest: text.slice(end + 1) };
  if (flags.includes('e')) return 'sed s///e runs its result as a command';
  return flags.includes('w') ? judgeFileName(use, 'w', text.slice(end + 2 + flags.indexOf('w'))) : { rest };
}

/** Judges a file name, which extends to the end of the line. */
function judgeFileName(use: Use, command: string, text: string): { rest: string } {
  const [line = ''] = text.split('\n', 1);
  const name = literal(line.trim().replace(/\s*}$/, ''));
  if (command.toLowerCase() === 'w') use.writes(name);
  else use.reads(name);
  return { rest: text.slice(line.length) };
}

/** Where the delimiter at `from` occurs next, neither escaped nor in brackets; -1 if nowhere. */
function endOfDelimited(text: string, from: number): number {
  const mark = text[from];
  if (mark === undefined || mark === '\n' || (mark === '\\' && from > 0)) return -1;
  let bracket = false;
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '[' && !bracket && text.indexOf(']', at + 2) !== -1 && mark !== '[') bracket = true;
    else if (char === ']' && bracket && !/\[\^?$/.test(text.slice(from, at))) bracket = false;
    else if (char === mark && (!bracket || mark !== '/' || !text.slice(at).includes(']'))) return at;
  }
  return -1;
}
