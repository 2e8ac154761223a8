/** Without a worker, this process does what was asked for; all that this takes is loaded only then. */
import type { withHost as open } from '../daemon/host.ts';

export const withHost: typeof open = async (...given) => (await import('../daemon/host.ts')).withHost(...given);
