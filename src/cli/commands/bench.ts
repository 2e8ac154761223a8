import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programFolder } from '../../daemon/settings.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';

/** Benches are not part of the program: they run in a process of their own, from the checkout. */
export async function run({ operands, flag, json, signal }: Call): Promise<number> {
  const main = join(programFolder, 'bench', 'main.ts');
  if (!existsSync(main))
    throw new OkaError('not-set-up', 'the benches are only in a checkout of oka', {
      fix: 'Clone the project and run: npm run bench',
    });
  const options = [...(json ? ['--json'] : []), ...(flag('check') ? ['--check'] : [])];
  const child = spawn(process.execPath, ['--expose-gc', main, ...operands, ...options], {
    stdio: 'inherit',
    signal,
    killSignal: 'SIGINT',
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.on('error', () => resolve(exits.interrupted));
  child.on('exit', (code) => resolve(code ?? exits.interrupted));
  return promise;
}
