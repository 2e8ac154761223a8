/** Owns: judging an awk program by what it would run, read or write. */
import type { Use } from './program-row.ts';
import { type Arg, HOLE, literal } from './shell-state.ts';

export function judgeAwkProgram(use: Use, program: Arg): void {
  if (program.hidden) return use.raise('deny', 'it is not visible what awk would do');
  if (program.open && program.text.replaceAll(HOLE, '').trim() === '')
    return use.raise('deny', 'the awk program is not known before it runs');
  const { bare, strings } = withoutStrings(program.text.replaceAll(HOLE, '1'));
  if (/@\s*(?:load|include)|@\w+\s*\(/.test(bare))
    use.raise('deny', 'the awk program loads code, or calls a function by a computed name');
  if (strings.some((text) => text.startsWith('/inet'))) use.raise('deny', 'awk would open a connection');
  for (const [, text] of bare.matchAll(/\bsystem\s*\(([^)]*)\)?/g)) judgeStarted(use, text ?? '', strings);
  for (const [, text] of bare.matchAll(/(?<!\|)\|(?!\|)&?([^;}\n]*)/g)) judgePiped(use, text ?? '', strings);
  for (const { index } of bare.matchAll(/\|&?\s*getline/g)) judgeStarted(use, commandBefore(bare, index), strings);
  for (const [, text] of bare.matchAll(/\bgetline\s*\w*\s*<\s*([^;}\n]*)/g))
    judgeFileNames(text ?? '', strings, use.reads);
  for (const statement of bare.split(/[;{}\n]/)) judgePrint(use, statement, strings);
  if (/\bENVIRON\b(?!\s*\[)/.test(bare)) use.raise('external_mutation', 'awk would show the environment');
  if (/\b(?:while|for)\s*\(\s*(?:1|;\s*;)\s*\)/.test(bare) && !/\b(?:break|exit|getline|next|return)\b/.test(bare))
    use.raise('deny', 'the awk program never ends');
}

/** The program with each string replaced by its number in quotes, and without regular expressions and comments. */
function withoutStrings(text: string): { bare: string; strings: string[] } {
  const strings: string[] = [];
  const bare = text.replaceAll(
    /#[^\n"]*(?=\n|$)|"((?:[^"\\]|\\[\s\S])*)"|((?:^|[({},;!~&|\n]|return)\s*)\/(?:[^/\\\n]|\\.)+\//g,
    (_, string: string | undefined, before: string | undefined) => {
      if (string === undefined) return before === undefined ? '' : `${before} `;
      return `"${strings.push(string.replaceAll('\\"', '"')) - 1}"`;
    },
  );
  return { bare, strings };
}

/** The text before a pipe, back to the start of its statement or parenthesis. */
function commandBefore(bare: string, end: number): string {
  const start = Math.max(...['{', '}', ';', '\n', '('].map((mark) => bare.lastIndexOf(mark, end - 1)));
  return bare.slice(start + 1, end);
}

/** Only a command that is one literal string can be judged. */
function judgeStarted(use: Use, text: string, strings: readonly string[]): void {
  const only = /^\s*"(\d+)"\s*$/.exec(text)?.[1];
  const command = only === undefined ? undefined : strings[Number(only)];
  if (command === undefined) return use.raise('deny', 'awk would run a command that is not literal');
  if (!/^(?:sort|uniq|wc|head|tail|column|date|tr|cut|nl|cat 1>&2|cat >&2)\b[^|;&$`<>\n]*$|^cat 1?>&2$/.test(command))
    return use.raise('deny', 'awk would run a command');
  use.script(literal(command));
}

function judgePiped(use: Use, text: string, strings: readonly string[]): void {
  if (/^\s*getline\b/.test(text)) return;
  judgeStarted(use, text, strings);
}

/** In a print statement, a > outside parentheses writes to a file. */
function judgePrint(use: Use, statement: string, strings: readonly string[]): void {
  const print = /\bprintf?\b(.*)$/s.exec(statement)?.[1];
  if (print === undefined) return;
  let flat = print;
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replaceAll(/\([^()]*\)/g, ' ');
  }
  const target = />>?\s*(.*)$/s.exec(flat)?.[1];
  if (target !== undefined) judgeFileNames(target, strings, use.writes);
  else if (/>/.test(print) && !/>/.test(flat) && />\s*\(/.test(print))
    use.raise('write_local', 'awk writes to files whose names it computes');
}

function judgeFileNames(text: string, strings: readonly string[], act: (arg: Arg) => void): void {
  const parts = [...text.matchAll(/"(\d+)"|[\w$]+/g)].map(([all, index]) =>
    index === undefined ? (all === '' ? '' : HOLE) : (strings[Number(index)] ?? ''),
  );
  if (/\bENVIRON\b|\bARGV\b/.test(text)) return act({ text: `/${HOLE}`, open: true, glob: false, hidden: true });
  const name = parts.join('');
  act({ text: name === '' ? HOLE : name, open: name.includes(HOLE), glob: false, hidden: false });
}
