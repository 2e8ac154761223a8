/** Owns: reading an awk program for what it would run, read or write. */
import type { Use } from './row.ts';
import { type Arg, HOLE, literal } from './scene.ts';

export function awk(use: Use, program: Arg): void {
  if (program.hidden) return use.raise('deny', 'nobody can see what awk would do');
  if (program.open && program.text.replaceAll(HOLE, '').trim() === '')
    return use.raise('deny', 'the awk program is only known when it runs');
  const { bare, strings } = taken(program.text.replaceAll(HOLE, '1'));
  if (/@\s*(?:load|include)|@\w+\s*\(/.test(bare)) use.raise('deny', 'the awk program loads or calls code by a name');
  if (strings.some((text) => text.startsWith('/inet'))) use.raise('deny', 'awk would open a connection');
  for (const [, text] of bare.matchAll(/\bsystem\s*\(([^)]*)\)?/g)) runs(use, text ?? '', strings);
  for (const [, text] of bare.matchAll(/(?<!\|)\|(?!\|)&?([^;}\n]*)/g)) piped(use, text ?? '', strings);
  for (const { index } of bare.matchAll(/\|&?\s*getline/g)) runs(use, commandBefore(bare, index), strings);
  for (const [, text] of bare.matchAll(/\bgetline\s*\w*\s*<\s*([^;}\n]*)/g)) files(text ?? '', strings, use.reads);
  for (const statement of bare.split(/[;{}\n]/)) printed(use, statement, strings);
  if (/\bENVIRON\b(?!\s*\[)/.test(bare)) use.raise('external_mutation', 'awk would show the environment');
  if (/\b(?:while|for)\s*\(\s*(?:1|;\s*;)\s*\)/.test(bare) && !/\b(?:break|exit|getline|next|return)\b/.test(bare))
    use.raise('deny', 'the awk program never ends');
}

/** The program with every string as "n" and every regular expression gone. */
function taken(text: string): { bare: string; strings: string[] } {
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

/** What stands before a pipe, back to where its statement or parenthesis begins. */
function commandBefore(bare: string, end: number): string {
  const start = Math.max(...['{', '}', ';', '\n', '('].map((mark) => bare.lastIndexOf(mark, end - 1)));
  return bare.slice(start + 1, end);
}

/** A command is seen through only when it is one literal string. */
function runs(use: Use, text: string, strings: readonly string[]): void {
  const only = /^\s*"(\d+)"\s*$/.exec(text)?.[1];
  const command = only === undefined ? undefined : strings[Number(only)];
  if (command === undefined) return use.raise('deny', 'awk would run a command that is not literal');
  if (!/^(?:sort|uniq|wc|head|tail|column|date|tr|cut|nl|cat 1>&2|cat >&2)\b[^|;&$`<>\n]*$|^cat 1?>&2$/.test(command))
    return use.raise('deny', 'awk would run a command');
  use.script(literal(command));
}

function piped(use: Use, text: string, strings: readonly string[]): void {
  if (/^\s*getline\b/.test(text)) return;
  runs(use, text, strings);
}

/** In a print statement a > outside of parentheses writes to a file. */
function printed(use: Use, statement: string, strings: readonly string[]): void {
  const print = /\bprintf?\b(.*)$/s.exec(statement)?.[1];
  if (print === undefined) return;
  let flat = print;
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replaceAll(/\([^()]*\)/g, ' ');
  }
  const target = />>?\s*(.*)$/s.exec(flat)?.[1];
  if (target !== undefined) files(target, strings, use.writes);
  else if (/>/.test(print) && !/>/.test(flat) && />\s*\(/.test(print))
    use.raise('write_local', 'awk writes to files that it names itself');
}

function files(text: string, strings: readonly string[], act: (arg: Arg) => void): void {
  const parts = [...text.matchAll(/"(\d+)"|[\w$]+/g)].map(([all, index]) =>
    index === undefined ? (all === '' ? '' : HOLE) : (strings[Number(index)] ?? ''),
  );
  if (/\bENVIRON\b|\bARGV\b/.test(text)) return act({ text: `/${HOLE}`, open: true, glob: false, hidden: true });
  const name = parts.join('');
  act({ text: name === '' ? HOLE : name, open: name.includes(HOLE), glob: false, hidden: false });
}
