/** Commands of git that exchange commits with other repositories, and what its other commands are judged with, too. */
import type { SideEffectClass } from '../../../schema/effect.ts';
import { hasCredentials, suspiciousAddress } from '../hosts.ts';
import { fullPath, placeOf } from '../paths.ts';
import type { Use } from '../program-row.ts';
import { type Arg, literal } from '../shell-state.ts';

export function judgeSending(use: Use, name: string, rest: readonly Arg[]): void {
  if (judgeFetching(use, name, rest) || judgeLocalExchange(use, name, rest)) return;
  judgeSubcommand(use, name, 'external_mutation');
  if (has(rest, FETCH_RUNS) && name === 'clone') use.raise('deny', 'an option of git clone can make git run a program');
  for (const arg of plain(rest)) if (/:\/\/|@.*:/.test(arg.text)) use.contacts(arg);
  if (name === 'clone') plain(rest).slice(1, 2).forEach(use.writes);
}

/** Fetching from a literal address changes nothing outside; which hosts are allowed is not decided here. */
const FETCHES = /^(?:clone|fetch|pull)$/;
const FETCH_TAKES =
  /^(?:-[bjo]|--(?:branch|depth|origin|jobs|shallow-since|shallow-exclude|filter|bundle-uri|server-option|strategy))$/;
const FETCH_RUNS =
  /^-(?:c|u|-config|-template|-reference(?:-if-able)?|-upload-pack|-bundle-uri|-server-option)(?:=|$)|^-[cu]./;

function judgeFetching(use: Use, name: string, rest: readonly Arg[]): boolean {
  const words = rest.filter((arg, at) => !arg.text.startsWith('-') && !FETCH_TAKES.test(rest[at - 1]?.text ?? ''));
  const [from, to] = words;
  if (from === undefined || !FETCHES.test(name)) return false;
  if (!/^https:\/\/[\w.-]+(?::\d+)?\/[\w./~+@%-]+$/.test(from.text) || from.open || from.hidden) return false;
  if (hasCredentials(from.text) || suspiciousAddress(from.text) !== null || has(rest, FETCH_RUNS)) return false;
  if (words.slice(1).some(({ hidden }) => hidden)) return false;
  use.contacts(from);
  judgeSubcommand(use, name, 'write_local');
  if (name === 'clone' && to) use.writes(to);
  const folder =
    to?.text ??
    from.text
      .replace(/\/$/, '')
      .replace(/\.git$/, '')
      .split('/')
      .at(-1) ??
    '';
  const full = fullPath(use.state, name === 'clone' ? folder : '.');
  if (full !== null) use.state.written.set(`${full}/`, null);
  return true;
}

/** Whether a word is the path of something on the desk, or in a folder that the task may change. */
export function isOwnRepository(use: Use, { text, open, hidden, glob }: Arg): boolean {
  return /^\.{0,2}\/[\w./+@-]*$/.test(text) && !open && !hidden && !glob && placeOf(use.state, text) === 'desk';
}

/**
 * Judges exchanging commits with a repository on the desk, or in a folder that the task may use. Nothing judged so gets
 * a network: should a remote change before the command runs, nothing is reached.
 */
function judgeLocalExchange(use: Use, name: string, rest: readonly Arg[]): boolean {
  const words = rest.filter((arg, at) => !arg.text.startsWith('-') && !FETCH_TAKES.test(rest[at - 1]?.text ?? ''));
  if (!/^(?:push|fetch|pull|clone|ls-remote)$/.test(name)) return false;
  const runs = name === 'push' ? /^--(?:receive-pack|exec)/ : FETCH_RUNS; // -u of a push only names the upstream
  if (has(rest, runs) || words.some(({ hidden }) => hidden)) return false;
  const repositories = addressed(use, name, words);
  const isNear = ({ text }: Arg): boolean => {
    const place = placeOf(use.state, text);
    return place === 'desk' || place === 'desk root' || (place === 'read folder' && name !== 'push');
  };
  if (repositories.length === 0 || !repositories.every((each) => PATH.test(each.text) && isNear(each))) return false;
  repositories.forEach(name === 'push' ? use.writes : use.reads);
  if (name === 'clone') words.slice(1, 2).forEach(use.writes);
  use.raise(name === 'ls-remote' ? 'read' : 'write_local', `git ${name} works with a repository of the task`);
  return true;
}

const PATH = /^(?:\.{0,2}\/)[\w./+@ -]*$/;

/** The repositories that a command exchanges with: the path it names, or what the remote of that name is; none if unknown. */
function addressed({ state }: Use, name: string, [repository]: readonly Arg[]): Arg[] {
  const isPlain = repository === undefined || !(repository.open || repository.hidden || repository.glob);
  if (!isPlain) return [];
  if (repository !== undefined && PATH.test(repository.text)) return [repository];
  if (name === 'clone' || state.cwd === null) return [];
  const remotes = state.where.remotes(state.cwd);
  const wanted = repository?.text ?? 'origin';
  return remotes.filter((remote) => remote.name === wanted).map(({ url }) => literal(url));
}

export function judgeSubcommand(use: Use, name: string, to: SideEffectClass): void {
  if (to === 'read') return;
  use.raise(
    to,
    to === 'write_local' ? `git ${name} changes the repository on the desk` : `git ${name} reaches other repositories`,
  );
  if (to === 'external_mutation') use.state.tally.net = true;
}

export const has = (args: readonly Arg[], shape: RegExp): boolean => args.some(({ text }) => shape.test(text));
export const plain = (args: readonly Arg[]): Arg[] => args.filter(({ text }) => !text.startsWith('-'));
