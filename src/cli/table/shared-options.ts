/** Options that several commands share. */
import { countOr, flag } from '../options.ts';

export const limit = countOr(50, 'N', 'Show the last N (default 50; 0 for all).');

export const stay = flag(
  'Where something has to be mended first, say so and wait for it instead of ending; for containers.',
);
