/** Owns: saying why something cannot be stored for the fleet, once for each reason until it is stored again. */
import { messageOf, OkaError } from '../schema/errors.ts';
import { explainNoSpace } from './no-space.ts';

/** Passes the outcome on; whoever stores tries again. */
export type Noticing = <T>(store: () => Promise<T>) => Promise<T>;

export const silently: Noticing = (store) => store();

/** Servers that do not answer are noticed elsewhere, and most often by themselves. */
export function storingNotice(report: (text: string) => void): Noticing {
  let told: string | null = null;
  return async (store) => {
    try {
      const stored = await store();
      told = null;
      return stored;
    } catch (error) {
      const reason = reasonFor(error);
      if (reason !== null && reason !== told) report(`what is done here waits until it is stored: ${reason}`);
      told = reason ?? told;
      throw error;
    }
  };
}

/** Null for what no person has to do anything about. */
function reasonFor(error: unknown): string | null {
  const explained = explainNoSpace(error);
  if (explained instanceof OkaError) return explained.code === 'fleet-down' ? null : messageOf(explained);
  return error instanceof Error && 'syscall' in error && 'path' in error ? messageOf(error) : null;
}
