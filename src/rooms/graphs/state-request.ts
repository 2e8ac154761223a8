/** Changing what a graph remembers: through the worker if one is running, else here and now. */
import { askOrDo, withHost } from '../../kit/cli/host-here.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { Intake } from '../../core/schema/intake.ts';
import { lateAnswer } from '../../core/schema/room.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { operatorName } from '../../kit/cli/operator-name.ts';
import { requestOfWorker } from '../../kit/cli/submitted.ts';

type StateIntake = Extract<Intake, { kind: 'state' }>;

/** Whether there was anything to change; null when a worker has it and has not answered yet. */
export async function requestStateChange(
  call: Pick<Call, 'home' | 'signal' | 'notify'>,
  change: Omit<StateIntake, 'kind' | 'by'>,
): Promise<boolean | null> {
  const intake = checkedIntake(change);
  return askOrDo(async () => {
    const submitted = await requestOfWorker(call, intake);
    if (submitted !== null) return changedIn(submitted.done);
    const done = await withHost(call.home, call.signal, async ({ handle }) => lateAnswer(await handle(intake)), {
      warn: call.notify,
    });
    return changedIn(done);
  });
}

function checkedIntake(change: Omit<StateIntake, 'kind' | 'by'>): StateIntake {
  const read = Intake.safeParse({ kind: 'state', ...change, by: operatorName() });
  if (read.success && read.data.kind === 'state') return read.data;
  const [issue] = read.error?.issues ?? [];
  throw new OkaError('usage', `the state cannot be changed: ${issue?.path.join('.')}: ${issue?.message}`);
}

function changedIn(done: unknown): boolean | null {
  return done === undefined || done === null ? null : (done as { changed: boolean }).changed;
}
