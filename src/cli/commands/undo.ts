import { join } from 'node:path';
import { withHost } from '../../daemon/host.ts';
import { ports } from '../../daemon/ports.ts';
import { undo, undoPlan } from '../../daemon/desk/undo.ts';
import { submit } from '../../intake/submit-request.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { count, plainText, yellow } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const { home, json, out, flag, signal } = call;
  const id = onlyOperand(call, 'run');
  const isDry = flag('dry-run');
  if (penHolder(home.ledgers.run) !== null) {
    if (isDry)
      throw new OkaError('refused', 'a worker is running and may change the desk meanwhile', {
        fix: 'Stop it first, or leave --dry-run out.',
      });
    const request = submit(join(home.oka, 'intake'), { kind: 'undo', run: id });
    out(json ? `${JSON.stringify({ submitted: request })}\n` : `A worker holds the pen; it was asked to undo ${id}.\n`);
    return exits.ok;
  }
  const undone = await withHost(home, signal, ({ valuesOf }) => {
    const needed = valuesOf({ runs: ports.runs, ledger: ports.ledger, shadow: ports.shadow });
    return isDry ? undoPlan(needed, id) : undo(needed, id);
  });
  if (json) out(`${JSON.stringify({ run: id, dry: isDry, ...undone })}\n`);
  else {
    const verb = isDry ? 'would be' : 'were';
    out(`${count(undone.restored.length, 'file')} ${verb} restored, ${count(undone.removed.length, 'file')} removed\n`);
    for (const path of undone.restored) out(`  restored  ${plainText(path)}\n`);
    for (const path of undone.removed) out(`  removed   ${plainText(path)}\n`);
    for (const { path, why } of undone.overlaps)
      out(`  ${yellow('left')}      ${plainText(path)}: ${plainText(why)}\n`);
    for (const { path, why } of undone.notRestorable)
      out(`  ${yellow('cannot')}    ${plainText(path)}: ${plainText(why)}\n`);
  }
  return undone.overlaps.length + undone.notRestorable.length === 0 ? exits.ok : exits.no;
}
