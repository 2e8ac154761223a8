/** Stories of the real program. With a config of its own, the script takes the names of single files, too. */
import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';

export default defineConfig({ ...usual, test: { ...usual.test, include: ['test/story/**/*.test.ts'] } });
