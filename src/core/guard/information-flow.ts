/**
 * Owns: what a run has read so far, and whether a request that a model wrote could carry it out of this machine. Pure.
 * Does not own: what a text grants (grants.ts), the class of a call and the rules of the policy (judge-call.ts), what the
 * proxy lets a command reach.
 *
 * F1 A run that has read nothing private may ask any public host that no page has named. Private is the output of every tool except a public
 *    page, what memory added to a prompt, and the person's own words, answers to questions among them, if they contain a
 *    number, an address or a password;
 *    files that the task lists under `public:` are not, as long as they are what they were. Nor are the checks that are
 *    tried while a task is planned: the model learns only whether each one is met.
 * F2 After that, a request carries only what is in a grant: an address exactly as the person wrote it, or anything to a host
 *    with `send: true`. A model may also follow, by a plain GET and unchanged, a link on a clean page.
 *    What stands behind `#` in an address counts where a browser opens it, whose page sees it.
 * F3 A page is clean if its own address was chosen before anything private was read, or was itself such a link: nothing
 *    that the run has read can have shaped what is on it.
 * F4 The operator's search server is free, as is every host that config.json names. Its results are links as on a page; a
 *    query chosen after something private was read could come back in an address, so one that repeats it is not a link.
 * F5 Which link is chosen tells something: log2 of the links there were, for each one that is followed after something private
 *    was read, to a host that no grant names; so does each thing that is done on a page in a browser. Beyond MOST_BITS in a run a person is asked.
 * F8 Every argument of a server that has network, or is elsewhere, is a request that leaves this machine.
 * F7 A label belongs to a content (file-labels.ts): a private file under a public name is still private, and a tool that tells
 *    anything about it has read it.
 * F6 Every hop of a redirect is judged like a request of its own; a clean page may lead where it wants (F3).
 */
import type { Event } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import { jsonField } from '../schema/json-field.ts';
import type { FileOrigin, ToolCall } from '../schema/tool.ts';
import { FileLabels } from './file-labels.ts';
import { type Grants, hostGrantFor, hostLine, personalIn } from './grants.ts';
import { askedUrl, comparableUrl, hostsNamedIn, linksIn, repeatsQuery } from './page-links.ts';

export type Flow = {
  /** What was read that is not public, in words for a person; null while nothing was. */
  read: string | null;
  /** Addresses on clean pages. */
  links: ReadonlySet<string>;
  /** Hosts that a page named, as long as none of their own pages was read. */
  named: ReadonlySet<string>;
  /** What the person opened, and where. */
  grants: Grants;
  /** The first thing that was read, for each server whose tool gave it; those of oka's own tools have the name ''. */
  readFrom: ReadonlyMap<string, string>;
  /** What the choice of links has told so far (F5). */
  bits: number;
};

export type FlowSources = {
  /** What the person opened before the run began. */
  grants: Grants;
  /** What the first prompt contains that is not public, in words; null when nothing. */
  read?: string | null;
  /** Whether the task lists a file, relative to the desk, as public. */
  isPublicFile: (path: string) => boolean;
  /** Whether the run whose call has written a file had read something private by then; all had when left out. */
  isPrivateOrigin?: (origin: FileOrigin) => boolean;
  /** Whether links on clean pages may be followed without asking. */
  followsLinks: boolean;
};

const MOST_BITS = 16;

type OpenCall = { tool: string; input: Json; isClean: boolean; isReview: boolean };
type Ended = Extract<Event, { type: 'call.ended' }>['data'];

