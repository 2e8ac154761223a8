/** Options that several commands share. */
import type { Option } from '../command.ts';

export const limit: Option = { type: 'string', value: 'N', about: 'Show the last N (default 50; 0 for all).' };

export const stay: Option = {
  type: 'boolean',
  about: 'Where something has to be mended first, say so and wait for it instead of ending; for containers.',
};
