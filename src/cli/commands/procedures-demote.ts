import type { Call } from '../command.ts';
import { wish } from '../procedure-access.ts';

export const run = (call: Call): Promise<number> => wish(call, 'demoted');
