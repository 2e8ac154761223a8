import { listDays } from '../../memory/recall/search-memory.ts';
import { type Call, exits } from '../command.ts';
import { remembering } from '../memory.ts';
import { count } from '../terminal.ts';

const DEFAULT_LIMIT = 30;

export async function run(call: Call): Promise<number> {
  const limit = call.count('limit') ?? DEFAULT_LIMIT;
  const all = await remembering(call, listDays);
  const days = limit === 0 ? all : all.slice(0, limit);
  if (call.json) call.out(`${JSON.stringify({ days })}\n`);
  else if (days.length === 0) call.out('Nothing is remembered yet.\n');
  else for (const { day, pieces } of days) call.out(`${day}  ${count(pieces, 'piece')}\n`);
  return exits.ok;
}
