import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sendHeartbeats, withHeartbeat } from '../../../src/core/ledger/heartbeat.ts';
import { takePen } from '../../../src/core/ledger/pen.ts';
import { describeSilence, penHealth, silenceFinding, silenceFix } from '../../../src/core/ledger/pen-health.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { noteOf, openPlain } from '../../support/ledger-samples.ts';

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

it('does not respond before it can work, also where a killed process had the same id', () => {
  using folder = temporaryFolder();
  const ledger = join(folder.dir, 'run.jsonl');
  const killed = takePen(ledger, 0);
  sendHeartbeats(ledger); // nobody ends it: its file stays
  killed.release();
  const pen = withHeartbeat(takePen(ledger, 0), ledger, true);
  expect(penHealth(ledger)?.silentMs).toBe(0);
  const end = sendHeartbeats(ledger);
  expect(penHealth(ledger)?.silentMs).toBeNull();
  end();
  expect(penHealth(ledger)?.silentMs).toBe(0);
  pen.release();
});

it('advises nobody to end a process that has just started, whose id may be unknown', () => {
  const holder = { pid: 0, host: 'h', since: '' };
  expect(silenceFix(holder, 0)).not.toContain('kill');
  expect(silenceFix({ ...holder, pid: 7 }, 11_000)).toContain('kill -9 7');
});

it('is worth a look while it is silent for seconds, and a fault from the minute on after which it is replaced', () => {
  const holder = { pid: 7, host: 'h', since: new Date().toISOString() };
  const state = (silentMs: number, since = holder.since): string =>
    silenceFinding('worker', 'process 7', { ...holder, since }, silentMs).state;
  expect([state(11_000), state(61_000)]).toEqual(['odd', 'bad']);
  expect([state(0), state(0, new Date(Date.now() - 61_000).toISOString())]).toEqual(['odd', 'bad']);
});

it('does not compare the clock of another machine, and does not take what an earlier boot left for a heartbeat', () => {
  using folder = temporaryFolder();
  const ledger = join(folder.dir, 'run.jsonl');
  const pen = withHeartbeat(takePen(ledger, 0), ledger);
  const rewrite = (name: string, change: object): void => {
    const file = join(folder.dir, 'locks', name);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
  };
  rewrite('run.heartbeat.json', { boot: 'another' });
  expect(penHealth(ledger)?.silentMs).toBe(0);
  rewrite('run.lock.holder.json', { host: 'another' });
  expect(penHealth(ledger)?.silentMs).toBeNull();
  pen.release();
});

it('L2 a ledger whose lock was taken away takes no further event from the next millisecond on', async () => {
  using folder = temporaryFolder();
  const ledger = await openPlain(join(folder.dir, 'run.jsonl'));
  await ledger.append(noteOf('a'));
  rmSync(join(folder.dir, 'locks/run.lock'));
  await after(2);
  await expect(ledger.append(noteOf('b'))).rejects.toMatchObject({ code: 'ledger-replaced' });
  await expect(ledger.append(noteOf('c'))).rejects.toMatchObject({ code: 'ledger-replaced' });
});
