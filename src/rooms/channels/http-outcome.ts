/** How an attempt over HTTP ended. Pure. */
import type { DeliveryOutcome } from '../../core/schema/channel-port.ts';
import { messageOf } from '../../core/schema/errors.ts';

/** A server that refuses a message for good refuses it the next time, too; everything else may pass. */
const FINAL = new Set([400, 413, 415, 422]);

export async function toOutcome(response: Response, refOf?: (body: string) => string | null): Promise<DeliveryOutcome> {
  const body = await response.text();
  if (response.ok) return { status: 'sent', ref: refOf?.(body) ?? null };
  const after = Number(response.headers.get('retry-after'));
  return {
    status: 'failed',
    reason: `the server answered with ${response.status}: ${body.replaceAll(/\s+/g, ' ').slice(0, 300)}`,
    ...(FINAL.has(response.status) ? { isFinal: true } : {}),
    ...(after > 0 ? { retryAfterMs: after * 1000 } : {}),
  };
}

/** Whatever is thrown while a message is sent is a failure of the world. */
export async function attempt(send: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
  try {
    return await send();
  } catch (error) {
    const code = (error as { code?: string }).code;
    return { status: 'failed', reason: messageOf(error) || (code ?? 'it failed') };
  }
}
