/** Commands that are built into bash. */
import { checkVariable } from '../risky-variables.ts';
import { checkName } from '../inspect-words.ts';
import { fullPath } from '../paths.ts';
import { external, never, type Row, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, HOLE, JOB, joinArgs, literal, unknown } from '../shell-state.ts';
import { judgeRunFile } from './desk-code.ts';

const plain = (more: Partial<Row> = {}): Row => ({ class: 'read', operands: 'text', builtin: true, ...more });

export const builtins: Table = {
  ...rows(
    `echo : true false pwd exit return break continue shift jobs fg bg disown times umask dirs help type
    caller`,
    plain(),
  ),
  wait: plain({ takes: 'p', rules: { '-p': (name, use) => checkTarget(use, name) } }),
  getopts: plain({ judge: (use) => checkTarget(use, use.operands[1] ?? null) }),
  ulimit: plain({
    judge: (use) =>
      void (
        use.args.some(({ text }) => /^(?:unlimited|hard|soft)$/.test(text)) &&
        use.raise('external_mutation', 'ulimit removes a limit')
      ),
  }),
  printf: plain({ takes: 'v', rules: { '-v': (name, use) => checkTarget(use, name) } }),
  ...rows('test [', plain({ judge: judgeTest })),
  ...rows('cd pushd', plain({ judge: judgeCd })),
  popd: plain({ judge: ({ state }) => void (state.cwd = state.where.desk) }),
  read: plain({ takes: 'adinNptu', rules: { '-a': (name, use) => checkTarget(use, name) }, judge: judgeRead }),
  ...rows(
    'mapfile readarray',
    plain({ takes: 'CcdnOsu', rules: { '-C': ['deny', 'runs a text for every line'] }, judge: judgeRead }),
  ),
  ...rows('declare typeset local export readonly', plain({ judge: judgeDeclare })),
  unset: plain({ judge: (use) => use.operands.forEach((name) => checkTarget(use, name)) }),
  let: plain({ judge: judgeLet }),
  set: plain({ judge: judgeSet }),
  shopt: plain({
    judge: (use) =>
      void (
        use.operands.some(({ text }) => /alias|extdebug/.test(text)) &&
        use.raise('deny', 'shopt changes how names are read')
      ),
  }),
  eval: plain({ judge: (use) => (use.args.length === 0 ? undefined : use.script(joinArgs(use.args))) }),
  ...rows('source .', plain({ judge: judgeSource })),
  trap: plain({
    judge: ({ operands: [action], script }) =>
      action === undefined || action.text === '-' || action.text === '' ? undefined : script(action),
  }),
  exec: plain({
    takes: 'a',
    operands: 'own',
    judge: ({ args, operands: [program], runs }) =>
      program === undefined ? undefined : runs(args.slice(args.indexOf(program))),
  }),
  command: plain({ operands: 'own', judge: judgeCommand }),
  builtin: plain({ operands: 'own', judge: (use) => use.runs(use.args) }),
  kill: plain({ operands: 'own', judge: judgeKill }),
  hash: plain({ takes: 'pt', rules: { '-p': ['deny', 'gives a program another name'] } }),
  alias: plain({
    judge: (use) => void (use.operands.length > 0 && use.raise('deny', 'alias gives a program another name')),
  }),
  unalias: plain(),
  enable: plain({
    takes: 'f',
    rules: { '-f': ['deny', 'loads code into the shell'], '-n': ['deny', 'disables a builtin of the shell'] },
  }),
  ...rows('bind complete compopt fc history', never('changes or shows how a person uses the shell', { builtin: true })),
  compgen: plain({
    takes: 'ACFGPSWX',
    rules: {
      '-W': (words, use) =>
        void (/[$`]/.test(words?.text ?? '') && use.raise('deny', 'compgen -W would run substitutions in its words')),
      '-C': ['deny', 'runs a program'],
      '-F': ['deny', 'runs a function'],
    },
  }),
  ...rows('suspend logout', never('is for a person at a terminal', { builtin: true })),
  ...rows('coproc', external('is not understood here', { builtin: true })),
};

/** Judges the name a builtin assigns to: bash evaluates its subscript. */
function checkTarget(use: Use, name: Arg | null): void {
  if (name === null) return;
  if (name.open || name.text.includes(HOLE))
    return use.raise('deny', `it is not known beforehand which variable ${use.name} sets`);
  if (/\[.*[$`]/.test(name.text)) return use.raise('deny', `${use.name} would run code in a subscript`);
  checkVariable(use.state, name.text.replace(/\[.*/, ''), unknown);
}

function judgeTest(use: Use): void {
  const at = use.args.findIndex(({ text }) => text === '-v' || text === '-R');
  use.args.forEach((arg, index) => {
    if (/^-[a-hk-prsuwxLNOSG]$/.test(use.args[index - 1]?.text ?? '') && arg.text !== ']') use.stats(arg);
  });
  const name = use.args[at + 1];
  if (at !== -1 && name && name.text !== ']' && !['=', '==', '!='].includes(name.text)) checkTarget(use, name);
}

function judgeCd({ state, operands: [to], stats }: Use): void {
  if (to) stats(to);
  if (to?.text === '-') return;
  const away = /^\uE000.*\/\.\.(?:\/|$)/.test(to?.text ?? '');
  state.cwd = to === undefined ? '/~' : away ? '/outside' : fullPath(state, to.text);
}

/** The value that read assigns is unknown unless the line itself provides it. */
function judgeRead(use: Use): void {
  const names = use.operands.length === 0 && use.options.every(({ name }) => name !== '-a') ? [] : use.operands;
  const text = use.stdin.from === 'text' && use.operands.length === 1 ? literal(use.stdin.text.trim()) : unknown;
  for (const name of names) {
    checkTarget(use, name);
    use.state.vars.set(name.text, [text]);
  }
}

function judgeDeclare(use: Use): void {
  const flags = use.args
    .filter(({ text }) => /^[-+]/.test(text))
    .map(({ text }) => text)
    .join('');
  const named = use.args.filter(({ text }) => !/^[-+]/.test(text));
  if (named.length === 0 && use.name !== 'local' && !/[fF]/.test(flags))
    use.raise('external_mutation', `${use.name} would show the whole environment`);
  for (const arg of named) {
    const equals = arg.text.indexOf('=');
    const name = {
      ...arg,
      open: false,
      text: (equals === -1 ? arg.text : arg.text.slice(0, equals)).replace(/\+$/, ''),
    };
    const value = { ...arg, text: equals === -1 ? '' : arg.text.slice(equals + 1) };
    if (name.text.includes(HOLE) || /\[.*[$`]/.test(name.text))
      use.raise('deny', `it is not known beforehand which variable ${use.name} sets`);
    if (equals !== -1 || /x/.test(flags) || use.name === 'export')
      checkVariable(use.state, name.text, equals === -1 ? literal('') : value);
    if (/p/.test(flags)) checkName(use.state, name.text);
    if (/n/.test(flags)) use.raise('deny', `${use.name} -n makes one name refer to another`);
    if (/i/.test(flags)) use.state.tally.calculates = true;
    if (/i/.test(flags) && !/^[\w\s+*/%-]*$/.test(value.text))
      use.raise('deny', `${use.name} -i evaluates a text as arithmetic`);
  }
}

function judgeLet(use: Use): void {
  use.state.tally.calculates = true;
  const odd = use.args.find(({ text, hidden }) => hidden || /[[\]$`'"]/.test(text));
  if (odd !== undefined) use.raise('deny', 'let would run code in a subscript');
}

function judgeSet({ state, args, raise }: Use): void {
  const at = args.findIndex(({ text }) => text === '--' || !/^[-+]/.test(text));
  if (args.length === 0) raise('external_mutation', 'set would show the whole environment');
  if (at !== -1) state.positional = args.slice(args[at]?.text === '--' ? at + 1 : at);
}

function judgeSource(use: Use): void {
  const [file, ...rest] = use.operands;
  if (file === undefined) return;
  judgeRunFile({ ...use, name: file.text, operands: rest, args: [file, ...rest] }, 'bash', file);
}

function judgeCommand(use: Use): void {
  const at = use.args.findIndex(({ text }) => !text.startsWith('-'));
  const looksUp = use.args.slice(0, Math.max(at, 0)).some(({ text }) => /[vV]/.test(text));
  if (at !== -1 && !looksUp) use.runs(use.args.slice(at));
}

/** kill may signal only processes that the line itself started. */
function judgeKill(use: Use): void {
  const targets = use.args.filter(
    ({ text }, index) => !text.startsWith('-') && !['-s', '-n'].includes(use.args[index - 1]?.text ?? ''),
  );
  if (use.has('-l', '-L')) return;
  const foreign =
    targets.find(({ text }) => text !== JOB && !text.startsWith('%')) ??
    use.args.find(({ text }) => /^-\d+$/.test(text) && targets.length === 0);
  if (foreign !== undefined || use.args.some(({ text }, index) => index > 0 && /^-\d+$/.test(text)))
    use.raise('deny', 'kill may only end processes that this line started');
}
