/**
 * Owns: that every writing call waits for its turn, and says so.
 * Does not own: whose turn it is (desk-turns.ts), what is recorded around a call (desk.ts).
 *
 * K1 One writing call at a time in a place, so that undo and blame are exact; others, and reads, run at the same time. A
 *    call has the place of its task (task-place.ts). What the task names in `reads:` nobody changes while one of its calls
 *    is at work, also one that only reads; and what it reads with a tool nobody changes meanwhile: a file, all files below a
 *    folder that it searches, the names in a folder. So nothing is seen that another task is in the middle of changing.
 * K3 A call that outlived its process is settled before anybody else writes there. One of which K2 is not in the ledger
 *    never began.
 * K8 A check waits for its turn as a writer does, for a state that nobody changes; it leaves nothing to be recorded.
 */
import { DESK_WRITERS } from '../../core/schema/desk-writers.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import { type Outcome, runsCommand, type Tool, type ToolCall } from '../../core/schema/tool.ts';
import { isAboutSpace } from '../../kit/home/disk-space.ts';
import { covers, type Reach, reachOf } from '../../kit/desk/reach.ts';
import type { InTurn } from '../../kit/ports/desk-turn-port.ts';
import { type DeskPorts, NOT_BEGUN, withSnapshots, type Written } from './desk.ts';
import { putInPlace } from './set-aside.ts';
import type { PlacedCall } from './task-place.ts';

export function onDesk(tools: readonly Tool[], ports: DeskPorts): Tool[] {
  const invokeInTurn = async (tool: Tool, input: Parameters<Tool['invoke']>[0], given: ToolCall): Promise<Outcome> => {
    const call = withPaths(tool, input, given);
    for (;;) {
      const asked = await writtenBy(ports, call);
      const outcome = await inTurnOf(ports, call, reachOf(asked), async () => {
        const written = await writtenBy(ports, call);
        // What it may change may have become more while it waited: then it asks for the turn of that.
        if (!covers(reachOf(asked), reachOf(written))) return null;
        if (call.trial === true) return tool.invoke(input, call);
        const outcome = await withSnapshots(ports, call, written, () => invokeOrPlace(ports, tool, input, call));
        return runsCommand(tool.name) ? namingPlace(outcome, written) : outcome;
      });
      if (outcome !== null) return outcome;
    }
  };
  return tools.map((tool) =>
    DESK_WRITERS.has(tool.name) || ON_DESK.has(tool.name)
      ? {
          ...tool,
          invoke: (input, call) =>
            call.class === 'read' ? readInTurn(ports, tool, input, call) : invokeInTurn(tool, input, call),
        }
      : tool,
  );
}

/** The kernel only says that something is not permitted. */
function namingPlace(outcome: Outcome, { place = [] }: Written): Outcome {
  const isRefused = outcome.status === 'failed' && /permission denied|EACCES/i.test(outcome.error);
  if (!isRefused || place.length === 0) return outcome;
  return { ...outcome, error: `${outcome.error}\nOf the desk it may change only: ${place.join(', ')}` };
}

/** The tools that only read the desk. */
const ON_DESK: ReadonlySet<string> = new Set(['files.read', 'files.list', 'files.search']);

/** What a call of a file tool changes is what it names. */
function withPaths({ name, targets }: Tool, input: Json, call: ToolCall): PlacedCall {
  if (runsCommand(name)) return call;
  const given = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
  return { ...call, paths: targets.flatMap((target) => (typeof given[target] === 'string' ? [given[target]] : [])) };
}

/** A call that only reads waits for those who change what its task names in `reads:`, or what it reads itself. */
async function readInTurn(
  ports: DeskPorts,
  tool: Tool,
  input: Parameters<Tool['invoke']>[0],
  call: ToolCall,
): Promise<Outcome> {
  const reading = (await ports.readsOf?.(call)) ?? {};
  if (Object.keys(reading).length === 0) return tool.invoke(input, call);
  return (await inTurnOf(ports, call, { ...reading, place: [] }, () => tool.invoke(input, call))) ?? NOT_BEGUN;
}

async function writtenBy({ placeOf, readsOf, foldersOf }: DeskPorts, call: ToolCall): Promise<Written> {
  const place = (await placeOf?.(call)) ?? null;
  const { reads } = (await readsOf?.(call)) ?? {};
  const { restorable, uncovered } = (await foldersOf?.(call)) ?? { restorable: [], uncovered: [] };
  const folders = restorable.map((path) => ({ path }));
  return { ...(place === null ? {} : { place }), ...(reads === undefined ? {} : { reads }), folders, uncovered };
}

/** The time limit of a call counts from when it gets its turn. */
function inTurnOf(
  { inTurn, append }: DeskPorts,
  call: ToolCall,
  reach: Reach,
  act: () => Promise<Outcome | null>,
): Promise<Outcome | null> {
  const { run, node, signal } = call;
  let resume = call.pauseClock?.();
  const goOn = (): void => {
    resume?.();
    resume = undefined;
  };
  let unsaid: Error | null = null;
  const begin = async (): Promise<Outcome | null> => {
    goOn();
    if (unsaid !== null && !isAboutSpace(unsaid)) throw unsaid; // without space it waits all the same
    return act();
  };
  const onWait = (behind: string | null): void =>
    void append({ type: 'desk.awaited', run, data: { call: call.call, node, behind } }).catch((error: unknown) => {
      unsaid = toError(error);
    });
  return inTurn<Outcome | null>(begin, {
    reach,
    run,
    stop: { signal, value: NOT_BEGUN },
    onWait,
  }).finally(goOn);
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(messageOf(error)));

type Outlived = Pick<ToolCall, 'run' | 'call' | 'tool' | 'class'>;
type SnapshotEvent = Extract<Event, { type: 'desk.kept' }>;

/** K3. The outcome of a call that was in progress when its process died. */
export async function resolveAfterCrash(
  inTurn: InTurn,
  { tool, class: effect }: Outlived,
  {
    findBefore,
    readOutcome,
  }: {
    findBefore: () => Promise<SnapshotEvent | null>;
    readOutcome: (before: SnapshotEvent | null) => Promise<Outcome | null>;
  },
): Promise<Outcome | null> {
  if (effect === 'read' || !DESK_WRITERS.has(tool)) return readOutcome(null);
  const before = await findBefore();
  if (before === null) return NOT_BEGUN;
  return inTurn(() => readOutcome(before), {
    reach: reachOf(before.data),
    ...(before.run !== null && { run: before.run }),
  });
}

/** Files that were set aside and approved are put in place; the tool does not act again. */
async function invokeOrPlace(
  { aside }: DeskPorts,
  tool: Tool,
  input: Parameters<Tool['invoke']>[0],
  call: ToolCall,
): Promise<Outcome> {
  return aside === undefined || call.aside === undefined ? tool.invoke(input, call) : putInPlace(aside, call.aside);
}
