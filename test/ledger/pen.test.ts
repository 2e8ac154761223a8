import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withHeartbeat } from '../../src/ledger/heartbeat.ts';
import { takePen } from '../../src/ledger/pen.ts';
import { describeSilence, penHealth } from '../../src/ledger/pen-health.ts';
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

it('says that a process which was frozen before its first heartbeat does not respond, named or not', () => {
  using folder = temporaryFolder();
  const ledger = join(folder.dir, 'run.jsonl');
  const silence = (): string | null | undefined => {
    const ms = penHealth(ledger)?.silentMs;
    return typeof ms === 'number' ? describeSilence(ms) : ms;
  };
  const pen = takePen(ledger, 0);
  expect(silence()).toBe('has not responded yet');
  rmSync(join(folder.dir, 'locks/run.lock.holder.json'));
  expect(silence()).toBe('has not responded yet');
  pen.release();
  expect(silence()).toBeUndefined();
  const beating = withHeartbeat(takePen(ledger, 0), ledger);
  expect(silence()).toBeNull();
  beating.release();
  expect(silence()).toBeUndefined();
});
