/** Shells and languages: code in their arguments is scanned; files on the desk run in the sandbox. */
import { posix } from 'node:path';
import { scanCode } from '../scan-code.ts';
import { never, type Row, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, HOLE, literal, toDisplay } from '../shell-state.ts';
import { judgeLoadedCode, judgeRunFile, judgeProject, judgeRunText } from './desk-code.ts';
import { judgePathsInWords } from './paths-in-words.ts';

/** How a language takes code: options with code, options with a value, options that load a module. */
type Language = {
  code?: readonly string[];
  valued?: readonly string[];
  module?: readonly string[];
  edits?: RegExp;
  risky?: RegExp;
};

const language = (about: Language): Row => ({
  class: 'read',
  operands: 'own',
  judge: (use) => judgeLanguage(use, about),
});

export const interpreters: Table = {
  ...rows('bash sh dash zsh ksh ash mksh fish rbash', { class: 'read', operands: 'own', judge: judgeShell }),
  ...rows(
    'python python2 python3 pypy pypy3 ipython',
    language({ code: ['-c'], valued: ['-W', '-X', '--check-hash-based-pycs'], module: ['-m'] }),
  ),
  ...rows(
    'node nodejs bun deno tsx ts-node',
    language({
      code: ['-e', '--eval', '-p', '--print', '-pe', 'eval'],
      valued: [
        '-r',
        '--require',
        '--import',
        '--loader',
        '--experimental-loader',
        '-C',
        '--conditions',
        '--env-file',
        '--test-name-pattern',
        '--test-reporter',
      ],
      risky:
        /^--(?:inspect|inspect-brk|inspect-wait|allow-run|allow-all|allow-net|allow-env|allow-ffi|unstable-ffi|diagnostic-dir|prof|heapsnapshot|report|openssl-config)|^-A$/,
    }),
  ),
  ...rows('perl', language({ code: ['-e', '-E'], valued: ['-I', '-M', '-m', '-F'], edits: /^-[a-zA-Z0-9]*i/ })),
  ...rows('ruby', language({ code: ['-e'], valued: ['-I', '-r', '-E'], edits: /^-[a-zA-Z]*i/, risky: /^-run/ })),
  ...rows(
    'php',
    language({
      code: ['-r', '-B', '-R', '-E'],
      valued: ['-d', '-c', '-z'],
      risky: /^-S|^-?d?(?:auto_prepend|auto_append|extension|zend_extension)/,
    }),
  ),
  ...rows(
    `lua luajit tclsh wish Rscript R julia swift kotlin kotlinc scala groovy clojure clj elixir iex erl escript
    ghci runghc runhaskell ocaml racket sbcl guile gst octave matlab gnuplot raku nim crystal v zig dart jshell`,
    language({ code: ['-e', '-E', '--eval', '-eval', '-c', '--command', '-Command'], valued: [] }),
  ),
  ...rows('expect osascript pwsh powershell autoexpect', never('controls any other program')),
};

/** A literal script is judged, a file on the desk may run, and a script from a pipe is denied. */
function judgeShell(use: Use): void {
  const { args, raise } = use;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as Arg;
    if (
      /^--(?!norc$|noprofile$|posix$|login$|verbose$|restricted$|interactive$|version$|help$|command=)/.test(
        arg.text,
      ) ||
      /^[-+]O$|^-C$/.test(arg.text)
    )
      return raise('deny', `${use.name} ${arg.text} changes how the shell works`);
    if (/^-\w*o$/.test(arg.text) && !/c/.test(arg.text)) at += 1;
    else if (/^-\w*s/.test(arg.text)) break;
    else if (arg.text.startsWith('--command=')) return judgeShellText(use, [{ ...arg, text: arg.text.slice(10) }]);
    else if (/^-\w*c\w*$/.test(arg.text)) return judgeShellText(use, behindOptions(args.slice(at + 1)));
    else if (!/^[-+]/.test(arg.text)) return judgeRunFile({ ...use, args: args.slice(at + 1) }, 'bash', arg);
  }
  if (use.args.some(({ text }) => /^-\w*[il]|^--login|^--interactive/.test(text)) && use.stdin.from === 'nothing')
    return raise('deny', `${use.name} would read its start-up files`);
  judgeInput(use, 'bash');
}

/** The words after the options; further options may follow -c. */
function behindOptions(args: readonly Arg[]): readonly Arg[] {
  const at = args.findIndex(({ text }) => text === '--' || !/^[-+]\w/.test(text));
  return at === -1 ? [] : args.slice(args[at]?.text === '--' ? at + 1 : at);
}

function judgeShellText(use: Use, [text, , ...rest]: readonly Arg[]): void {
  if (text === undefined) return use.raise('deny', `${use.name} -c has no script to run`);
  const { state } = use;
  const { positional, cwd, vars } = state;
  Object.assign(state, { positional: rest, vars: new Map(vars) });
  use.script(text);
  Object.assign(state, { positional, cwd, vars });
}

