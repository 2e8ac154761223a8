/** Programs that run another one, such as env or xargs: they are judged by what they run. */
import { checkVariable } from '../risky-variables.ts';
import { fullPath, placeOf } from '../paths.ts';
import { markBounded, read, type Row, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, HOLE, joinArgs, literal, nothing, toDisplay, type Stdin, unknown } from '../shell-state.ts';

/** The command after the options and `before` further words; `takes` are options with a value. */
const wrapper = (takes = '', before = 0, more: Partial<Row> = {}): Row =>
  read('own', {
    takes: '',
    ...more,
    judge: (use) => {
      more.judge?.(use);
      use.runs(afterOptions(use.args, takes, before));
    },
  });

export const wrappers: Table = {
  env: read('own', { judge: judgeEnv }),
  timeout: wrapper('ks', 1, { judge: (use) => markBounded(use, true) }),
  ...rows('nice', wrapper('n')),
  ionice: wrapper('cnpPu'),
  ...rows('nohup chronic unbuffer catchsegv eatmydata ts-node-wrapper', wrapper()),
  setsid: wrapper('', 0, {
    judge: (use) => use.raise('external_mutation', 'setsid detaches the command from the process that supervises it'),
  }),
  stdbuf: wrapper('ioe'),
  time: wrapper('fo', 0, { takes: 'fo', rules: { '-o': 'writes', '--output': 'writes' } }),
  taskset: wrapper('', 1),
  chrt: wrapper('', 1),
  numactl: wrapper(),
  prlimit: wrapper(),
  setarch: wrapper('', 1),
  busybox: wrapper(),
  toybox: wrapper(),
  flock: read('own', { judge: judgeFlock }),
  watch: read('own', { judge: (use) => use.script(joinArgs(afterOptions(use.args, 'n', 0))) }),
  xargs: read('own', { judge: judgeXargs }),
  parallel: read('own', { judge: judgeParallel }),
  find: read('own', { wordy: true, judge: judgeFind }),
  ...rows('fd fdfind', read('own', { judge: judgeFd })),
  entr: read('own', { judge: (use) => use.runs(afterOptions(use.args, '', 0)) }),
};

/** The words of the command, after the options. */
function afterOptions(args: readonly Arg[], takes: string, before: number): Arg[] {
  let at = 0;
  for (; at < args.length; at += 1) {
    const { text = '' } = args[at] ?? {};
    if (text === '--') {
      at += 1;
      break;
    }
    if (!/^-./.test(text)) break;
    const letter = text.at(-1) ?? '';
    if (!text.startsWith('--') && text.length === 2 && takes.includes(letter)) at += 1;
    if (
      /^--(?:signal|kill-after|adjustment|input|output|error|format|classdata|class|max-procs|max-args|max-lines|delimiter|arg-file|replace)$/.test(
        text,
      ) &&
      !text.includes('=') &&
      args[at + 1] &&
      text !== '--replace'
    )
      at += 1;
  }
  return args.slice(at + before);
}

function judgeEnv(use: Use): void {
  const { args, state, raise } = use;
  let at = 0;
  for (; at < args.length; at += 1) {
    const { text, open } = args[at] as Arg;
    if (/^(?:-S|-[iv0]*S.*|--split-string.*)$/.test(text)) return raise('deny', 'env -S runs a text');
    if (text === '-u' || text === '--unset') at += 1;
    else if (text === '-C' || text === '--chdir') {
      at += 1;
      state.cwd = fullPath(state, args[at]?.text ?? HOLE);
    } else if (/^\w+=/.test(text))
      checkVariable(state, text.slice(0, text.indexOf('=')), { ...literal(text.slice(text.indexOf('=') + 1)), open });
    else if (text === '--') {
      at += 1;
      break;
    } else if (!text.startsWith('-')) break;
  }
  if (at < args.length) return use.runs(args.slice(at));
  raise('external_mutation', 'env would show the whole environment');
}

function judgeFlock(use: Use): void {
  const at = use.args.findIndex(({ text }) => text === '-c' || text === '--command');
  const script = use.args[at + 1];
  if (at !== -1 && script) return use.script(script);
  const [file, ...command] = afterOptions(use.args, 'wE', 0);
  if (file && !/^\d+$/.test(file.text)) use.writes(file);
  use.runs(command);
}

const fromPipe: Stdin = nothing;
const ONLY_SHOWS = /^(?:echo|printf|basename|dirname|grep|wc|head|tail|ls|stat|file|expr|seq|-n1)$/;

