/**
 * Owns: a run as spans of OpenTelemetry, and an event of interest as a log record, in the JSON of OTLP. Pure.
 *
 * 1. Ids follow from names of runs, nodes and calls: what is sent twice is the same span.
 * 2. What a call was given and what it returned is never part of it.
 */
import { createHash } from 'node:crypto';
import type { Event } from '../../core/schema/event.ts';
import { foldCalls, type RunCall } from '../../kit/views/run-calls.ts';
import { foldSpans, type RunSpan } from '../../kit/views/run-spans.ts';
import type { WatchedLine } from '../../kit/views/watched-events.ts';

type Value = { stringValue: string } | { intValue: string } | { doubleValue: number };
type Attribute = { key: string; value: Value };

export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 1 | 3;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: 1 | 2 };
};

const SCOPE = { name: 'oka' };

/** `outer` is the outermost run: its runs inside are part of its trace. The run has ended. */
export function spansOfRun(events: readonly Event[], outer: string): OtlpSpan[] {
  const started = events.find((event) => event.type === 'run.started');
  const ended = events.findLast((event) => event.type === 'run.ended');
  if (started === undefined || ended === undefined) return [];
  const run = started.run ?? '';
  const calls = new Map(foldCalls(events).map((call) => [call.call, call]));
  const own = foldSpans(events).filter(({ kind }) => kind !== 'note');
  const span = makeSpan(outer, ended.at);
  const { parent, depth } = started.data;
  return [
    span(['run', run], depth > 0 && parent !== null ? ['run', parent] : null, {
      name: `run ${run}`,
      from: started.at,
      to: ended.at,
      isGood: ended.data.status === 'done',
      attributes: { 'oka.run': run, 'oka.status': ended.data.status },
    }),
    ...nodesOf(own).map(({ node, from, to, isGood }) =>
      span(['node', run, node], ['run', run], {
        name: `node ${node}`,
        from,
        to,
        isGood,
        attributes: { 'oka.node': node },
      }),
    ),
    ...own.map((each) =>
      span([each.kind, run, each.id], each.node === null ? ['run', run] : ['node', run, each.node], {
        name: each.kind === 'call' ? each.label : `${each.kind} ${each.label}`,
        from: each.from,
        to: each.to,
        isGood: !FAILED.has(each.status),
        isOutgoing: each.kind === 'call',
        attributes: { 'oka.status': each.status, ...attributesOf(calls.get(each.id)) },
      }),
    ),
  ];
}

const FAILED: ReadonlySet<string> = new Set(['failed', 'denied', 'open', 'in_doubt']);

type NodeSpan = { node: string; from: string; to: string | null; isGood: boolean };

/** A node lasts from the first of its calls and waits to the last; how the last one ended is how it ended. */
function nodesOf(spans: readonly RunSpan[]): NodeSpan[] {
  const nodes = new Map<string, NodeSpan>();
  for (const { node, from, to, status } of spans)
    if (node !== null) nodes.set(node, { node, from: nodes.get(node)?.from ?? from, to, isGood: !FAILED.has(status) });
  return [...nodes.values()];
}

function attributesOf(call: RunCall | undefined): Record<string, string | number | undefined> {
  if (call === undefined) return {};
  const { tokens_in, tokens_out, usd } = call.usage;
  return {
    'oka.class': call.class,
    'oka.attempt': call.attempt,
    'oka.usd': usd,
    'gen_ai.usage.input_tokens': tokens_in,
    'gen_ai.usage.output_tokens': tokens_out,
  };
}

type Described = {
  name: string;
  from: string;
  to: string | null;
  isGood: boolean;
  isOutgoing?: boolean;
  attributes: Record<string, string | number | undefined>;
};

/** What has no end of its own ended with the run. */
function makeSpan(outer: string, end: string) {
  const traceId = idOf(['trace', outer], 32);
  return (id: readonly string[], parent: readonly string[] | null, about: Described): OtlpSpan => ({
    traceId,
    spanId: idOf(id, 16),
    ...(parent === null ? {} : { parentSpanId: idOf(parent, 16) }),
    name: about.name,
    kind: about.isOutgoing === true ? 3 : 1,
    startTimeUnixNano: nanosOf(about.from),
    endTimeUnixNano: nanosOf(about.to ?? end),
    attributes: attributes(about.attributes),
    status: { code: about.isGood ? 1 : 2 },
  });
}

export function logRecordOf(
  { at, event, run, text, cursor, status }: WatchedLine,
  outer: string | null,
  texts: boolean,
): object {
  const about = { 'event.name': event, 'oka.run': run ?? undefined, 'oka.seq': cursor, 'oka.status': statusOf(status) };
  return {
    timeUnixNano: nanosOf(at),
    severityNumber: status === 'failed' || event === 'task.rejected' ? 13 : 9,
    body: { stringValue: texts ? text : event },
    attributes: attributes(about),
    ...(outer === null || run === null ? {} : { traceId: idOf(['trace', outer], 32), spanId: idOf(['run', run], 16) }),
  };
}

const statusOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The body of a request; `home` tells homes apart that send to the same place. */
export const traceRequest = (about: Resource, spans: readonly OtlpSpan[]): object => ({
  resourceSpans: [{ resource: resourceOf(about), scopeSpans: [{ scope: SCOPE, spans }] }],
});

export const logRequest = (about: Resource, logRecords: readonly object[]): object => ({
  resourceLogs: [{ resource: resourceOf(about), scopeLogs: [{ scope: SCOPE, logRecords }] }],
});

export type Resource = { version: string; home: string };

const resourceOf = ({ version, home }: Resource): object => ({
  attributes: attributes({
    'service.name': 'oka',
    'service.version': version,
    'service.instance.id': idOf(['home', home], 16),
  }),
});

const attributes = (values: Record<string, string | number | undefined>): Attribute[] =>
  Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]));

function valueOf(value: string | number): Value {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const nanosOf = (at: string): string => `${Date.parse(at)}000000`;

const idOf = (name: readonly string[], digits: number): string =>
  createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, digits);
