/** sed and awk, which are given a small program. */
import { judgeAwkProgram } from '../awk-program.ts';
import { fullPath, placeOf } from '../paths.ts';
import { read, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, literal } from '../shell-state.ts';
import { judgeSedScript } from '../sed-script.ts';

export const scripted: Table = {
  ...rows(
    'sed gsed',
    read('own', { takes: 'efl', longs: ['--expression', '--file', '--line-length'], judge: judgeSed }),
  ),
  ...rows(
    'awk gawk mawk nawk',
    read('own', {
      takes: 'FvfeEiloWd',
      longs: ['--field-separator', '--assign', '--file', '--source', '--include', '--load'],
      judge: judgeAwk,
    }),
  ),
};

function judgeSed(use: Use): void {
  const scripts = use.options.filter(({ name }) => name === '-e' || name === '--expression');
  const fromFile = use.options.filter(({ name }) => name === '-f' || name === '--file');
  const [first, ...rest] = use.operands;
  const texts = scripts.length + fromFile.length > 0 ? scripts.map(({ value }) => value) : [first ?? null];
  const files = scripts.length + fromFile.length > 0 ? use.operands : rest;
  const inPlace = use.options.some(({ name }) => name === '-i' || (name.length > 3 && '--in-place'.startsWith(name)));
  if (use.args.some(({ text }) => /^(?:-\w*i|--in[a-z-]*=)[^ ]*\//.test(text) && !/^-\w*[ef]/.test(text)))
    use.raise('deny', 'sed would write a backup somewhere else');
  for (const { value } of fromFile) {
    if (value) judgeScriptFile(use, value, judgeSedScript);
    use.raise('write_local', 'sed runs a script from the desk');
  }
  for (const text of texts) if (text) judgeSedScript(use, text);
  for (const file of files) (inPlace ? use.writes : use.reads)(file);
  if (inPlace) for (const file of files) for (const text of texts) if (text) recordInsertedText(use, file, text.text);
}

function judgeAwk(use: Use): void {
  const loads = use.options.filter(({ name }) => ['-f', '--file', '-i', '--include', '-E'].includes(name));
  const sources = use.options.filter(({ name }) => ['-e', '--source'].includes(name));
  if (use.has('-l', '--load')) use.raise('deny', 'awk would load a library');
  for (const arg of use.args) {
    const out = /^(?:-[odp]|--(?:pretty-print|dump-variables|profile)=)([/~.\w].*)$/s.exec(arg.text)?.[1];
    if (out !== undefined) use.writes({ ...arg, text: out });
  }
  for (const { name, value } of loads) {
    if (name === '-i' && value?.text === 'inplace') use.operands.slice(1).forEach(use.writes);
    else if (value) judgeScriptFile(use, value, judgeAwkProgram);
    use.raise('write_local', 'awk runs a script from the desk');
  }
  const [first, ...rest] = use.operands;
  const inline =
    loads.some(({ name }) => name !== '-i') || sources.length > 0 ? sources.map(({ value }) => value) : [first ?? null];
  for (const program of inline) if (program) judgeAwkProgram(use, program);
  for (const file of inline.includes(first ?? null) ? rest : use.operands)
    if (!/^\w+=/.test(file.text)) use.reads(file);
}

/** Records text that sed inserts into a file, since it is part of the file when the file runs. */
function recordInsertedText({ state }: Use, file: Arg, script: string): void {
  const added = [...script.matchAll(/(?:^|[;{\n])\s*(?:\d+|\$|\/[^/]*\/)?\s*[aic]\\?\s*(\S.*)/g)].map(
    ([, text]) => text,
  );
  const full = fullPath(state, file.text);
  if (full !== null && added.length > 0 && state.written.get(full) !== null)
    state.written.set(full, [state.written.get(full) ?? '', ...added].join('\n'));
}

/** Judges a script in a file by its text if the line itself wrote it. */
function judgeScriptFile(use: Use, file: Arg, judge: (use: Use, script: Arg) => void): void {
  const flowing = file.text === '-' || placeOf(use.state, file.text) === 'sink';
  const written = use.state.written.get(fullPath(use.state, file.text) ?? '');
  if (flowing && use.stdin.from === 'text') return judge(use, literal(use.stdin.text));
  if (flowing || written === null) return use.raise('deny', `${use.name} would run its standard input`);
  if (written !== undefined) judge(use, literal(written));
  use.reads(file);
}