function judgeXargs(use: Use): void {
  const command = afterOptions(use.args, 'IdEnPLsa', 0);
  const own = use.args.slice(0, use.args.length - command.length);
  const at = own.findIndex(({ text }) => /^-I|^--replace|^-i/.test(text));
  const flag = own[at]?.text ?? '';
  const mark =
    at === -1 ? null : flag === '-I' ? (own[at + 1]?.text ?? '{}') : flag.replace(/^-I|^-i|^--replace=?/, '') || '{}';
  const file = own.findIndex(({ text }) => text === '-a' || text === '--arg-file');
  if (file !== -1 && own[file + 1]) use.reads(own[file + 1] as Arg);
  if (own.some(({ text }) => text.startsWith('--process')))
    use.raise('deny', 'xargs would set a variable for what it runs');
  if (command.length === 0) return;
  if (use.state.tally.far && !/^(?:ls|stat|echo|printf|basename|dirname)$/.test(command[0]?.text ?? ''))
    use.raise('external_mutation', 'xargs may be given files outside the desk');
  if (use.stdin.from === 'pipe' && use.stdin.fetched && !ONLY_SHOWS.test(command[0]?.text ?? ''))
    use.raise('external_mutation', `xargs would give ${toDisplay(command[0]?.text ?? '')} words from another source`);
  if (use.stdin.from === 'text' && !use.stdin.text.includes(HOLE))
    return judgeKnownWords(use, command, mark, use.stdin.text);
  judgeUnknownWords(use, command, mark);
}

/** Judges a command whose inserted words the line itself provides. */
function judgeKnownWords(use: Use, command: readonly Arg[], mark: string | null, text: string): void {
  const pieces = text
    .split(mark === null ? /\s+/ : /\n/)
    .filter((piece) => piece !== '')
    .slice(0, 50);
  if (mark === null) return use.runs([...command, ...pieces.map(literal)], fromPipe);
  for (const piece of pieces)
    use.runs(
      command.map((arg) => ({ ...arg, text: arg.text.replaceAll(mark, () => piece) })),
      fromPipe,
    );
  judgeUnknownWords(use, command, mark);
}

/** Judges a command with unknown inserted words; a shell must not use one as its script. */
function judgeUnknownWords(use: Use, command: readonly Arg[], mark: string | null): void {
  const words = mark === null ? command : command.map((arg) => withHole(arg, mark));
  const shell = words.findIndex(({ text }) => /^(?:\S*\/)?(?:ba|da|z|k|a)?sh$/.test(text));
  const script = words.findIndex(({ text }, index) => index > shell && /^-\w*c$/.test(text));
  const file = words[shell + 1];
  const named = script === -1 && file !== undefined && !file.open && !file.text.startsWith('-');
  if (shell !== -1 && !named && (script === -1 || words[script + 1] === undefined))
    return use.raise('deny', `${use.name} would run what it reads as a script`);
  if (mark === null) use.runs([...words, unknown], fromPipe);
  use.runs(words, fromPipe);
}

const withHole = (arg: Arg, mark: string): Arg =>
  arg.text.includes(mark) ? { ...arg, text: arg.text.replaceAll(mark, HOLE), open: true } : arg;

function judgeParallel(use: Use): void {
  const words = afterOptions(use.args, 'jNnIadX', 0);
  if (use.args.some(({ text }) => text.includes('{=') || /^--(?:rpl|filter|wrapper|onall|nonall|profile)/.test(text)))
    return use.raise('deny', 'parallel would run code of its own');
  const end = words.findIndex(({ text }) => text.startsWith(':::'));
  const command = end === -1 ? words : words.slice(0, end);
  if (command.length === 0) return use.raise('deny', 'parallel would run what it reads');
  const [only] = command;
  if (command.length === 1 && only && /\s/.test(only.text)) return use.script(withMark(only));
  judgeUnknownWords(
    use,
    command.map((arg) => withHole(arg, '{}')).concat(command.some(({ text }) => text.includes('{')) ? [] : [unknown]),
    '{}',
  );
}

