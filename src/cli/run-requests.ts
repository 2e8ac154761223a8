/** A request about a run: to the worker if one holds the pen, else done here and now. */
import { join } from 'node:path';
import { runOfWait } from '../daemon/guard/open-guard.ts';
import { withHost } from '../daemon/host.ts';
import { ports } from '../daemon/ports.ts';
import { submit } from '../intake/submit-request.ts';
import { penHolder } from '../ledger/pen.ts';
import type { Intake } from '../schema/intake.ts';
import { type Call, exits } from './command.ts';
import { tellOutcome } from './run-outcome.ts';

export async function request(
  call: Call,
  intake: Extract<Intake, { kind: 'answer' | 'cancel' | 'pause' | 'resume' }>,
): Promise<number> {
  const { home, json, out } = call;
  if (penHolder(home.ledgers.run) !== null) {
    const id = submit(join(home.oka, 'intake'), intake);
    out(
      json
        ? `${JSON.stringify({ submitted: id })}\n`
        : `A worker holds the pen; it was asked to ${intake.kind} (${id}).\n`,
    );
    return exits.ok;
  }
  const run = await withHost(home, call.signal, async (host) => {
    const { engine } = host;
    const { taskGraph } = host.valuesOf({ taskGraph: ports.taskGraph });
    const id = intake.kind === 'answer' ? runOfWait(intake.wait, taskGraph()) : intake.run;
    const going = await host.handle(intake);
    await going?.done;
    const settled = await engine.stateOf(going?.run.id ?? id);
    await engine.rested(); // an answer to a child sets its parent going
    return settled;
  });
  const code = run === null ? exits.no : tellOutcome(call, run);
  const asked = run?.status === (intake.kind === 'cancel' ? 'cancelled' : 'paused');
  return (intake.kind === 'cancel' || intake.kind === 'pause') && asked ? exits.ok : code;
}
