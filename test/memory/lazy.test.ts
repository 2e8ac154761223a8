import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { oka, temporaryFolder } from '../support/cli.ts';

const trace = fileURLToPath(new URL('../support/print-modules.ts', import.meta.url));
const launcher = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const HEAVY = ['@lancedb', 'apache-arrow', 'transformers', 'onnxruntime', 'gpt-tokenizer'];

it.each([['--help'], ['status'], ['doctor'], ['memory', 'fact', 'list']])(
  'no heavy module is loaded by oka %s %s',
  async (...words) => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    const given = words.filter((word) => word !== undefined);
    const args = given[0] === '--help' ? given : [...given, '--dir', folder.dir];
    const { stderr, status } = spawnSync(process.execPath, ['--import', trace, launcher, ...args], {
      encoding: 'utf8',
    });
    expect(given[0] === 'doctor' ? [0, 1] : [0]).toContain(status); // not all is well on every machine
    const loaded = stderr.split('\n').filter((line) => line.startsWith('loaded '));
    expect(loaded.some((line) => line.endsWith('/cli/commands.ts'))).toBe(true);
    expect(loaded.filter((line) => HEAVY.some((name) => line.includes(`/node_modules/${name}`)))).toEqual([]);
  },
);