/** Code that comes on standard input. */
function judgeInput(use: Use, name: string): void {
  const { stdin, raise } = use;
  switch (stdin.from) {
    case 'nothing':
      return raise('external_mutation', `${use.name} waits for somebody to type`);
    case 'text':
      if (stdin.text.includes(HOLE) && name === 'bash')
        return raise('deny', `what ${use.name} runs is not known before it runs`);
      return judgeRunText(use, stdin.text, name);
    case 'file':
      return judgeRunFile({ ...use, args: [] }, name, stdin.file);
    case 'pipe':
      return raise('deny', `${use.name} would run what comes through a pipe`);
  }
}

function judgeLanguage(use: Use, about: Language): void {
  const { args, raise } = use;
  if (
    args.length > 0 &&
    use.stdin.from === 'nothing' &&
    args.every(({ text }) => /^-(?:[vVh]|-v|-version|-help)$/.test(text))
  )
    return;
  raise('write_local', `${use.name} runs code on the desk`);
  let code = false;
  const loadsModule = (arg: Arg): void =>
    judgeLoadedCode(use, { ...arg, text: arg.text.replace(/^[\w.]+=(?=[/~.])/, '') });
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as Arg;
    const { text } = arg;
    const attached = /^-{1,2}[\w-]*?=?([/~].*|data:.*|https?:.*)$/s.exec(text)?.[1];
    if (attached !== undefined) loadsModule({ ...arg, text: attached });
    const next = args[at + 1];
    if (about.risky?.test(text))
      raise('external_mutation', `${use.name} ${toDisplay(text)} grants more than the code needs`);
    if (/^-[Mmr]\w/.test(text) && !about.module) scanCode(use.state, raise, `${text.slice(2)} `, use.name);
    if (about.module?.includes(text) || (about.module && /^-[A-Za-z]+m$/.test(text)))
      return judgeModule(use, args.slice(at + 1));
    const inline = inlineCode(about, text);
    if (
      inline !== null ||
      (about.code?.some((each) => text === each) ?? false) ||
      (about.module && /^-[A-Za-z]+c$/.test(text))
    ) {
      code = true;
      judgeCode(use, inline === null ? (next ?? literal('')) : { ...arg, text: inline });
      if (inline === null) at += 1;
      if (use.name.startsWith('python')) return filesOf(use, args.slice(at + 1), about);
    } else if (/^-[a-zA-Z0-9.]*[eE]$/.test(text) && about.code?.some((each) => each === '-e')) {
      code = true;
      if (next) judgeCode(use, next);
      at += 1;
    } else if (about.valued?.includes(text)) {
      if (next) (/env-file/.test(text) ? use.reads : loadsModule)(next);
      at += 1;
    } else if (text === '-' || !text.startsWith('-'))
      return code ? filesOf(use, args.slice(at), about) : judgeScriptFile(use, arg, args.slice(at + 1));
  }
  if (!code && !args.some(({ text }) => /^--(?:test|run|check)/.test(text))) judgeInput(use, use.name);
}

/** Perl and others take the code in the same word: -ne'…'. */
function inlineCode(about: Language, text: string): string | null {
  for (const option of about.code ?? []) {
    if (option.startsWith('--') && text.startsWith(`${option}=`)) return text.slice(option.length + 1);
    if (option.length === 2 && text.startsWith(option) && text.length > 2 && /[^\w-]/.test(text.slice(2)))
      return text.slice(2);
  }
  if (about.edits) return /^-[a-zA-Z0-9]*?[eE](.*[^\w.-].*)$/s.exec(text)?.[1] ?? null;
  return null;
}

function judgeCode(use: Use, code: Arg): void {
  if (code.hidden || (code.open && code.text.replaceAll(HOLE, '').trim().length < 3))
    return use.raise('deny', `what ${use.name} runs is not known before it runs`);
  scanCode(use.state, use.raise, code.text, use.name);
  if (
    /\b(?:system|exec|popen|subprocess|spawn)\b/.test(code.text) &&
    use.args.some(({ text }) => /\b(?:rm|curl|wget|sudo|nc|bash|sh)\b/.test(text) && text !== code.text)
  )
    use.raise('deny', 'the code starts its arguments as a program');
}

/** Judges the files that follow inline code: the code works on them. */
function filesOf(use: Use, rest: readonly Arg[], about: Language): void {
  const edits = use.args.some(({ text }) => about.edits?.test(text) && !text.startsWith('--'));
  for (const arg of rest)
    if (!arg.text.startsWith('-') && !/\s/.test(arg.text))
      (edits ? use.writes : looksLikeFile(arg) ? use.reads : () => undefined)(arg);
}

const looksLikeFile = ({ text }: Arg): boolean =>
  /^[/~.]|\.\w{1,6}$/.test(text) && !text.startsWith('-') && !/^https?:/.test(text);

