/**
 * Owns: the step of a runbook that reads a document: a block whose only line is `oka read <file>`, with its options, is
 * the tool files.read on the desk, since a command in the sandbox cannot start oka. Anything else stays a command.
 */
import type { Json } from '../../core/schema/json.ts';

const OPTIONS = new Set(['pages', 'sheet', 'range']);
/** Words without anything that a shell would expand; quoted ones may contain spaces. */
const WORD = /^(?:'([^'{}]*)'|"([^"$`\\{}]*)"|([^\s'"$`\\|&;<>(){}*?[\]~#!]+))(?:\s+|$)/;

/** The input of files.read; null when the code is something else. `dir` is the folder that the step works in. */
export function documentStepInput(code: string, dir: string): { [field: string]: Json } | null {
  const [program, command, ...words] = wordsOf(code.trim()) ?? [];
  if (program !== 'oka' || command !== 'read') return null;
  const input: { [field: string]: Json } = {};
  for (let at = 0; at < words.length; at += 1) {
    const [, name = '', given] = /^--(\w+)(?:=(.*))?$/.exec(words[at] ?? '') ?? [];
    if (name === '' && input['path'] === undefined)
      input['path'] = dir === '' ? (words[at] ?? '') : `${dir}/${words[at]}`;
    else if (OPTIONS.has(name)) input[name] = given ?? words[(at += 1)] ?? '';
    else if (name !== 'json') return null;
  }
  return input['path'] === undefined ? null : input;
}

/** Null when it is no single line of plain words. */
function wordsOf(line: string): string[] | null {
  const words: string[] = [];
  for (let rest = line; rest !== ''; ) {
    const found = WORD.exec(rest);
    if (found === null || line.includes('\n')) return null;
    words.push(found[1] ?? found[2] ?? found[3] ?? '');
    rest = rest.slice(found[0].length);
  }
  return words;
}