/** `events` are those of a run and of the runs around and inside it, in the order in which they happened. */
export function foldFlow(events: Iterable<Event>, sources: FlowSources): Flow {
  const { grants } = sources;
  const readFrom = new Map<string, string>(typeof sources.read === 'string' ? [['', sources.read]] : []);
  const flow = {
    readFrom,
    read: sources.read ?? null,
    links: new Set<string>(),
    named: new Set<string>(),
    grants,
    bits: 0,
  };
  const open = new Map<string, OpenCall>();
  const labels = new FileLabels(sources.isPublicFile, sources.isPrivateOrigin);
  for (const { type, data } of events) {
    if (type === 'context.packed' && data.items.length > 0) addRead('', 'what is remembered');
    if (type === 'call.started') {
      const isClean = flow.read === null || isGranted(grants, data) || isLink(flow.links, data);
      const isReview = open.get(callAround(data.call))?.tool === 'task.plan';
      open.set(data.call, { tool: data.tool, input: data.input, isClean, isReview });
    }
    const call = type === 'call.ended' ? open.get(data.call) : undefined;
    if (type === 'wait.closed') addPersonal(data.answer.text ?? '');
    if (type === 'call.ended' && call !== undefined && mayTell(call, data)) {
      flow.bits += bitsOfChoice(flow, call);
      addOutput(call, data);
    }
  }
  return flow;

  function addRead(server: string, what: string): void {
    flow.read ??= what;
    if (!readFrom.has(server)) readFrom.set(server, what);
  }

  function addPersonal(words: string): void {
    const found = personalIn(words);
    if (found !== null) addRead('', found);
  }

  /** A call that the guard refuses tells nothing; of a file that is public, a refusal tells that it is no plain file any more. */
  function mayTell({ tool, input }: OpenCall, { status }: Ended): boolean {
    if (status === 'denied') return tool === 'files.read' && sources.isPublicFile(textField(input, 'path'));
    return status !== 'waiting';
  }

  function addOutput(call: OpenCall, { status, output }: Ended): void {
    if (call.isReview) return;
    if (isPublicPage(call, output)) {
      const isSearch = call.tool === 'web.search';
      const links = isSearch ? resultLinks(call, output) : pageLinks(output);
      for (const link of links) flow.named.add(new URL(link).host);
      if (!isSearch) for (const host of hostsNamedIn(pageText(output))) flow.named.add(host);
      flow.named.delete(URL.parse(textField(call.input, 'url'))?.host ?? '');
      if (sources.followsLinks && (call.isClean || isSearch)) for (const link of links) flow.links.add(link);
    } else if (!REVEALS_NOTHING.test(call.tool) && labels.tells(call, output, status === 'ok'))
      addRead(serverOf(call.tool), describeRead(call));
    labels.follow(call);
  }
}

/** What it tells that this address was chosen among all that were offered (F5). */
function bitsOfChoice({ read, links, grants }: Flow, { tool, input }: Pick<OpenCall, 'tool' | 'input'>): number {
  const url = askedUrl(tool, textField(input, 'url'));
  if (read === null || url === null || (tool !== FOLLOW && !links.has(url))) return 0;
  const isGrantedHost = hostGrantFor(grants, new URL(url)) !== undefined;
  if (isGrantedHost || (tool !== FOLLOW && grants.addresses.has(url))) return 0;
  const of = jsonField(input, 'of');
  return Math.log2(tool !== FOLLOW ? Math.max(2, links.size) : typeof of === 'number' ? of : 2);
}

/**
 * Only oka itself makes this call: a page in the browser leads somewhere, or something of it is used. Nothing that the run
 * has read is in the address, since whatever was entered is held (rooms/browsing); but what is chosen tells something (F5).
 */
const FOLLOW = 'browser.follow';

/** The call of the tool that makes this one; a call of a step has none of that name. */
const callAround = (call: string): string => call.slice(0, call.lastIndexOf('.'));

/** A page that anybody would get: no credentials, no host of the operator's own network; or results of a search. */
function isPublicPage({ tool, input }: OpenCall, output: Json): boolean {
  if (tool === 'web.search') return true;
  const shown = PAGE_OF_BROWSER.test(tool) ? output : null;
  const url =
    tool === 'http.get' || tool === 'web.read'
      ? URL.parse(textField(input, 'url'))
      : URL.parse(textField(shown, 'url'));
  return (
    url !== null &&
    isPlain(input) &&
    url.hostname.includes('.') &&
    !/^[\d.]+$|\.(local|internal|lan|home)$/.test(url.hostname)
  );
}

/** The browser begins with nothing and nobody is logged in, so it shows what anybody would get. */
const PAGE_OF_BROWSER = /^browser\.(?:open|look|wait|back|click|type|choose|press|send)$/;

function pageLinks(output: Json): Set<string> {
  return linksIn(pageText(output), textField(output, 'url') || undefined);
}

const pageText = (output: Json): string => textField(output, 'body') || textField(output, 'text');

/** The addresses that a search found (F4). */
function resultLinks({ input, isClean }: OpenCall, output: Json): Set<string> {
  const results = jsonField(output, 'results');
  const found = Array.isArray(results) ? results.flatMap((each) => comparableUrl(textField(each, 'url')) ?? []) : [];
  return new Set(isClean ? found : found.filter((link) => !repeatsQuery(link, textField(input, 'query'))));
}

/** Tools whose output contains nothing that the model did not write itself, or that was shown to it already. */
const REVEALS_NOTHING =
  /^(model\.complete|task\.(plan|critique)|step\.check|run\.start|human\.ask|deps\.install|memory\.note|browser\.(?:follow|request))$/;

