/** Owns: undoing what calls of a run did outside this machine, the last one first, where their tools can do that. */
import type { Event } from '../../core/schema/event.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { ToolRegistry } from '../../core/schema/ports.ts';
import type { Tool, Undoing } from '../../core/schema/tool.ts';
import type { Undone } from '../../kit/desk/snapshots.ts';

type Done = { tool: Tool & Required<Pick<Tool, 'undo'>>; call: Parameters<NonNullable<Tool['undo']>>[0] };

/** Calls that have done something which their tool can undo, in order. */
export function callsToUndo(events: readonly Event[], tools: Pick<ToolRegistry, 'get'>): Done[] {
  const begun = new Map(events.flatMap((event) => (event.type === 'call.started' ? [[event.data.call, event]] : [])));
  return events.flatMap((event) => {
    if (event.type !== 'call.ended' || event.data.status !== 'ok' || event.run === null) return [];
    const intent = begun.get(event.data.call);
    const tool = intent === undefined ? undefined : tools.get(intent.data.tool);
    if (intent === undefined || tool?.undo === undefined) return [];
    return [
      { tool: tool as Done['tool'], call: { run: event.run, input: intent.data.input, output: event.data.output } },
    ];
  });
}

export async function undoCalls(calls: readonly Done[], isDry: boolean): Promise<Undone> {
  const all: Undoing[] = [];
  for (const { tool, call } of calls.toReversed())
    try {
      all.push(await tool.undo(call, isDry));
    } catch (error) {
      all.push({ what: tool.name, how: 'left', why: messageOf(error) });
    }
  const named = (how: 'restored' | 'removed'): string[] => all.flatMap((each) => (each.how === how ? each.what : []));
  return {
    restored: named('restored'),
    removed: named('removed'),
    overlaps: all.flatMap((each) => (each.how === 'left' ? { path: each.what, why: each.why } : [])),
    notRestorable: [],
  };
}
