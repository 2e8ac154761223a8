import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { listChanges, type MemoryChange } from '../memory-change.ts';
import { fitText } from '../../../kit/cli/plain-text.ts';

type Data = { changes: MemoryChange[] };

export async function run(call: Call<{ limit: number }>): Promise<Answer<Data>> {
  return answer({ changes: await listChanges(call, call.options.limit) });
}

export function render({ changes }: Data, terminal: Terminal): string {
  if (changes.length === 0) return 'Maintenance has learned nothing yet. Run a pass: oka maintain --once\n';
  return changes.map((change) => renderChange(change, terminal)).join('');
}

function renderChange({ change, at, text, undone }: MemoryChange, { dim, width, toMinute }: Terminal): string {
  const head = `${String(change).padStart(6)}  ${toMinute(at)}  `;
  const about = fitText(`${undone ? '(undone) ' : ''}${text}`, width - head.length);
  return `${dim(head)}${undone ? dim(about) : about}\n`;
}
