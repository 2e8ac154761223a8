/**
 * Owns: whether a rule of the policy matches a call.
 *
 * M1 A rule that allows must match all of a call: every program, path and host it names. One that asks or denies
 *    matches as soon as a part of the call does. So no rule allows a second command on the same line.
 * M2 What is not known before the shell expands it is `maybe`: it does not allow, and it leads to a question.
 */
import { posix } from 'node:path';
import type { PolicyRule } from '../schema/policy.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import type { ToolAnnotations } from '../schema/tool.ts';
import { splitHost } from './host-names.ts';

/** What a call is about, as far as that is known without running it. */
export type Facts = {
  tool: string;
  class: SideEffectClass;
  programs: readonly string[];
  /** As written, relative to the desk. */
  paths: readonly string[];
  hosts: readonly string[];
  risk: ToolAnnotations['risk'];
  destructive: boolean;
};

type Match = 'yes' | 'maybe' | 'no';

const RISKS = ['low', 'medium', 'high'] as const;

export function ruleMatches(rule: PolicyRule, facts: Facts): Match {
  const allows = rule.effect === 'allow';
  const among = (values: readonly string[], match: (value: string) => Match): Match =>
    allows ? every(values.map(match)) : some(values.map(match));
  const { tool, class: effect, program, path, host, risk, destructive } = rule;
  return all([
    tool === undefined || namesOf(facts.tool).some((name) => toolMatches(tool, name)),
    effect === undefined || effect === facts.class,
    program === undefined || among(facts.programs, (word) => programMatches(program, word, allows)),
    path === undefined || among(facts.paths, (word) => pathMatches(path, word, facts.class !== 'read')),
    host === undefined || among(facts.hosts, (name) => yesIf(hostAndPortMatch(host, name))),
    risk === undefined || riskMatches(risk, facts.risk, allows),
    destructive === undefined || destructive === facts.destructive,
  ]);
}

/** Why a person is asked, and the rule that would allow it beforehand, ready to be pasted. */
export function withRuleLine(why: string, facts: Facts): string {
  const line = why.includes('To allow it') ? null : ruleLineFor(facts);
  return line === null ? why : `${why}. To allow it, put this rule into .oka/rules/POLICY.md: ${line}`;
}

/** The narrowest rule that allows a call like this one; null where no single rule covers all of it. */
function ruleLineFor({ tool, class: effect, programs, paths, hosts, ...facts }: Facts): string | null {
  const [program, host, path] = [programs, hosts, paths].map((values) => (values.length === 1 ? values[0] : undefined));
  const isCommand = programs.length > 0;
  const rule: PolicyRule = { effect: 'allow', tool, examples: [] };
  if (program !== undefined) rule.program = program;
  if (host !== undefined) rule.host = host;
  if (path !== undefined && !isCommand && effect === 'write_local') rule.path = path;
  // A command that goes nobody knows where would be allowed to go everywhere.
  const isNarrow = isCommand
    ? program !== undefined && (host !== undefined || effect !== 'external_mutation')
    : hosts.length < 2;
  if (!isNarrow || ruleMatches(rule, { tool, class: effect, programs, paths, hosts, ...facts }) !== 'yes') return null;
  const { examples: _, ...shown } = rule;
  return `- { ${Object.entries(shown)
    .map(([field, value]) => `${field}: ${/^[a-z][\w.-]*$/i.test(String(value)) ? value : JSON.stringify(value)}`)
    .join(', ')} }`;
}

/** web.read is http.get with a page made readable, and so are those of a browser: what people decided about the one applies to the others. */
const namesOf = (tool: string): string[] =>
  tool === 'web.read' || tool === 'browser.open' || tool === 'browser.follow' ? [tool, 'http.get'] : [tool];

function all(parts: readonly (Match | boolean)[]): Match {
  if (parts.some((part) => part === false || part === 'no')) return 'no';
  return parts.includes('maybe') ? 'maybe' : 'yes';
}

/** A rule about hosts does not match a call that names none. */
function every(parts: readonly Match[]): Match {
  return parts.length === 0 ? 'no' : all(parts);
}

function some(parts: readonly Match[]): Match {
  if (parts.includes('yes')) return 'yes';
  return parts.includes('maybe') ? 'maybe' : 'no';
}

const yesIf = (condition: boolean): Match => (condition ? 'yes' : 'no');

function toolMatches(pattern: string, tool: string): boolean {
  return pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern;
}

function riskMatches(limit: Facts['risk'], risk: Facts['risk'], allows: boolean): boolean {
  const [most, found] = [RISKS.indexOf(limit), RISKS.indexOf(risk)];
  return allows ? found <= most : found >= most;
}

/** `./git` and `/tmp/git` are not the git that a rule allows, but a rule that denies git matches them. */
function programMatches(pattern: string, word: string, allows: boolean): Match {
  if (word === pattern) return 'yes';
  return yesIf(!allows && posix.basename(word) === pattern);
}

/** Ports are compared where both are written; else the egress rule decides about them. */
function hostAndPortMatch(pattern: string, host: string): boolean {
  const [[wanted, port], [found, at]] = [splitHost(pattern), splitHost(host)];
  return hostMatches(wanted, found) && (port === null || at === null || port === at);
}

export function hostMatches(pattern: string, host: string): boolean {
  const [wanted, found] = [pattern, host].map((name) => name.toLowerCase().replace(/\.$/, '')) as [string, string];
  if (wanted === '*') return true;
  return wanted.startsWith('*.')
    ? found.endsWith(wanted.slice(1)) && found.length > wanted.length - 1
    : found === wanted;
}

/** Characters that the shell expands, and the classifier's placeholder for an unknown part. */
const EXPANDED = /[$*?[{~`\\]|\p{Cc}/u;

function pathMatches(pattern: string, written: string, isWritten: boolean): Match {
  const glob = normalizePath(pattern);
  const unsure = EXPANDED.exec(written);
  if (unsure !== null) {
    const [known, wanted] = [normalizePath(written.slice(0, unsure.index), true), literalOf(glob)];
    return known.startsWith(wanted) || wanted.startsWith(known) ? 'maybe' : 'no';
  }
  const path = normalizePath(written);
  if (globToRegExp(glob).test(path)) return 'yes';
  return isWritten && contains(path, literalOf(glob)) ? 'maybe' : 'no';
}

/** Whether a folder may contain what the pattern matches, so that writing the folder affects it. */
function contains(folder: string, wanted: string): boolean {
  return folder === '.' ? !posix.isAbsolute(wanted) : wanted.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Without `.`, double slashes and a trailing slash; `a/../b` becomes b. */
function normalizePath(path: string, isPart = false): string {
  const tidy = posix.normalize(path === '' ? '.' : path);
  if (isPart) return tidy === '.' ? '' : tidy;
  return tidy.length > 1 && tidy.endsWith('/') ? tidy.slice(0, -1) : tidy;
}

function literalOf(glob: string): string {
  const wild = glob.search(/[*?]/);
  return wild === -1 ? glob : glob.slice(0, wild);
}

/** `**` matches any number of folders, `*` any part of one name, `?` one character; nothing else is special. */
function globToRegExp(glob: string): RegExp {
  const source = glob
    .split(/(\/\*\*$|\*\*\/|\*\*|\*|\?)/)
    .map((part) => GLOB[part] ?? part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .join('');
  return new RegExp(`^${source}$`, 's');
}

const GLOB: Readonly<Record<string, string>> = {
  '/**': '(?:/.*)?',
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};
