/** Owns: what a run and the runs around and inside it have read so far, found in the ledger. */
import { type GivenText, grantsOf, personalIn } from '../../core/guard/grants.ts';
import { originsOf } from '../../core/guard/file-labels.ts';
import { type Flow, foldFlow } from '../../core/guard/information-flow.ts';
import { matchesGlob } from '../text/glob.ts';
import type { Event } from '../../core/schema/event.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { ArtifactStore, EventStore } from '../../core/schema/ports.ts';
import type { Policy } from '../../core/schema/policy.ts';
import type { FileOrigin } from '../../core/schema/tool.ts';
import { isOfMail, TaskGiven } from '../../core/schema/task-run.ts';

export type FlowPorts = {
  events: Pick<EventStore, 'read'>;
  /** Resolves when everything that was written before is readable. */
  flush: () => Promise<unknown>;
  artifacts: Pick<ArtifactStore, 'get'>;
  policy: () => Policy;
};

export async function flowOfRun(ports: FlowPorts, run: string): Promise<Flow> {
  await ports.flush();
  return flowOf(ports, await eventsAround(ports, run));
}

async function flowOf(ports: FlowPorts, events: readonly Event[]): Promise<Flow> {
  const started = events.find((event) => event.type === 'run.started');
  const task = TaskGiven.safeParse(started?.data.input).data;
  const publicFiles = task?.fields.public ?? [];
  const given = await givenTexts(ports, events);
  const isPublicFile = (path: string): boolean => publicFiles.some((glob) => matchesGlob(glob, path));
  const isPrivateOrigin = publicFiles.length === 0 ? () => true : await privateOrigins(ports, events);
  return foldFlow(events, {
    isPrivateOrigin,
    grants: grantsOf(given),
    read: readBefore(task, started?.data.input ?? null, given, events),
    isPublicFile,
    followsLinks: ports.policy().web.links === 'follow',
  });
}

/**
 * Of the calls that made the files of this run what they are: whether their own run had read something private when they
 * ended. One that is not in the ledger, or has not ended, may have.
 */
async function privateOrigins(ports: FlowPorts, events: readonly Event[]): Promise<(origin: FileOrigin) => boolean> {
  const origins = events.flatMap((event) => (event.type === 'call.ended' ? originsOf(event.data.output) : []));
  const clean = new Set<string>();
  for (const [call, { run }] of new Map(origins.map((each) => [each.call, each]))) {
    const before = await eventsAround(ports, run);
    const end = before.findIndex(({ type, data }) => type === 'call.ended' && data.call === call);
    if (end !== -1 && (await flowOf(ports, before.slice(0, end + 1))).read === null) clean.add(call);
  }
  return ({ call }) => !clean.has(call);
}

/** What a person wrote to whom the run belongs, as words; null when nobody did. */
export async function wordsOfPerson(ports: FlowPorts, events: readonly Event[]): Promise<string | null> {
  const given = await givenTexts(ports, events);
  const texts = given.flatMap((each) => (each.by === 'person' ? [each.text] : []));
  return texts.length === 0 ? null : texts.join('\n');
}

/** Numbers in a graph are settings of it; those in a task, and in what a graph is started with, are what it is about. */
function personalAmong(given: readonly GivenText[]): string | null {
  const words = given.flatMap((each) => [
    each.personal ?? '',
    ...(each.by === 'person' && each.hosts !== undefined ? [each.text] : []),
  ]);
  return personalIn(words.join('\n'));
}

/** What a run knows before its first call, in words: its first prompt has it, or it goes on from what has it. */
function readBefore(
  task: TaskGiven | undefined,
  input: Json,
  given: readonly GivenText[],
  events: readonly Event[],
): string | null {
  return firstRead(task, input) ?? heldOutput(given) ?? lostRun(events) ?? personalAmong(given);
}

/** An output that a person has fixed is what a tool gave, and no call tells of it. */
const heldOutput = (given: readonly GivenText[]): string | null =>
  given.some(({ holds }) => holds === true) ? 'an output that was fixed by hand' : null;

