/** The process that works. */
import { rootNotice } from '../../rooms/records/root-user.ts';
import { isSupervised } from '../../kit/house/supervise.ts';
import { work } from '../worker/worker.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { type Answer, type Call, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { forgetDrain } from '../../rooms/fleet/drain-worker.ts';
import { plainText, timeOfDay } from '../../kit/cli/plain-text.ts';
import { flag } from '../../kit/cli/options.ts';

export const commands: Commands = {
  worker: command({
    summary: 'The process that `oka up` keeps alive; for supervisors of your own',
    options: { desktop: flag('Notify on this desktop while there is no channel, as `oka up` does.') },
    example: 'oka worker',
    json: false,
    run: worker,
    render: (line) => `${timeOfDay()} ${line}\n`,
  }),
};

/** A person has to restore a damaged ledger: the supervisor must not start another worker, which would find the same. */
function refuseDamage(error: unknown): never {
  if (!(error instanceof OkaError) || error.code !== 'ledger-damaged') throw error;
  const { message, fix } = error;
  throw new OkaError('refused', message, { cause: error, ...(fix === undefined ? {} : { fix }) });
}

async function worker(call: Call<{ desktop: boolean }, string>): Promise<Answer<string>> {
  const { home, signal, emit, rooms, options } = call;
  if (!isSupervised()) forgetDrain(home);
  const notice = isSupervised() ? null : rootNotice();
  if (notice !== null) emit(notice);
  const log = (line: string): void => emit(plainText(line));
  await call.underSupervisor(signal, (stop) => work(home, stop, log, { rooms, ...options })).catch(refuseDamage);
  return { code: exits.ok };
}
