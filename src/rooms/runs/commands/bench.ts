import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programFolder } from '../../../kit/settings.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, type Call, exits } from '../../../kit/cli/command-module.ts';

/** Benches are not part of the program: they run in a process of their own, from the checkout, and print themselves. */
export async function run({ operands, options, json, signal }: Call<{ check: boolean }>): Promise<Answer<never>> {
  const main = join(programFolder, 'bench', 'main.ts');
  if (!existsSync(main))
    throw new OkaError('not-set-up', 'the benches are only in a checkout of oka', {
      fix: 'Clone the project and run: npm run bench',
    });
  const flags = [...(json ? ['--json'] : []), ...(options.check ? ['--check'] : [])];
  const child = spawn(process.execPath, ['--expose-gc', main, ...operands, ...flags], {
    stdio: 'inherit',
    signal,
    killSignal: 'SIGINT',
  });
  const { promise, resolve } = Promise.withResolvers<Answer<never>>();
  child.on('error', () => resolve({ code: exits.interrupted }));
  child.on('exit', (code) => resolve({ code: code ?? exits.interrupted }));
  return promise;
}

export const render = (): string => '';
