import { changes } from '../changes.ts';
import { type Call, exits } from '../command.ts';
import { dim, fitted, WIDTH } from '../terminal.ts';

const DEFAULT_LIMIT = 20;

export async function run(call: Call): Promise<number> {
  const found = await changes(call, call.count('limit') ?? DEFAULT_LIMIT);
  if (call.json) call.out(`${JSON.stringify({ changes: found })}\n`);
  else if (found.length === 0) call.out('Maintenance has learned nothing yet. Let it look: oka maintain --once\n');
  else
    for (const { change, at, text, undone } of found) {
      const head = `${String(change).padStart(6)}  ${at.slice(0, 16).replace('T', ' ')}  `;
      const told = fitted(`${undone ? '(taken back) ' : ''}${text}`, WIDTH - head.length);
      call.out(`${dim(head)}${undone ? dim(told) : told}\n`);
    }
  return exits.ok;
}
