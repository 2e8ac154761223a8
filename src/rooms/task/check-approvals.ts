/**
 * Owns: the calls of checks that need an approval.
 *
 * An approval is valid for one attempt. So the outcome of an approved call is reused until the judgement is made: a
 * person who is asked about the next call is not asked about this one again. Whatever a check writes, nothing of it stays.
 */
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Author, Outcome, ToolCall } from '../../core/schema/tool.ts';
import type { TaskPorts } from './task-ports.ts';

type Ended = Extract<Event, { type: 'call.ended' }>['data'];

type CheckCalls = {
  call: (tool: string, input: Json, author?: Author) => Promise<Outcome>;
  /** Whether this attempt made a call for which an earlier one had to ask. */
  hasUsedApproval: () => boolean;
};

/** `since` leaves out earlier events of the same visit that no longer count. */
export async function openCheckCalls(
  { eventsOf, artifacts }: Pick<TaskPorts, 'eventsOf' | 'artifacts'>,
  { run, call, act }: ToolCall,
  since: (events: readonly Event[]) => readonly Event[] = (events) => events,
): Promise<CheckCalls> {
  const { asked, seen } = earlierCalls(since(await eventsOf(run)), call.slice(0, call.lastIndexOf('.') + 1));
  let hasUsedApproval = false;
  return {
    hasUsedApproval: () => hasUsedApproval,
    call: async (tool, input, author) => {
      const ended = seen.get(callKey(tool, input));
      if (ended !== undefined) return storedOutcome(ended, artifacts);
      const outcome = await act(tool, input, { trial: true, ...(author === undefined ? {} : { author }) });
      if (isFinal(outcome) && asked.has(callKey(tool, input))) hasUsedApproval = true;
      return outcome;
    },
  };
}

/** Calls for which earlier attempts asked, and how they ended. The name of a call within a call starts with that of the outer one. */
function earlierCalls(events: readonly Event[], visit: string): { asked: Set<string>; seen: Map<string, Ended> } {
  const started = new Map<string, string>();
  const asked = new Set<string>();
  const seen = new Map<string, Ended>();
  for (const event of events) {
    if (event.type === 'call.started' && event.data.node === null && event.data.call.startsWith(visit))
      started.set(event.data.call, callKey(event.data.tool, event.data.input));
    const name = event.type === 'call.ended' ? started.get(event.data.call) : undefined;
    if (name === undefined || event.type !== 'call.ended') continue;
    const { status } = event.data;
    if (status === 'waiting' && event.data.for?.kind === 'approval') asked.add(name);
    if (asked.has(name) && isFinal(event.data)) seen.set(name, event.data);
  }
  return { asked, seen };
}

/** A call that was refused or interrupted has no result, and is made again in the next attempt. */
const isFinal = ({ status }: Pick<Ended, 'status'>): boolean => status === 'ok' || status === 'failed';

const callKey = (tool: string, input: Json): string => JSON.stringify([tool, input]);

/** An output that was too large for its event is stored as an artifact. */
async function storedOutcome({ status, output, error }: Ended, artifacts: TaskPorts['artifacts']): Promise<Outcome> {
  if (status !== 'ok') return { status: 'failed', error: error ?? 'it failed' };
  const { left_out, artifact } = (output ?? {}) as { left_out?: Json; artifact?: Json };
  if (typeof left_out !== 'number' || typeof artifact !== 'string') return { status, output };
  return { status, output: JSON.parse((await artifacts.get({ sha256: artifact })).toString('utf8')) as Json };
}
