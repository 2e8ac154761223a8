/** Running code from the desk, and code that the line itself has just written. */
import { posix } from 'node:path';
import { scanCode } from '../scan-code.ts';
import { sensitivityOf, fullPath, placeOf, judgeRead } from '../paths.ts';
import type { Use } from '../program-row.ts';
import { type Arg, literal, type ShellState, toDisplay } from '../shell-state.ts';

/** Judges running a file, by its own name or by an interpreter of `language`. */
export function judgeRunFile(use: Use, language: string | null = null, file: Arg = literal(use.name)): void {
  const { state, raise } = use;
  const place = placeOf(state, file.text);
  state.flow.bounded = true;
  const name = toDisplay(file.text);
  if (file.hidden || file.glob) return raise('deny', `it is not known beforehand which code runs: ${name}`);
  switch (place) {
    case 'desk':
    case 'tools':
    case 'unknown':
      break;
    case 'scratch':
      if (!state.written.has(fullPath(state, file.text) ?? ''))
        raise('external_mutation', `${name} is code from scratch that was never reviewed`);
      break;
    case 'sink':
    case 'endless':
    case 'device':
      return raise('deny', 'it runs what comes through a pipe');
    case 'system':
      if (language === null) raise('external_mutation', `${name} is not known`);
      break;
    case 'desk root':
    case 'read folder':
    case 'workspace':
    case 'home':
    case 'outside':
      return raise('external_mutation', `${name} is code from outside the desk`);
  }
  if (posix.basename(file.text) === 'oka') return raise('deny', 'oka is the command people control the assistant with');
  if (sensitivityOf(state, file) === 'config')
    return raise('deny', `${name} is configuration, not part of the project`);
  judgeRead(state, 'running it', file);
  raise('write_local', `${name} is code from the desk`);
  scanArguments(use);
  if (LEAVES.test(posix.basename(file.text).replace(/\.\w+$/, '')))
    raise('external_mutation', `${name} sounds like it changes something outside`);
  const full = fullPath(state, file.text);
  if (language === null) judgeCopies(use, full);
  if (isFetched(state, full)) raise('external_mutation', `${name} is code that was just downloaded`);
  const text = full === null ? undefined : state.written.get(full);
  if (text === undefined) return;
  if (text === null) return raise('deny', `${name} is code that was just downloaded or decoded`);
  judgeRunText(use, text, language ?? languageOf(text, file.text));
}

/** A program of the system under another name is judged as what it is, also one that the line itself may just have copied. */
function judgeCopies({ state, args, runs, knows, raise }: Use, full: string | null): void {
  const isThere = full === null ? null : state.where.copyOf(full);
  const named = [...state.tally.paths].filter((path) => state.where.systemFolders.includes(posix.dirname(path)));
  const programs = [...(isThere === null ? [] : [isThere]), ...named.map((path) => posix.basename(path))];
  for (const program of new Set(programs)) if (knows(program)) runs([literal(program), ...args]);
  if (programs.length > 0 && state.tally.net)
    raise('external_mutation', `it uses the network by a copy of ${toDisplay(programs[0] ?? '')} under another name`);
}

/** Judges code that an option or a variable makes a program load. */
export function judgeLoadedCode({ name, state, raise, reads: look }: Use, code: Arg): void {
  if (code.text === '' || !/^[/~.\uE000]|\//.test(code.text)) return;
  if (/^(?:data|https?|blob):/.test(code.text) || code.hidden || code.text.startsWith('/dev/'))
    return raise('deny', `${name} would load code that was never reviewed`);
  if (['scratch', 'home', 'outside', 'device', 'workspace'].includes(placeOf(state, code.text)))
    raise('external_mutation', `${name} would load ${toDisplay(code.text)}, which is code from outside the desk`);
  else look(code);
}

/** Names of scripts that suggest changes outside, such as deploy. */
const LEAVES = /(?:^|[_-])(?:deploy|publish|release|upload|rollout|teardown|destroy|provision)(?:$|[_-])/i;

/** Whether a file is in a folder that the line downloaded; such a folder is recorded with a trailing slash. */
function isFetched(state: ShellState, full: string | null): boolean {
  return [...state.written].some(([path, text]) => text === null && path.endsWith('/') && full?.startsWith(path));
}

/** Judges running code whose text is known. */
export function judgeRunText({ state, raise }: Use, text: string, language: string): void {
  if (language === 'bash') state.parts.script(state, text);
  else scanCode(state, raise, text, language);
}

/** Judges running the project's code, which includes whatever this line wrote into the project. */
export function judgeProject(use: Use): void {
  use.state.flow.bounded = true;
  if (isFetched(use.state, `${use.state.cwd ?? ''}/`))
    use.raise('external_mutation', 'it runs code that was just downloaded');
  for (const [path, text] of use.state.written) {
    if (path.endsWith('/')) continue;
    if (/\.(?:md|txt|csv|html|css|rst|tsv|log)$/.test(path)) continue;
    if (
      text === null &&
      !/(?:package|composer|deno|tsconfig)\.json$/.test(path) &&
      /\.(?:json|ya?ml|xml|zip|gz|tgz|png|jpg|pdf|db)$/.test(path)
    )
      continue;
    if (text === null) use.raise('deny', 'it runs code that was just downloaded or decoded');
    else judgeProjectText(use, path, text);
  }
  scanArguments(use);
}

/** Makefiles and package.json are read as the commands they define; any other file as code. */
function judgeProjectText({ state, raise }: Use, path: string, text: string): void {
  const commands = /\/(?:GNU)?[Mm]akefile$|\.mk$/.test(path)
    ? recipes(text)
    : path.endsWith('/package.json')
      ? npmScripts(text)
      : null;
  if (commands === null) return scanCode(state, raise, text);
  for (const command of commands) state.parts.script({ ...state, vars: new Map(state.vars) }, command);
}

/** Commands of a Makefile; its variables count as unknown words. */
function recipes(text: string): string[] {
  return [...text.matchAll(/^(?:\t|[^\n#=]*:[^\n;=]*;)[@+\s-]*(.+)$/gm)].map(([, line = '']) =>
    line.replaceAll(/\$[({]\w+[)}]|\$[@<^*?]/g, 'true').replaceAll('$$', '$'),
  );
}

function npmScripts(text: string): string[] | null {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return Object.values(scripts ?? {}).filter((each) => typeof each === 'string');
  } catch {
    return null;
  }
}

function scanArguments({ args, raise, state }: Use): void {
  for (const { text } of args) if (/^(?:\/etc\/|~)/.test(text)) judgeRead(state, 'a program', literal(text));
  if (args.some(({ hidden }) => hidden)) raise('external_mutation', 'the arguments of the program are hidden');
}

function languageOf(text: string, name: string): string {
  const first = text.split('\n', 1)[0] ?? '';
  if (first.startsWith('#!')) return /\b(?:ba|da|z|k)?sh\b/.test(first) ? 'bash' : 'other';
  return /\.(?:py|js|ts|mjs|cjs|rb|pl|php|lua)$/.test(name) ? 'other' : 'bash';
}
