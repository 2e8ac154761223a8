/**
 * Owns: finding out what a person needs to decide about a call: what they asked for, what an id stands for, which commits a
 * push would send, and what they were asked before. It only reads, and what it calls goes through the chain like every call.
 */
import { describeFindings, type Findings } from '../../core/guard/describe-findings.ts';
import type { Described } from '../../core/guard/judge-call.ts';
import type { Meaning } from '../../core/guard/task-request.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { ToolRegistry } from '../../core/schema/ports.ts';
import { isServerTool, type Outcome, type ToolCall } from '../../core/schema/tool.ts';
import type { Asked } from '../../core/schema/wait.ts';
import { eventsAround, type FlowPorts, wordsOfPerson } from './run-flow.ts';

type Tools = Pick<ToolRegistry, 'get' | 'list'>;

export async function tellMore(
  ports: FlowPorts,
  call: ToolCall,
  facts: Described,
  asked: Asked,
  tools: Tools,
): Promise<Partial<Asked>> {
  return describeFindings(call, facts, await findingsFor(ports, call, tools), asked);
}

export async function findingsFor(ports: FlowPorts, call: ToolCall, tools: Tools): Promise<Findings> {
  await ports.flush();
  const events = await eventsAround(ports, call.run);
  return {
    task: await wordsOfPerson(ports, events),
    meanings: isServerTool(call.tool) ? await meaningsOf(call, tools, events) : [],
    commits: await commitsOf(call),
    earlier: askedBefore(call, events),
  };
}

function askedBefore({ tool, node, run }: ToolCall, events: readonly Event[]): Asked | null {
  const found = events.findLast(
    (event) =>
      event.type === 'wait.opened' &&
      event.run === run &&
      event.data.node === node &&
      event.data.for.kind === 'approval' &&
      event.data.for.asked?.tool === tool,
  );
  return found?.type === 'wait.opened' && found.data.for.kind === 'approval' ? (found.data.for.asked ?? null) : null;
}

const MOST_MEANINGS = 10;
const serverOf = (tool: string): string => tool.split('.')[1] ?? '';

/** What the server says of the values of the call: read again where it has a tool that reads by this field, else as it said. */
async function meaningsOf(call: ToolCall, tools: Tools, events: readonly Event[]): Promise<Meaning[]> {
  const fields = Object.entries(isFields(call.input) ? call.input : {}).flatMap(([field, value]) =>
    [value].flat().flatMap((each) => (isId(each) ? [{ field, value: String(each) }] : [])),
  );
  const outputs = outputsOf(serverOf(call.tool), events);
  const found: Meaning[] = [];
  for (const { field, value } of fields.slice(0, MOST_MEANINGS)) {
    const again = await readAgain(call, tools, field, value);
    const words =
      (again === null ? null : (wordsAbout(again, value) ?? plainWords(again))) ?? lastWords(outputs, value);
    if (words !== null) found.push({ value, words });
  }
  return found;
}

const isFields = (value: Json): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const isId = (value: Json): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= 120 && /^\S+(?: \S+){0,3}$/.test(value));

/** Only a tool that the policy calls a read is called, with nothing but the value. */
async function readAgain(call: ToolCall, tools: Tools, field: string, value: string): Promise<Json | null> {
  const reader = tools.list().find((tool) => {
    const { name, targets } = tool;
    const isOfServer = isServerTool(name) && serverOf(name) === serverOf(call.tool) && name !== call.tool;
    const isPlain = targets.length === 1 && targets[0] === field;
    return isOfServer && isPlain && tool.classOf({ [field]: value }, 'model') === 'read';
  });
  if (reader === undefined) return null;
  const outcome: Outcome = await call.act(reader.name, { [field]: value });
  return outcome.status === 'ok' ? parsedDeep(outcome.output) : null;
}

function outputsOf(server: string, events: readonly Event[]): Json[] {
  const tools = new Map<string, string>();
  const outputs: Json[] = [];
  for (const event of events) {
    if (event.type === 'call.started') tools.set(event.data.call, event.data.tool);
    if (event.type !== 'call.ended' || event.data.status !== 'ok') continue;
    const tool = tools.get(event.data.call) ?? '';
    if (isServerTool(tool) && serverOf(tool) === server) outputs.push(parsedDeep(event.data.output));
  }
  return outputs;
}

function lastWords(outputs: readonly Json[], value: string): string | null {
  for (const output of outputs.toReversed()) {
    const words = wordsAbout(output, value);
    if (words !== null) return words;
  }
  return null;
}

/** The fields of the object that has this value as one of its own. */
function wordsAbout(value: Json, wanted: string): string | null {
  if (value === null || typeof value !== 'object') return null;
  const fields = Array.isArray(value) ? [] : Object.entries(value);
  if (fields.some(([, own]) => (typeof own === 'string' || typeof own === 'number') && String(own) === wanted))
    return plainWords(value);
  for (const inside of Object.values(value)) {
    const words = wordsAbout(inside, wanted);
    if (words !== null) return words;
  }
  return null;
}

const MOST_FIELD = 120;
/** What a text says at length is content, and may have been written to be taken for something else. */
const CONTENT = /^(?:body|content|text|message|html|description|snippet)$/i;

function plainWords(value: Json): string | null {
  if (!isFields(value)) return typeof value === 'string' ? (value.split('\n')[0] ?? '').slice(0, 300) : null;
  const fields = Object.entries(value).flatMap(([name, own]) =>
    (typeof own === 'string' || typeof own === 'number') && !CONTENT.test(name)
      ? [`${name}: ${String(own).slice(0, MOST_FIELD)}`]
      : [],
  );
  return fields.length === 0 ? null : fields.slice(0, 8).join(', ');
}

/** An answer of a server, whose texts may be JSON. What is inside these is left as it is: others may have written it. */
function parsedDeep(value: Json): Json {
  if (typeof value === 'string' && /^\s*[[{]/.test(value))
    try {
      return JSON.parse(value) as Json;
    } catch {
      return value; // a text that only begins like JSON
    }
  if (Array.isArray(value)) return value.map(parsedDeep);
  return isFields(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, parsedDeep(inside)]))
    : value;
}

const PUSH = /(?:^|[\s;&|])git\s+(?:-\S+\s+)*push(?:\s|$)/;

/** The newest commits that no remote has, as git itself tells them in the sandbox. */
async function commitsOf(call: ToolCall): Promise<string[]> {
  const [line, argv, dir] = ['line', 'argv', 'dir'].map((name) => jsonField(call.input, name));
  const words = typeof line === 'string' ? line : Array.isArray(argv) ? argv.map(String).join(' ') : '';
  if (call.tool !== 'shell' || !PUSH.test(words)) return [];
  const log = 'git log --oneline --no-decorate -n 20 --branches --not --remotes';
  const outcome = await call.act('shell', { line: log, ...(typeof dir === 'string' ? { dir } : {}) });
  const text = outcome.status === 'ok' ? jsonField(outcome.output, 'stdout') : null;
  return typeof text === 'string' ? text.split('\n').filter(Boolean) : [];
}