/** A run that goes on from another one has its outputs; where that one is not in the ledger, what it has read is not known. */
function lostRun(events: readonly Event[]): string | null {
  const known = new Set(events.map(({ run }) => run));
  const from = events.flatMap(({ type, data }) => (type === 'run.started' ? (data.link?.run ?? []) : []));
  const lost = from.find((run) => !known.has(run));
  return lost === undefined ? null : `what ${lost} had read`;
}

/** What the first prompt of a run contains that may be private: an earlier result, or what other agents have written. */
function firstRead(task: TaskGiven | undefined, input: Json): string | null {
  if (task?.fields.corrects !== undefined) return `the result of ${task.fields.corrects}`;
  const isOfAgent = task?.fields.from_chat !== undefined || jsonField(input, 'reads_agents') === true;
  return isOfAgent ? 'messages of agents' : null;
}

/**
 * The events of a run, of those around it, and of all that these have started, in order. A run that was made from another
 * one counts as inside it: it may start with what that one has read.
 */
export async function eventsAround({ events }: Pick<FlowPorts, 'events'>, run: string): Promise<Event[]> {
  const found = new Map<string, Event[]>();
  const pending = [run];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (found.has(id)) continue;
    const own: Event[] = [];
    for await (const event of events.read({ run: id })) {
      own.push(event);
      if (event.type === 'run.started') pending.push(...[event.data.parent ?? [], event.data.link?.run ?? []].flat());
      if (event.type === 'wait.opened' && event.data.for.kind === 'child') pending.push(event.data.for.run);
    }
    found.set(id, own);
  }
  return [...found.values()].flat().toSorted((a, b) => a.seq - b.seq);
}

type Started = Extract<Event, { type: 'run.started' }>['data'];

/** What a person gave to the outermost run, and to each run that was made from another: its graph may be a newer one. */
async function givenTexts(ports: FlowPorts, events: readonly Event[]): Promise<GivenText[]> {
  const started = events.filter((event) => event.type === 'run.started');
  const isMail = started.some(
    ({ run, data }, index) => (index === 0 || data.link !== undefined) && isOfMail(run ?? ''),
  );
  return Promise.all(
    started.map(async ({ data }, index): Promise<GivenText> => {
      const given = await givenText(ports, data, TaskGiven.safeParse(data.input).data);
      if (index > 0 && data.link === undefined) return { by: 'other', holds: given.holds === true };
      return isMail ? asOfOther(given) : given;
    }),
  );
}

/** What somebody wrote is no less private because nobody knows who it was. */
const asOfOther = (given: GivenText): GivenText => ({
  by: 'other',
  personal: `${given.personal ?? ''}\n${given.by === 'person' ? given.text : ''}`,
  holds: given.holds === true,
});

/** The graph of replies in a conversation, which oka makes. It is started with what the person wrote, and nobody else. */
const REPLY_GRAPH = 'oka.chat';

function messagesOfPerson(input: Json): string[] {
  const words = jsonField(input, 'operator');
  return Array.isArray(words) ? words.filter((each) => typeof each === 'string') : [];
}

/** The task as the person wrote it, what they wrote in a conversation, or the graph that a person wrote. What a graph was started with may be anybody's. */
async function givenText({ artifacts }: FlowPorts, started: Started, task?: TaskGiven): Promise<GivenText> {
  if (task?.fields.from_chat !== undefined) return { by: 'other' }; // an agent wrote it
  if (task !== undefined) {
    const text = (await artifacts.get({ sha256: task.body })).toString('utf8');
    const personal = [task.fields.title ?? '', ...(task.fields.accept ?? [])].join('\n');
    return { by: 'person', from: 'the task', text, personal, hosts: task.fields.hosts ?? [] };
  }
  if (started.graph.id === REPLY_GRAPH)
    return { by: 'person', from: 'your message', text: messagesOfPerson(started.input).join('\n'), hosts: [] };
  const graph = Graph.safeParse(JSON.parse((await artifacts.get(started.graph)).toString('utf8'))).data;
  const personal = textsIn(started.input ?? null).join('\n');
  const about = { personal, holds: Object.keys(graph?.pins ?? {}).length > 0 };
  if (graph?.author !== 'operator') return { by: 'other', ...about };
  const { pins: _, ...written } = graph; // what is fixed is what a tool or a model gave
  return { by: 'person', from: 'the graph', text: JSON.stringify(written), ...about };
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}
