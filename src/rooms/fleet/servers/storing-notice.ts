/** Owns: saying why something cannot be stored for the fleet, once for each reason until it is stored again. */
import { messageOf, OkaError } from '../../../core/schema/errors.ts';

/** Passes the outcome on; whoever stores tries again. */
export type Noticing = <T>(store: () => Promise<T>) => Promise<T>;

export const silently: Noticing = (store) => store();

/** Says what `explain` makes of an error. Servers that do not answer are noticed elsewhere, and most often by themselves. */
export function storingNotice(report: (text: string) => void, explain: (error: unknown) => Promise<unknown>): Noticing {
  let told: string | null = null;
  return async (store) => {
    try {
      const stored = await store();
      told = null;
      return stored;
    } catch (error) {
      const reason = reasonFor(await explain(error));
      if (reason !== null && reason !== told) report(`what is done here waits until it is stored: ${reason}`);
      told = reason ?? told;
      throw error;
    }
  };
}

/** Null for what no person has to do anything about. */
function reasonFor(error: unknown): string | null {
  if (error instanceof OkaError) return error.code === 'fleet-down' ? null : messageOf(error);
  return error instanceof Error && 'syscall' in error && 'path' in error ? messageOf(error) : null;
}
