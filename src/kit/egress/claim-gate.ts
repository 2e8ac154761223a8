/** Owns: whether bytes of a run may leave the proxy now, where another member of a fleet could go on with it. */
import type { Socket } from 'node:net';
import type { ClaimCheck } from '../../core/schema/ports.ts';
import type { Admitted } from './proxy-tickets.ts';

/** What has to be known before bytes go on: whether it is now, and asking for it, with why they may not. */
export type Gate = { isOpen: () => boolean; open: () => Promise<string | null> };

/** It waits for an answer for as long as the client does. Undefined where nobody else could go on with it. */
export function gateFor(
  { holder: { run } }: Pick<Admitted, 'holder'>,
  client: Socket,
  { claims }: { claims?: ClaimCheck | undefined },
): Gate | undefined {
  if (claims === undefined || run === null) return undefined;
  return {
    isOpen: () => claims.isSure(run),
    open: async () => {
      if (claims.isSure(run)) return null;
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      client.once('close', leave);
      if (client.destroyed) leave();
      return claims.makeSure(run, gone.signal).finally(() => client.off('close', leave));
    },
  };
}
