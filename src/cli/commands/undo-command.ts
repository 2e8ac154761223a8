import { undo, previewUndo } from '../../daemon/desk/undo.ts';
import { withHost } from '../../daemon/host.ts';
import { ports } from '../../daemon/room-ports.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { runOperand } from '../find-run.ts';
import { count, plainText } from '../plain-text.ts';
import { type Submitted, submitToWorker } from '../submitted.ts';

type Undone = Awaited<ReturnType<typeof previewUndo>>;
type Data = (Submitted & { run: string }) | ({ run: string; dry: boolean } & Undone);

export async function run(call: Call<{ dryRun: boolean }>): Promise<Answer<Data>> {
  const { home, options, signal } = call;
  const id = await runOperand(call);
  const dry = options.dryRun;
  if (dry && penHolder(home.ledgers.run) !== null)
    throw new OkaError('refused', 'a worker is running and may change the desk meanwhile', {
      fix: 'Stop it first, or leave --dry-run out.',
    });
  const submitted = submitToWorker(home, { kind: 'undo', run: id });
  if (submitted !== null) return answer({ ...submitted, run: id });
  const undone = await withHost(home, signal, ({ valuesOf }) => {
    const { runs, ledger, shadow, deskTurn } = ports;
    const needed = valuesOf({ runs, ledger, shadow, deskTurn });
    return dry ? previewUndo(needed, id) : undo(needed, id);
  });
  const isComplete = undone.overlaps.length + undone.notRestorable.length === 0;
  return answer({ run: id, dry, ...undone }, isComplete ? exits.ok : exits.no);
}

export const jsonLines = (data: Data): object[] => ['submitted' in data ? { submitted: data.submitted } : data];

export function render(data: Data, { yellow }: Terminal): string {
  if ('submitted' in data) return `A worker is running; it was asked to undo ${data.run}.\n`;
  const { dry, restored, removed, overlaps, notRestorable } = data;
  const lines = [
    `${count(restored.length, 'file')} ${dry ? 'would be' : 'were'} restored, ${count(removed.length, 'file')} removed`,
    ...restored.map((path) => `  restored  ${plainText(path)}`),
    ...removed.map((path) => `  removed   ${plainText(path)}`),
    ...overlaps.map(({ path, why }) => `  ${yellow('left')}      ${plainText(path)}: ${plainText(why)}`),
    ...notRestorable.map(({ path, why }) => `  ${yellow('cannot')}    ${plainText(path)}: ${plainText(why)}`),
  ];
  return `${lines.join('\n')}\n`;
}