/** The placeholder counts as a variable, which a script may use as an argument. */
const withMark = (arg: Arg): Arg => ({ ...arg, text: arg.text.replaceAll(/\{[./#%]*\}/g, '"$item"') });

const VALUED =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|lname|type|xtype|size|m?min|[amc]time|[amc]min|newer\w*|anewer|cnewer|perm|user|group|uid|gid|maxdepth|mindepth|links|inum|samefile|fstype|printf|regextype|context|used|files0-from|D)$/;
const HUNTED =
  /id_(?:rsa|dsa|ed25519|ecdsa|\*)|\.pem$|\.key$|\.kdbx|shadow|credentials|\.aws|\.ssh|\.netrc|\.npmrc|^\.env|_history|wallet|^environ$/;

function judgeFind(use: Use): void {
  const from = use.args.findIndex(
    ({ text }, index) => /^[-(!]/.test(text) && !/^-(?:[HLP]|O\d|D)$/.test(text) && use.args[index - 1]?.text !== '-D',
  );
  const starts = (from === -1 ? use.args : use.args.slice(0, from)).filter(({ text }) => !text.startsWith('-'));
  const tests = from === -1 ? [] : use.args.slice(from);
  for (const start of starts) use.stats(start);
  if (starts.some(({ text }) => ['home', 'outside'].includes(placeOf(use.state, text)))) use.state.tally.far = true;
  const roots = starts.length > 0 ? starts : [literal('.')];
  for (let at = 0; at < tests.length; at += 1) {
    const { text } = tests[at] as Arg;
    const value = tests[at + 1];
    if (/^-(?:exec|execdir|ok|okdir)$/.test(text)) at = judgeExec(use, tests, at, roots);
    else if (text === '-delete') judgeDelete(use, roots, tests);
    else if (/^-f(?:print0?|printf|ls)$/.test(text) && value) use.writes(value);
    else if (VALUED.test(text)) {
      at += 1;
      if (/name$|path$|regex$/.test(text) && HUNTED.test(value?.text ?? ''))
        use.raise('external_mutation', 'find searches for secrets');
      if (text === '-perm' && /^[-/]?0*[2467]\d{3}$|[+=]\w*s/.test(value?.text ?? ''))
        use.raise('external_mutation', 'find searches for setuid programs');
      if (text === '-files0-from' && value) use.reads(value);
    } else if (text.startsWith('-') && text.includes(HOLE))
      use.raise('deny', 'an option of find is not known before it runs');
  }
}

/** Without a test that selects files, everything below the roots would be deleted. */
function judgeDelete(use: Use, roots: readonly Arg[], tests: readonly Arg[]): void {
  roots.forEach(use.writes);
  const chooses = tests.some(({ text }) => CHOOSES.test(text));
  for (const root of roots) {
    if (!chooses && placeOf(use.state, root.text) === 'desk root')
      use.raise('deny', 'find would delete everything on the desk');
    if (root.text.startsWith(HOLE)) use.raise('external_mutation', 'what find deletes is not known before it runs');
  }
}

const CHOOSES =
  /^-(?:i?name|i?path|i?wholename|i?regex|empty|size|[amc]time|[amc]min|newer\w*|perm|user|group|inum|links|samefile|lname)$/;

/** Judges the command with every file below the roots as its argument. */
function judgeExec(use: Use, tests: readonly Arg[], at: number, roots: readonly Arg[]): number {
  let end = at + 1;
  while (end < tests.length && tests[end]?.text !== ';' && !(tests[end]?.text === '+' && tests[end - 1]?.text === '{}'))
    end += 1;
  const command = tests.slice(at + 1, end);
  for (const root of roots) {
    if (root.text.startsWith(HOLE) && /^(?:rm|unlink|shred|mv|chmod|chown|truncate)$/.test(command[0]?.text ?? ''))
      use.raise('external_mutation', 'what find changes is not known before it runs');
    const below = `${root.text.replace(/\/$/, '')}/${HOLE}`;
    const words = command.map((arg) => (arg.text === '{}' ? { ...arg, text: below, open: true } : withHole(arg, '{}')));
    judgeUnknownWords(use, words, '\uE002');
  }
  return end;
}

function judgeFd(use: Use): void {
  const at = use.args.findIndex(({ text }) => /^(?:-[xX]|--exec(?:-batch)?)$/.test(text));
  const words = (at === -1 ? use.args : use.args.slice(0, at)).filter(({ text }) => !text.startsWith('-'));
  const roots = words.slice(1).filter(({ text }) => /[/~.]/.test(text));
  for (const root of roots) use.stats(root);
  if (at === -1) return;
  const command = use.args.slice(at + 1);
  const marked = command.some(({ text }) => text.includes('{')) ? command : [...command, literal('{}')];
  judgeExec(use, [literal('-exec'), ...marked, literal(';')], 0, roots.length > 0 ? roots : [literal('.')]);
}
