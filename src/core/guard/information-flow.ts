/**
 * Owns: what a run has read so far, and whether a request that a model wrote could carry it out of this machine. Pure.
 * Does not own: the class of a call and the rules of the policy (judge-call.ts), what the proxy lets a command reach.
 *
 * F1 A run that has read nothing private may ask any public host that no page has named. Private is the output of every tool except a public
 *    page, and what memory added to a prompt; files that the task lists under `public:` are not. Nor are the checks that are
 *    tried while a task is planned: the model learns only whether each one is met.
 * F2 After that, a model may address a host that the operator named (in the task, in an answer, by a rule of the policy),
 *    and may follow, by a plain GET and unchanged, an address that is in the operator's words or on a clean page.
 * F3 A page is clean if its own address was chosen before anything private was read, or was itself such a link: nothing
 *    that the run has read can have shaped what is on it.
 * F4 The operator's search server is free, as is every host that config.json names. Its results are links as on a page; a
 *    query chosen after something private was read could come back in an address, so one that repeats it is not a link.
 */
import type { Event } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import { jsonField } from '../schema/json-field.ts';
import type { ToolCall } from '../schema/tool.ts';
import { comparableUrl, linksIn, repeatsQuery } from './page-links.ts';

export type Flow = {
  /** What was read that is not public, in words for a person; null while nothing was. */
  read: string | null;
  /** Addresses in the operator's words and on clean pages. */
  links: ReadonlySet<string>;
  /** Hosts that a page named, as long as none of their own pages was read. */
  named: ReadonlySet<string>;
  /** What the operator wrote: the task, and answers to questions. */
  words: string;
};

export type FlowSources = {
  /** What the operator wrote before the run began. */
  words: string;
  /** What the first prompt contains that is not public, in words; null when nothing. */
  read?: string | null;
  /** Whether the task lists a file, relative to the desk, as public. */
  isPublicFile: (path: string) => boolean;
  /** Whether links on clean pages may be followed without asking. */
  followsLinks: boolean;
};

type OpenCall = { tool: string; input: Json; isClean: boolean; isReview: boolean };
type Ended = Extract<Event, { type: 'call.ended' }>['data'];

/** `events` are those of a run and of the runs around and inside it, in the order in which they happened. */
export function foldFlow(events: Iterable<Event>, sources: FlowSources): Flow {
  const flow = { read: sources.read ?? null, links: new Set<string>(), named: new Set<string>(), words: '' };
  const open = new Map<string, OpenCall>();
  addWords(sources.words);
  for (const { type, data } of events) {
    if (type === 'context.packed' && data.items.length > 0) flow.read ??= 'what is remembered';
    if (type === 'wait.closed' && data.answer.verdict === 'answered') addWords(data.answer.text ?? '');
    if (type === 'call.started') {
      const isClean = flow.read === null || isLink(flow.links, data.input);
      const isReview = open.get(callAround(data.call))?.tool === 'task.plan';
      open.set(data.call, { tool: data.tool, input: data.input, isClean, isReview });
    }
    const call = type === 'call.ended' ? open.get(data.call) : undefined;
    if (type === 'call.ended' && call !== undefined && data.status !== 'denied' && data.status !== 'waiting')
      addOutput(call, data);
  }
  return flow;

  function addWords(text: string): void {
    flow.words += `${text}\n`;
    for (const link of linksIn(text)) flow.links.add(link);
  }

  function addOutput(call: OpenCall, { output }: Ended): void {
    if (call.isReview) return;
    if (isPublicPage(call)) {
      const links = call.tool === 'web.search' ? resultLinks(call, output) : pageLinks(output);
      for (const link of links) flow.named.add(new URL(link).host);
      flow.named.delete(URL.parse(textField(call.input, 'url'))?.host ?? '');
      if (sources.followsLinks && (call.isClean || call.tool === 'web.search'))
        for (const link of links) flow.links.add(link);
    } else if (!revealsNothing(call, sources.isPublicFile)) flow.read ??= describeRead(call);
  }
}

