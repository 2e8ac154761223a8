import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { launcherPath } from '../../../../src/kit/sandbox/find-launcher.ts';
import { startServer } from '../../../../src/rooms/mcp/client/server-process.ts';
import { lineTransport } from '../../../../src/rooms/mcp/client/line-transport.ts';

const shell = (script: string) =>
  startServer(
    ['/bin/sh', '-c', script],
    { cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' } },
    { launcher: launcherPath(), rights: null },
  );

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

async function firstLine(stream: AsyncIterable<Buffer>): Promise<string> {
  for await (const chunk of stream) return String(chunk).trim();
  return '';
}

test('P1 a server is spoken to over its pipes and ends with everything it started when its input is closed', async () => {
  const server = shell('setsid sleep 1000 & echo $!; while read line; do :; done; echo last words >&2');
  const pid = Number(await firstLine(server.output.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>));
  expect(isAlive(pid)).toBe(true);
  await server.end();
  expect(isAlive(pid)).toBe(false);
  expect(await server.ended).toBe('ended with exit code 0');
  expect(server.lastErrors()).toBe('last words');
});

test('P1 a server that ignores the end of its input and SIGTERM is ended all the same', async () => {
  const server = shell('trap "" TERM; echo $$; while true; do sleep 1; done');
  const pid = Number(await firstLine(server.output.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>));
  await server.end();
  expect(isAlive(pid)).toBe(false);
});

test('P1 a server ends when the process that speaks to it is killed', async () => {
  const script = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.argv[1], ['--pipe', '--open', '--', '/bin/sh', '-c', 'setsid sleep 1000 & echo $!; trap "" TERM; sleep 1000'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.on('data', (text) => process.stdout.write(text));`;
  const worker = spawn(process.execPath, ['-e', script, launcherPath()], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(await firstLine(worker.stdout));
  expect(isAlive(pid)).toBe(true);
  worker.kill('SIGKILL');
  while (isAlive(pid)) await sleep(50);
});

const lastReason = async (script: string, limits = {}): Promise<string | null> => {
  const server = shell(script);
  const transport = lineTransport(server, limits);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  Object.assign(transport, { onclose: resolve });
  await transport.start();
  await closed;
  await server.ended;
  return transport.whyClosed();
};

test('T1 T2 a server that sends no JSON, too much or too many messages is ended, and the reason is known', async () => {
  expect(await lastReason(`echo starting; echo '{"broken'; sleep 1000`)).toBe('sent a message that is not JSON');
  expect(await lastReason(`head -c 100000 /dev/zero | tr '\\0' x; sleep 1000`, { messageBytes: 50_000 })).toMatch(
    /more than 0 MB/,
  );
  expect(await lastReason(`yes '{}'`, { messagesPerSecond: 100 })).toBe('sent too many messages at once');
  expect(await lastReason(`yes`, { bytesPerSecond: 1_000_000 })).toBe('sent too much at once');
  expect(await lastReason('echo no such key >&2; exit 3')).toBe(
    'ended with exit code 3; the last it wrote: no such key',
  );
});