const SUBCOMMANDS: Readonly<Record<string, 'local' | 'ask' | 'run'>> = {
  run: 'run',
  test: 'local',
  check: 'local',
  fmt: 'local',
  lint: 'local',
  build: 'local',
  install: 'local',
  add: 'local',
  remove: 'local',
  task: 'local',
  bench: 'local',
  compile: 'local',
  cache: 'local',
  info: 'local',
  x: 'ask',
  publish: 'ask',
  upgrade: 'ask',
  deploy: 'ask',
  serve: 'ask',
  create: 'ask',
  pm: 'local',
  update: 'local',
  outdated: 'local',
  link: 'ask',
  repl: 'ask',
  init: 'local',
};

function judgeScriptFile(use: Use, script: Arg, rest: readonly Arg[]): void {
  if (script.text === '-') return judgeInput(use, use.name);
  if (/[\s;()"']/.test(script.text)) scanCode(use.state, use.raise, script.text, use.name);
  if (use.name === 'R' && script.text === 'CMD') return judgeRCommand(use, rest);
  const sub =
    /^(?:bun|deno|dart|swift|zig|nim|v|crystal)$/.test(use.name) && Object.hasOwn(SUBCOMMANDS, script.text)
      ? SUBCOMMANDS[script.text]
      : undefined;
  if (sub === 'ask') return use.raise('external_mutation', `${use.name} ${script.text} reaches beyond the desk`);
  if (sub === 'local' && rest.some(({ text }) => /^(?:-g|--global|--root)$/.test(text)))
    return use.raise('deny', `${use.name} ${script.text} would install outside the desk`);
  if (sub === 'local') return judgeProject(use);
  if (use.name === 'deno' && rest.some(({ text }) => /^-A$|^--allow-(?:all|run|net|env|ffi|write$)/.test(text)))
    use.raise('external_mutation', 'deno is given more permissions than the code needs');
  const target = sub === 'run' ? rest.find(({ text }) => !text.startsWith('-')) : script;
  if (target && /^(?:https?|jsr|npm):/.test(target.text))
    return use.raise('deny', `${use.name} would run code from the network`);
  if (target) judgeRunFile({ ...use, args: rest }, use.name, target);
  if (posix.basename(target?.text ?? '') === 'setup.py' && rest.some(({ text }) => SETUP_LEAVES.test(text)))
    use.raise('external_mutation', 'setup.py would install or publish');
}

/** R CMD BATCH runs a script; the others install and build. */
function judgeRCommand(use: Use, [verb, script]: readonly Arg[]): void {
  if (verb?.text === 'BATCH' && script) return judgeRunFile({ ...use, args: [] }, use.name, script);
  use.raise('external_mutation', 'R CMD changes the installed packages');
}

const SETUP_LEAVES = /^(?:install|upload|register|develop|--user|easy_install)$/;

const MODULES: Readonly<Record<string, string>> = {
  'http.server': 'opens a port on this machine',
  SimpleHTTPServer: 'opens a port on this machine',
  smtpd: 'opens a port on this machine',
  smtplib: 'sends mail',
  ftplib: 'talks to another machine',
  telnetlib: 'talks to another machine',
  webbrowser: 'opens a page',
  twine: 'publishes',
  pty: 'starts a shell',
  code: 'starts a shell',
  antigravity: 'opens a page',
  pickle: 'runs what is in a file',
  keyring: 'handles secrets',
  pdb: 'waits for somebody to type',
  asyncio: 'starts a shell',
  ensurepip: 'installs',
};

function judgeModule(use: Use, [name, ...rest]: readonly Arg[]): void {
  const text = name?.text ?? '';
  if (name === undefined || name.open) return use.raise('deny', 'it is not known beforehand which module runs');
  if (text === 'pip' || text === 'venv' || text === 'virtualenv')
    return text === 'pip'
      ? use.runs([literal('pip'), ...rest])
      : rest.filter((arg) => !arg.text.startsWith('-')).forEach(use.writes);
  if (Object.hasOwn(MODULES, text))
    return use.raise(
      /shell/.test(MODULES[text] ?? '') ? 'deny' : 'external_mutation',
      `${use.name} -m ${text} ${MODULES[text]}`,
    );
  if (text === 'zipfile' || text === 'tarfile' || text === 'json.tool' || text === 'csv')
    for (const arg of rest) if (/[/.]/.test(arg.text)) use.reads(arg);
  if (/^(?:trace|runpy|cProfile|profile|pdb|timeit|coverage)$/.test(text)) {
    const script = rest.find((arg) => /\.py$|^[/~.]/.test(arg.text));
    if (script) judgeRunFile({ ...use, args: [] }, use.name, script);
  }
  judgePathsInWords({ ...use, args: rest }, true);
  judgeProject({ ...use, args: rest });
}
