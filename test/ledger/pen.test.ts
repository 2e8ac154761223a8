import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takePen } from '../../src/ledger/pen.ts';
import { temporaryFolder } from '../support/cli.ts';

it('names the process that writes a ledger, as soon as it has written its name', () => {
  using folder = temporaryFolder();
  const ledger = join(folder.dir, 'run.jsonl');
  const pen = takePen(ledger, 0);
  const refusal = `${ledger} is being written by process ${process.pid} on `;
  expect(() => takePen(ledger, 0)).toThrow(refusal);
  rmSync(join(folder.dir, 'locks/run.lock.holder.json'));
  expect(() => takePen(ledger, 0)).toThrow(`${ledger} is being written by another process, which has just begun`);
  pen.release();
  takePen(ledger, 0).release();
});