function describeRead({ tool, input }: OpenCall): string {
  const what = textField(input, 'path') || textField(input, 'from') || textField(input, 'url');
  return what === '' ? `the output of ${tool}` : `${what.slice(0, 200)} (${tool})`;
}

/** What a rule of the policy says of the host of a request: that it may be read, or also sent to. */
export type RuleOnHost = 'none' | 'read' | 'send';

/** Why a request that a model wrote needs a person; null when nothing that is private can leave with it. */
export function whyRequestAsks(call: ToolCall, flow: Flow, rule: RuleOnHost): string | null {
  const url = URL.parse(textField(call.input, 'url'));
  if (url === null || isOperatorsOwn(call) || rule === 'send') return null;
  const grant = hostGrantFor(flow.grants, url);
  if (grant?.send === true || (call.tool !== FOLLOW && isGranted(flow.grants, call))) return null;
  const isOpened = rule === 'read' || grant !== undefined;
  if (call.tool === FOLLOW || isLink(flow.links, call)) return isOpened ? null : whyChoiceAsks(flow, call, url);
  if (flow.read !== null) return whyMayCarry(url.host, flow.read, grant?.from ?? (rule === 'read' ? 'a rule' : null));
  return !isOpened && flow.named.has(url.host)
    ? `a page named ${url.host}, and the address is not a link that was found there. To allow it, put this line into the task: hosts: ['${url.host}']`
    : null;
}

/** The server whose tool this is; '' for a tool of oka itself. */
const serverOf = (tool: string): string => (tool.startsWith('mcp.') ? (tool.split('.')[1] ?? '') : '');

/** Why a call of a server that can pass on its arguments needs a person: what it gave itself, it may get again (F8). */
export function whyServerAsks(call: ToolCall, server: string, flow: Flow): string | null {
  const isEmpty = call.input === null || (typeof call.input === 'object' && Object.keys(call.input).length === 0);
  if (isEmpty || isOperatorsOwn(call)) return null;
  const read = [...flow.readFrom].find(([from]) => from !== server)?.[1];
  if (read === undefined) return null;
  return `every argument goes to the server ${server}, which can pass it on, after this run has read ${read}. To allow it, put this into its entry in .oka/rules/mcp.json: "send": true`;
}

function whyMayCarry(host: string, read: string, opened: string | null): string {
  const state =
    opened === null
      ? 'which no grant of yours names (a host in a text is none)'
      : `which ${opened} opens to reading alone`;
  return `it goes to ${host}, ${state}, after this run has read ${read}: the address could carry that out. To allow it, put this line into the task: ${hostLine(host)}`;
}

function whyChoiceAsks(flow: Flow, call: ToolCall, url: URL): string | null {
  const bits = flow.bits + bitsOfChoice(flow, call);
  if (bits <= MOST_BITS) return null;
  return `which links it follows can tell ${Math.ceil(bits)} bits of ${flow.read} to ${url.host} and others; ${MOST_BITS} in a run are not asked about. To allow it, put this line into the task: hosts: ['${url.host}']`;
}

/** Why a redirect may not be followed; `hop` is the request that it leads to, and `from` the input of the one before (F6). */
export function whyHopAsks(hop: ToolCall, from: Json, flow: Flow, rule: RuleOnHost): string | null {
  const isOfCleanPage = isGranted(flow.grants, { ...hop, input: from }) || isLink(flow.links, { ...hop, input: from });
  return flow.read !== null && isOfCleanPage ? null : whyRequestAsks(hop, flow, rule);
}

function isOperatorsOwn(call: ToolCall): boolean {
  const isTheirs = Object.values(call.origins()).every((origin) => origin === 'operator' || origin === 'task');
  return call.author === 'operator' && isTheirs;
}

type Asked = Pick<ToolCall, 'tool' | 'input'>;

/** A plain GET of an address exactly as the person wrote it. */
const isGranted = ({ addresses }: Grants, { tool, input }: Asked): boolean =>
  isPlain(input) && addresses.has(askedUrl(tool, textField(input, 'url')) ?? '');

/** A plain GET of an address that is known word for word. */
function isLink(links: ReadonlySet<string>, { tool, input }: Asked): boolean {
  const url = askedUrl(tool, textField(input, 'url'));
  return url !== null && isPlain(input) && links.has(url);
}

/** Nothing is added that a model could fill: no headers. */
function isPlain(input: Json): boolean {
  const headers = jsonField(input, 'headers');
  return headers === null || (typeof headers === 'object' && Object.keys(headers).length === 0);
}

function textField(input: Json, field: string): string {
  const value = jsonField(input, field);
  return typeof value === 'string' ? value : '';
}
