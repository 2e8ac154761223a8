/** Classifies the failure of a call in words of our own, because tool output must not get into a lesson. */
import type { Json } from '../../schema/json.ts';
import type { WaitFor } from '../../schema/wait.ts';

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/command not found|: not found\b|executable file not found/i, 'a command was missing'],
  [/ModuleNotFoundError|No module named|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND/, 'a module was missing'],
  [/\bENOSPC\b|No space left/i, 'the disk was full'],
  [/\bEACCES\b|\bEPERM\b|permission denied|not permitted/i, 'it was not permitted'],
  [/\bENOENT\b|No such file|does not exist/i, 'a file was missing'],
  [/\bETIMEDOUT\b|timed? ?out|it was stopped after/i, 'it took too long'],
  [
    /\bECONNREFUSED\b|\bENOTFOUND\b|\bECONNRESET\b|could not resolve|network is unreachable/i,
    'the network was out of reach',
  ],
  [/SyntaxError|syntax error|unexpected token/i, 'it was not well-formed'],
];

/** Returns null for an unknown kind of failure, from which nothing is learned. */
export function failureKind(error: string, output: Json): string | null {
  const status = /^\S{1,2000} answered ([45]\d\d):/.exec(error)?.[1];
  if (status !== undefined) return `the server answered ${status}`;
  const all = [error, ...outputTexts(output)].join('\n').slice(0, 20_000);
  const known = KINDS.find(([pattern]) => pattern.test(all))?.[1];
  if (known !== undefined) return known;
  const exit = Number(fieldOf(output, 'exit') ?? /^exit (\d{1,3})\b/.exec(error)?.[1] ?? 0);
  if (exit === 127) return 'a command was missing';
  return exit > 0 ? `it ended with status ${exit}` : null;
}

/** A call that waits for something missing counts as failed for now. */
export function missingKind(awaited: WaitFor | undefined): string | null {
  if (awaited?.kind !== 'requirement' || awaited.need === undefined) return null;
  const { kind } = awaited.need;
  if (kind === 'command') return 'a command was missing';
  return kind === 'python' || kind === 'node' ? 'a module was missing' : 'a part of the system was missing';
}

const fieldOf = (output: Json, name: string): Json | undefined =>
  typeof output === 'object' && output !== null && !Array.isArray(output) ? output[name] : undefined;

const outputTexts = (output: Json): string[] =>
  ['stderr', 'stdout'].flatMap((name) => {
    const text = fieldOf(output, name);
    return typeof text === 'string' ? [text.slice(0, 8000)] : [];
  });

/** The program that a call starts, if it is a plain name. */
export function programOf(input: Json): string | null {
  const argv = fieldOf(input, 'argv');
  const line = fieldOf(input, 'line');
  const first = Array.isArray(argv) ? argv[0] : typeof line === 'string' ? line.trim().split(/\s+/, 1)[0] : null;
  const name = typeof first === 'string' ? first.slice(first.lastIndexOf('/') + 1) : '';
  return /^[A-Za-z][\w.+-]{0,40}$/.test(name) ? name : null;
}
