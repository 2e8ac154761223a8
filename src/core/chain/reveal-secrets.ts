/**
 * Owns: where a call may contain a secret, and whether this call may have it.
 * Does not own: where values come from, what is written down (ports).
 *
 * R1 A secret goes to a tool and a host only when a person has named both for it.
 * R2 Of a request only headers carry one, never to be sent along to another host, never over a plain connection.
 * R3 A command gets one as a file or, where asked, in its environment; never as an argument.
 * R5 A command that a model wrote gets one only if a person has named the command for it (secret-command.ts), and the
 *    network of a command with a secret reaches the hosts of that secret only.
 * R6 A secret that has a header is not given to a command at all: the egress proxy adds it to requests (secret-header.ts).
 * R4 Every use is durable in the ledger before the tool runs.
 */
import type { NewEvent } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import type { Credential, CredentialProvider } from '../schema/ports.ts';
import type { Outcome, ProxyHeader, ToolCall } from '../schema/tool.ts';
import { PLACEHOLDER, toProxyHeader } from './secret-header.ts';
import { commandRefusal } from './secret-command.ts';

type Denied = Extract<Outcome, { status: 'denied' }>;
/** Gives the call with its secrets filled in, or says why it may not have them. */
export type Reveal = (call: ToolCall) => Promise<ToolCall | Denied>;

type SecretsPort = Pick<CredentialProvider, 'find'> & {
  /** Resolves when they are durable. */
  record(events: readonly NewEvent[]): Promise<unknown>;
};

/** A string of the input that names secrets, and what it is replaced by. */
type Place = { text: string; fill: (values: ReadonlyMap<string, string>) => string };
/** A string that names secrets where none are allowed. It matters only when there is such a secret. */
type Misplaced = { text: string; why: string };
type Found = { places: Map<string, Place>; misplaced: Misplaced[] };

const NAME = /secret:([A-Za-z0-9][A-Za-z0-9_.-]{0,119})/g;
const WHOLE = /^secret:([A-Za-z0-9][A-Za-z0-9_.-]{0,119})$/;
/** Headers that are also sent to the target of a redirect. */
const FORWARDED_HEADERS = /^(?:accept|accept-language|user-agent|range|if-.*)$/;

export function createReveal(port: SecretsPort): Reveal {
  return async (call) => {
    const { places, misplaced } = findPlaces(call);
    for (const { text, why } of misplaced)
      for (const name of secretNames(text)) if ((await port.find(name)) !== null) return denied(why);
    if (places.size === 0) return call;
    const host = requestHost(call);
    const values = new Map<string, string>();
    let onlyHosts: readonly string[] | null = null;
    const uses: NewEvent[] = [];
    const proxyHeaders: ProxyHeader[] = [];
    for (const name of new Set([...places.values()].flatMap(({ text }) => secretNames(text)))) {
      const held = await port.find(name);
      const why =
        held === null
          ? `there is no secret "${name}"`
          : (refusalReason(name, held, call.tool, host) ?? commandRefusal(name, held, call));
      if (held === null || why !== null) return denied(why ?? '');
      const header = call.tool === 'shell' ? (held.header ?? null) : null;
      if (header !== null) proxyHeaders.push(toProxyHeader(header, held.value, held.hosts));
      values.set(name, header === null ? held.value : PLACEHOLDER);
      onlyHosts = onlyHosts === null ? held.hosts : onlyHosts.filter((each) => held.hosts.includes(each));
      uses.push(toUseEvent(call, name, held, host?.name ?? null));
    }
    await port.record(uses);
    const added = proxyHeaders.length === 0 ? {} : { proxyHeaders };
    return { ...call, input: fillInput(call.input, '', places, values), onlyHosts: onlyHosts ?? [], ...added };
  };
}

function denied(why: string): Denied {
  return { status: 'denied', error: `${why}. A person can change that: oka secrets set --help` };
}

function toUseEvent(
  { run, call, node, tool }: ToolCall,
  name: string,
  held: Credential,
  host: string | null,
): NewEvent {
  const { version, fingerprint } = held;
  return { type: 'secret.used', run, data: { call, node, name, version, tool, host, fingerprint } };
}

