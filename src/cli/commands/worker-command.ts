import { rootNotice } from '../../daemon/home/root-user.ts';
import { isSupervised } from '../../daemon/supervise.ts';
import { work } from '../../daemon/worker/worker.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, type Call, exits } from '../command-module.ts';
import { forgetDrain } from '../drain-worker.ts';
import { plainText, timeOfDay } from '../plain-text.ts';

export async function run(call: Call<{ desktop: boolean }, string>): Promise<Answer<string>> {
  const { home, signal, emit, rooms, options } = call;
  if (!isSupervised()) forgetDrain(home);
  const notice = isSupervised() ? null : rootNotice();
  if (notice !== null) emit(notice);
  const log = (line: string): void => emit(plainText(line));
  await call.underSupervisor(signal, (stop) => work(home, stop, log, { rooms, ...options })).catch(refuseDamage);
  return { code: exits.ok };
}

/** A person has to restore a damaged ledger: the supervisor must not start another worker, which would find the same. */
function refuseDamage(error: unknown): never {
  if (!(error instanceof OkaError) || error.code !== 'ledger-damaged') throw error;
  const { message, fix } = error;
  throw new OkaError('refused', message, { cause: error, ...(fix === undefined ? {} : { fix }) });
}

export const render = (line: string): string => `${timeOfDay()} ${line}\n`;
