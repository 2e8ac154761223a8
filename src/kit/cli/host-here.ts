/** Without a worker, this process does what was asked for; all that this takes is loaded only then. */
import type { withHost as open } from '../house/host.ts';
import { OkaError } from '../../core/schema/errors.ts';

export const withHost: typeof open = async (...given) => (await import('../house/host.ts')).withHost(...given);

/**
 * For work that asks the worker, and does it here when there is none. One that starts between the look for it and
 * `withHost` has the pen then: nothing was done, so the work begins again, and asks it.
 */
export async function askOrDo<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OkaError) || error.code !== 'pen-held') throw error;
    return work();
  }
}
