/** A run as spans of time, for a chart: calls, waits and pauses; and the moments at which a person intervened. Pure. */
import type { Event } from '../../core/schema/event.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import { foldCalls } from './run-calls.ts';

export type RunSpan = {
  kind: 'call' | 'wait' | 'pause' | 'note';
  /** Name of the call or the wait; of a pause, the event that began it. */
  id: string;
  seq: number;
  run: string;
  node: string | null;
  label: string;
  /** How the call or the wait ended; `open` while it has not. */
  status: string;
  from: string;
  to: string | null;
};

/** In the order in which they began. */
export function foldSpans(events: readonly Event[]): RunSpan[] {
  const calls = foldCalls(events).map(
    ({ call, seq, run, node, tool, status, started, ended }): RunSpan => ({
      kind: 'call',
      id: call,
      seq,
      run,
      node,
      label: tool,
      status,
      from: started,
      to: ended,
    }),
  );
  return [...calls, ...foldWaits(events), ...notesIn(events)].toSorted((a, b) => a.seq - b.seq);
}

/** A note is a moment. */
function notesIn(events: readonly Event[]): RunSpan[] {
  return events.flatMap(({ seq, at, run, type, data }) =>
    type === 'note.received'
      ? [
          {
            kind: 'note',
            id: `note ${seq}`,
            seq,
            run: run ?? '',
            node: null,
            label: data.text || 'stop after this step',
            status: 'done',
            from: at,
            to: at,
          },
        ]
      : [],
  );
}

function foldWaits(events: readonly Event[]): RunSpan[] {
  const spans: RunSpan[] = [];
  const open = new Map<string, RunSpan>();
  const start = (event: Event, span: Pick<RunSpan, 'kind' | 'id' | 'node' | 'label'>): void => {
    const started: RunSpan = {
      ...span,
      seq: event.seq,
      run: event.run ?? '',
      status: 'open',
      from: event.at,
      to: null,
    };
    spans.push(started);
    open.set(span.id, started);
  };
  const end = (id: string, status: string, at: string): void => {
    const span = open.get(id);
    if (span !== undefined) Object.assign(span, { status, to: at });
    open.delete(id);
  };
  for (const event of events) {
    const pause = `pause of ${event.run}`;
    if (event.type === 'wait.opened') {
      const { wait, node, for: awaited } = event.data;
      start(event, { kind: 'wait', id: wait, node, label: awaitedName(awaited) });
    } else if (event.type === 'wait.closed') end(event.data.wait, event.data.answer.verdict, event.at);
    else if (event.type === 'run.paused') start(event, { kind: 'pause', id: pause, node: null, label: 'paused' });
    else if (event.type === 'run.resumed') end(pause, 'resumed', event.at);
    else if (event.type === 'run.ended')
      for (const span of open.values()) if (span.run === event.run) end(span.id, 'ended', event.at);
  }
  return spans;
}

function awaitedName(awaited: WaitFor): string {
  switch (awaited.kind) {
    case 'child':
      return `run ${awaited.run}`;
    case 'requirement':
      return `needs ${awaited.name}`;
    case 'turn':
      return 'its turn';
    case 'approval':
    case 'question':
    case 'timer':
    case 'message':
      return awaited.kind;
  }
}
