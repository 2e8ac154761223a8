/** Options that several commands share. */
import { numberOr, flag } from './options.ts';

export const limit = numberOr(50, 'N', 'Show the last N (default 50; 0 for all).');

export const stay = flag('If something has to be fixed first, report it and wait instead of ending; for containers.');