/** The call of the tool that makes this one; a call of a step has none of that name. */
const callAround = (call: string): string => call.slice(0, call.lastIndexOf('.'));

/** A page that anybody would get: no credentials, no host of the operator's own network; or results of a search. */
function isPublicPage({ tool, input }: OpenCall): boolean {
  if (tool === 'web.search') return true;
  const url = tool === 'http.get' || tool === 'web.read' ? URL.parse(textField(input, 'url')) : null;
  return (
    url !== null &&
    isPlain(input) &&
    url.hostname.includes('.') &&
    !/^[\d.]+$|\.(local|internal|lan|home)$/.test(url.hostname)
  );
}

function pageLinks(output: Json): Set<string> {
  return linksIn(textField(output, 'body') || textField(output, 'text'), textField(output, 'url') || undefined);
}

/** The addresses that a search found (F4). */
function resultLinks({ input, isClean }: OpenCall, output: Json): Set<string> {
  const results = jsonField(output, 'results');
  const found = Array.isArray(results) ? results.flatMap((each) => comparableUrl(textField(each, 'url')) ?? []) : [];
  return new Set(isClean ? found : found.filter((link) => !repeatsQuery(link, textField(input, 'query'))));
}

/** Tools whose output contains nothing that the model did not write itself, or that was shown to it already. */
const REVEALS_NOTHING =
  /^(model\.complete|task\.(plan|critique)|step\.check|run\.start|human\.ask|deps\.install|memory\.note|files\.(write|edit|move|remove))$/;

function revealsNothing({ tool, input }: OpenCall, isPublicFile: (path: string) => boolean): boolean {
  if (REVEALS_NOTHING.test(tool)) return true;
  return tool === 'files.read' && isPublicFile(textField(input, 'path'));
}

function describeRead({ tool, input }: OpenCall): string {
  const what = textField(input, 'path') || textField(input, 'url');
  return what === '' ? `the output of ${tool}` : `${what.slice(0, 200)} (${tool})`;
}

/** Why a request that a model wrote needs a person; null when nothing that is private can leave with it. */
export function whyRequestAsks(call: ToolCall, flow: Flow, isAllowedHost: boolean): string | null {
  const url = URL.parse(textField(call.input, 'url'));
  if (url === null || isOperatorsOwn(call)) return null;
  const host = hostOf(url);
  if (isAllowedHost || namesHost(flow.words, url)) return null;
  if (isLink(flow.links, call.input)) return null;
  if (flow.read !== null)
    return `it goes to ${host}, which neither your task nor the policy names, after this run has read ${flow.read}: the address could carry that out`;
  return flow.named.has(host) ? `a page named ${host}, and the address is not a link that was found there` : null;
}

function isOperatorsOwn(call: ToolCall): boolean {
  const isTheirs = Object.values(call.origins()).every((origin) => origin === 'operator' || origin === 'task');
  return call.author === 'operator' && isTheirs;
}

/** A plain GET of an address that is known word for word. */
function isLink(links: ReadonlySet<string>, input: Json): boolean {
  const url = comparableUrl(textField(input, 'url'));
  return url !== null && isPlain(input) && links.has(url);
}

/** Nothing is added that a model could fill: no headers. */
function isPlain(input: Json): boolean {
  const headers = jsonField(input, 'headers');
  return headers === null || (typeof headers === 'object' && Object.keys(headers).length === 0);
}

/** Whether a text names the host of an address: written out, or as a part of an address, with the port unless it is usual. */
export function namesHost(words: string, url: URL): boolean {
  const name = hostOf(url).toLowerCase();
  const text = words.toLowerCase();
  return [name, name.replace(/^www\./, '')].some((each) => {
    const quoted = each.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return new RegExp(String.raw`(?<![a-z0-9_.-])(?:www\.)?${quoted}(?![a-z0-9_-]|\.[a-z0-9]|:\d)`).test(text);
  });
}

/** The port is a part of it unless it is the usual one. */
const hostOf = (url: URL): string => url.host;

function textField(input: Json, field: string): string {
  const value = jsonField(input, field);
  return typeof value === 'string' ? value : '';
}
