/**
 * Owns: looks of a judgement that a person has to allow.
 *
 * An approval is good for one attempt. So what was looked at with one stands until the judgement is made: whoever is
 * asked about the next look is not asked about this one again.
 */
import type { Event } from '../../schema/event.ts';
import type { Json } from '../../schema/json.ts';
import type { Author, Outcome, ToolCall } from '../../schema/tool.ts';
import type { TaskPorts } from './task-ports.ts';

type Ended = Extract<Event, { type: 'call.ended' }>['data'];

export type Looks = {
  look: (tool: string, input: Json, author?: Author) => Promise<Outcome>;
  /** Whether this attempt has done what the one before had to ask about. */
  hasUsedLeave: () => boolean;
};

/** `since` leaves out what was seen earlier in the same visit and does not count any more. */
export async function looksOf(
  { eventsOf, artifacts }: Pick<TaskPorts, 'eventsOf' | 'artifacts'>,
  { run, call, act }: ToolCall,
  since: (events: readonly Event[]) => readonly Event[] = (events) => events,
): Promise<Looks> {
  const { asked, seen } = before(since(await eventsOf(run)), call.slice(0, call.lastIndexOf('.') + 1));
  let hasUsedLeave = false;
  return {
    hasUsedLeave: () => hasUsedLeave,
    look: async (tool, input, author) => {
      const ended = seen.get(nameOf(tool, input));
      if (ended !== undefined) return outcomeOf(ended, artifacts);
      const outcome = await act(tool, input, author === undefined ? {} : { author });
      if (stands(outcome) && asked.has(nameOf(tool, input))) hasUsedLeave = true;
      return outcome;
    },
  };
}

/** What earlier attempts asked about, and what they saw then. Calls within a call have names that begin with its own. */
function before(events: readonly Event[], visit: string): { asked: Set<string>; seen: Map<string, Ended> } {
  const started = new Map<string, string>();
  const asked = new Set<string>();
  const seen = new Map<string, Ended>();
  for (const event of events) {
    if (event.type === 'call.started' && event.data.node === null && event.data.call.startsWith(visit))
      started.set(event.data.call, nameOf(event.data.tool, event.data.input));
    const name = event.type === 'call.ended' ? started.get(event.data.call) : undefined;
    if (name === undefined || event.type !== 'call.ended') continue;
    const { status } = event.data;
    if (status === 'waiting' && event.data.for?.kind === 'approval') asked.add(name);
    if (asked.has(name) && stands(event.data)) seen.set(name, event.data);
  }
  return { asked, seen };
}

/** What was refused or broke off has shown nothing, and is tried again in the next attempt. */
const stands = ({ status }: Pick<Ended, 'status'>): boolean => status === 'ok' || status === 'failed';

const nameOf = (tool: string, input: Json): string => JSON.stringify([tool, input]);

/** All of an output that was too large for its event lies in an artifact. */
async function outcomeOf({ status, output, error }: Ended, artifacts: TaskPorts['artifacts']): Promise<Outcome> {
  if (status !== 'ok') return { status: 'failed', error: error ?? 'it failed' };
  const { left_out, artifact } = (output ?? {}) as { left_out?: Json; artifact?: Json };
  if (typeof left_out !== 'number' || typeof artifact !== 'string') return { status, output };
  return { status, output: JSON.parse((await artifacts.get({ sha256: artifact })).toString('utf8')) as Json };
}
