/** Editors and macro processors: their scripts can run commands. */
import { local, rows, type Table, type Use } from '../program-row.ts';
import { literal } from '../shell-state.ts';

export const editors: Table = {
  ...rows('vim vi nvim view ex emacs nano pico joe micro ne helix hx code subl', local('own', { judge: judgeEditor })),
  ...rows('ed red', local('own', { judge: judgeEd })),
  crudini: local('own', { judge: judgeSettings }),
  xmlstarlet: local('own', { judge: judgeSettings }),
  ...rows('m4 cpp envsubst', local('own', { judge: judgeMacros })),
};

function judgeEditor(use: Use): void {
  if (
    use.args.some(({ text }) =>
      /^(?:-c|-S|-s|-e[sS]?|-[EsS]+|-u|-U|--cmd|--eval|-eval|--batch|-l|--load|-f|--startuptime|-w|--script|--execute|--install-extension|-p)$|^\+|^--(?:eval|load|funcall|cmd)/.test(
        text,
      ),
    )
  )
    return use.raise('deny', `an option of ${use.name} runs commands`);
  if (use.stdin.from === 'text' && /(?:^|\n)\s*:?!/.test(use.stdin.text))
    use.raise('deny', `${use.name} would run a command`);
  use.operands.forEach(use.writes);
  use.raise('external_mutation', `${use.name} is for a person at a terminal`);
}

function judgeEd(use: Use): void {
  use.operands.forEach(use.writes);
  const { stdin } = use;
  if (stdin.from !== 'text') return use.raise('external_mutation', 'what ed does is not known before it runs');
  for (const line of stdin.text.split('\n')) {
    if (/^[\d,$.;%\s]*(?:g\/.*\/)?[rwe]?\s*!/.test(line)) use.raise('deny', 'ed would run a command');
    const name = /^[\d,$.;%\s]*[wWreEf]\s+(\S+)/.exec(line)?.[1];
    if (name !== undefined) use.writes(literal(name));
  }
}

function judgeSettings(use: Use): void {
  for (const arg of use.operands) if (/^[/~.](?!\/)|\.\w{2,5}$/.test(arg.text)) use.writes(arg);
}

function judgeMacros(use: Use): void {
  if (
    [...use.args.map(({ text }) => text), use.stdin.from === 'text' ? use.stdin.text : ''].some((text) =>
      /\b(?:syscmd|esyscmd|sinclude)\b/.test(text),
    )
  )
    use.raise('deny', 'm4 would run a command');
  use.operands.forEach(use.reads);
}
