/** Owns: what a run and the runs around and inside it have read so far, found in the ledger. */
import { type Flow, foldFlow } from '../../core/guard/information-flow.ts';
import { matchesGlob } from '../text/glob.ts';
import type { Event } from '../../core/schema/event.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { ArtifactStore, EventStore } from '../../core/schema/ports.ts';
import type { Policy } from '../../core/schema/policy.ts';
import { TaskGiven } from '../../core/schema/task-run.ts';

export type FlowPorts = {
  events: Pick<EventStore, 'read'>;
  /** Resolves when everything that was written before is readable. */
  flush: () => Promise<unknown>;
  artifacts: Pick<ArtifactStore, 'get'>;
  policy: () => Policy;
};

export async function flowOfRun(ports: FlowPorts, run: string): Promise<Flow> {
  await ports.flush();
  const events = await eventsAround(ports, run);
  const started = events.find((event) => event.type === 'run.started');
  const task = TaskGiven.safeParse(started?.data.input).data;
  const publicFiles = task?.fields.public ?? [];
  return foldFlow(events, {
    words: (await Promise.all(events.flatMap((event) => startWords(ports, event, event === started)))).join('\n'),
    read: firstRead(task, started?.data.input ?? null), // the first prompt has it
    isPublicFile: (path) => publicFiles.some((glob) => matchesGlob(glob, path)),
    followsLinks: ports.policy().web.links === 'follow',
  });
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
async function eventsAround({ events }: FlowPorts, run: string): Promise<Event[]> {
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

/** What a person wrote for the outermost run, and for each run that was made from another: its graph may be a newer one. */
function startWords(ports: FlowPorts, event: Event, isFirst: boolean): Promise<string>[] {
  if (event.type !== 'run.started' || (!isFirst && event.data.link === undefined)) return [];
  return [operatorsWords(ports, event.data, TaskGiven.safeParse(event.data.input).data)];
}

/** The task as the person wrote it, or the graph that a person wrote and what it was started with. */
async function operatorsWords({ artifacts }: FlowPorts, started: Started, task?: TaskGiven): Promise<string> {
  if (task?.fields.from_chat !== undefined) return ''; // an agent wrote it
  const given = [started.title, JSON.stringify(started.input)];
  if (task !== undefined) return [...given, (await artifacts.get({ sha256: task.body })).toString('utf8')].join('\n');
  const graph = Graph.safeParse(JSON.parse((await artifacts.get(started.graph)).toString('utf8'))).data;
  return [...given, ...(graph?.author === 'operator' ? [JSON.stringify(graph)] : [])].join('\n');
}
