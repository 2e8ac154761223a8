/** Undoing what a run changed on the desk. */
import type { previewUndo as preview } from '../undo.ts';
import { askOrDo, withHost } from '../../../kit/cli/host-here.ts';
import { ports } from '../../../kit/ports/room-ports.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { requestOfWorker, type Submitted } from '../../../kit/cli/submitted.ts';
import { flag } from '../../../kit/cli/options.ts';

type Undone = Awaited<ReturnType<typeof preview>>;

type Data = (Submitted & { run: string }) | ({ run: string; dry: boolean } & Undone);

/** Undo waits for the command that is running on the desk; a preview is worth nothing later. */
const PATIENCE_MS = { undo: 15_000, preview: 120_000 };

export const commands: Commands = {
  undo: command({
    summary: 'Undo what a run changed on the desk; what people changed since stays',
    operands: '<run>',
    options: { 'dry-run': flag('Only say what would be done.') },
    example: 'oka undo welcome-1a2b3c4d --dry-run',
    run: async (call) => {
      const id = await runOperand(call);
      const dry = call.options.dryRun;
      return askOrDo(async () => {
        const asked = await requestOfWorker(
          call,
          { kind: 'undo', run: id, ...(dry ? { dry_run: true } : {}) },
          dry ? PATIENCE_MS.preview : PATIENCE_MS.undo,
        );
        if (asked?.done === undefined && asked !== null) return busyAnswer(asked, id, dry);
        const undone = asked === null ? await undoHere(call, id) : (asked.done as Undone);
        const isComplete = undone.overlaps.length + undone.notRestorable.length === 0;
        return answer({ run: id, dry, ...undone }, isComplete ? exits.ok : exits.no);
      });
    },
    render: (data, { yellow }) => {
      if ('submitted' in data) return `The worker undoes ${data.run} as soon as the command on the desk has ended.\n`;
      const { dry, restored, removed, overlaps, notRestorable } = data;
      const lines = [
        `${count(restored.length, 'file')} ${verb(dry, restored.length)} restored, ${count(removed.length, 'file')} removed`,
        ...restored.map((path) => `  restored  ${plainText(path)}`),
        ...removed.map((path) => `  removed   ${plainText(path)}`),
        ...overlaps.map(({ path, why }) => `  ${yellow('left')}      ${plainText(path)}: ${plainText(why)}`),
        ...notRestorable.map(({ path, why }) => `  ${yellow('cannot')}    ${plainText(path)}: ${plainText(why)}`),
      ];
      return `${lines.join('\n')}\n`;
    },
    jsonLines: (data) => ['submitted' in data ? { submitted: data.submitted } : data],
  }),
};

function busyAnswer({ submitted }: Submitted, run: string, dry: boolean): Answer<Data> {
  if (!dry) return answer({ submitted, run });
  throw new OkaError('refused', 'the worker is busy on the desk', { fix: 'Try again when its command has ended.' });
}

/** Without a worker this process owns the desk meanwhile. */
function undoHere({ home, signal, options }: Call<{ dryRun: boolean }>, id: string): Promise<Undone> {
  return withHost(home, signal, async ({ valuesOf }) => {
    const { undo, previewUndo } = await import('../undo.ts');
    const { runs, ledger, shadow, deskTurn } = ports;
    const needed = valuesOf({ runs, ledger, shadow, deskTurn });
    return options.dryRun ? previewUndo(needed, id) : undo(needed, id);
  });
}

const verb = (isDry: boolean, files: number): string => (isDry ? 'would be' : files === 1 ? 'was' : 'were');