function refusalReason(name: string, { tools, hosts }: Credential, tool: string, host: Host | null): string | null {
  if (!tools.includes(tool))
    return `the secret ${name} may not be given to ${tool}, only to ${tools.join(', ') || 'no tool'}`;
  if (host === null) return null;
  if (!hosts.includes(host.name) && !hosts.includes(host.withPort))
    return `the secret ${name} may not be sent to ${host.withPort}, only to ${hosts.join(', ') || 'no host'}`;
  return host.safe ? null : `the secret ${name} is not sent over http: anyone in between could read it. Use https`;
}

type Host = { name: string; withPort: string; safe: boolean };

/** The host that a request goes to. A connection to this machine itself passes through nobody else. */
function requestHost({ tool, input }: ToolCall): Host | null {
  if (!isRequest(tool)) return null;
  const url = URL.parse(readTextField(input, 'url'));
  const name = (url?.hostname ?? '').replace(/\.$/, '');
  const port = url?.port || (url?.protocol === 'https:' ? '443' : '80');
  const safe = url?.protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(name);
  return { name, withPort: `${name}:${port}`, safe };
}

function isRequest(tool: string): boolean {
  return tool.startsWith('http.');
}

/** Every string that names a secret, by its path in the input. */
function findPlaces({ tool, input }: ToolCall): Found {
  const found: Found = { places: new Map(), misplaced: [] };
  visitStrings(input, '', (text, path) => {
    if (secretNames(text).length === 0) return;
    const place = classifyPlace(tool, path, text);
    if (typeof place === 'string') found.misplaced.push({ text, why: place });
    else if (place !== null) found.places.set(path, place);
  });
  return found;
}

/** The place, why no secret may be there, or null when the text only mentions secrets. */
function classifyPlace(tool: string, path: string, text: string): Place | string | null {
  const [, field = '', ...rest] = path.split('/');
  if (isRequest(tool))
    return field === 'headers'
      ? headerPlace(rest.join('/'), text)
      : `a secret belongs in a header of a request, not in its ${field}`;
  if (!WHOLE.test(text)) return null;
  if (tool.startsWith('web.')) return `a secret is never sent with ${tool}`;
  if (tool === 'shell' && field !== 'secrets')
    return `a command gets a secret through its field "secrets", not through ${field}: other processes can see that`;
  return { text, fill: (values) => fillText(text, values) };
}

function headerPlace(name: string, text: string): Place | string {
  if (FORWARDED_HEADERS.test(name.toLowerCase()))
    return `the header ${name} cannot carry a secret: it is also sent to other hosts`;
  const [, user] = /^Basic ([^\s:]*):secret:[A-Za-z0-9][A-Za-z0-9_.-]*$/i.exec(text) ?? [];
  return { text, fill: (values) => (user === undefined ? fillText(text, values) : encodeBasic(user, text, values)) };
}

/** Encodes "Basic user:secret:NAME" as the header needs it. */
function encodeBasic(user: string, text: string, values: ReadonlyMap<string, string>): string {
  const [name = ''] = secretNames(text);
  return `Basic ${Buffer.from(`${user}:${values.get(name) ?? ''}`).toString('base64')}`;
}

function fillText(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(NAME, (whole, name: string) => values.get(name) ?? whole);
}

function secretNames(text: string): string[] {
  return Array.from(text.matchAll(NAME), ([, name = '']) => name);
}

function visitStrings(value: Json, path: string, tell: (text: string, path: string) => void): void {
  if (typeof value === 'string') tell(value, path);
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) visitStrings(item, `${path}/${key}`, tell);
}

function fillInput(value: Json, path: string, places: Found['places'], values: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return places.get(path)?.fill(values) ?? value;
  if (Array.isArray(value)) return value.map((item, index) => fillInput(item, `${path}/${index}`, places, values));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillInput(item, `${path}/${key}`, places, values)]),
  );
}

function readTextField(input: Json, name: string): string {
  const field = input !== null && typeof input === 'object' && !Array.isArray(input) ? input[name] : null;
  return typeof field === 'string' ? field : '';
}
