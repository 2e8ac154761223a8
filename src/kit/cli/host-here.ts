/** Without a worker, this process does what was asked for; all that this takes is loaded only then. */
import type { withHost as open } from '../house/host.ts';

export const withHost: typeof open = async (...given) => (await import('../house/host.ts')).withHost(...given);
