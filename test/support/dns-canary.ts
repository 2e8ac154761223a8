/**
 * A name server of one's own, and whoever the names lead to: it notes which names a browser asks for, and who connects. The
 * browser gets it as the only name server, in a mount namespace of its own, which takes root.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** Loopback has 16 million addresses; nobody else uses these. */
const [NAMES, HOST] = ['127.77.0.1', '127.77.0.2'];

export type DnsCanary = AsyncDisposable & {
  /** A program that starts the browser so that it asks this server. */
  program: string;
  /** Names that were asked for below `evil.example`, and how often somebody connected, since the last call. */
  noticed: () => { names: string[]; connections: number };
};

export const canHaveDnsCanary = process.getuid?.() === 0 && process.platform === 'linux';

export async function openDnsCanary(browser: string, folder: string): Promise<DnsCanary> {
  const names = new Set<string>();
  let connections = 0;
  const dns = createSocket('udp4', (asked, { port, address }) => {
    const name = nameIn(asked);
    if (isOurs(name)) names.add(name);
    dns.send(answerTo(asked), port, address);
  });
  await new Promise<void>((done) => dns.bind(53, NAMES, done));
  const hosts: Server[] = [80, 443].map((port) =>
    createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).destroy();
    }).listen(port, HOST),
  );
  await Promise.all(hosts.map((each) => once(each, 'listening')));
  const [servers, program] = [join(folder, 'resolv.conf'), join(folder, 'browser.sh')];
  writeFileSync(servers, `nameserver ${NAMES}\n`);
  const inside = `mount --bind ${servers} ${realpathSync('/etc/resolv.conf')} && exec ${browser} "$@"`;
  writeFileSync(program, `#!/bin/sh\nexec unshare -m sh -c '${inside}' sh "$@"\n`);
  chmodSync(program, 0o755);
  return {
    program,
    noticed: () => {
      const seen = { names: [...names].toSorted(), connections };
      names.clear();
      connections = 0;
      return seen;
    },
    async [Symbol.asyncDispose]() {
      dns.close();
      await Promise.all(hosts.map((each) => new Promise<void>((done) => void each.close(() => done()))));
    },
  };
}

const HEADER = 12;

const isOurs = (name: string): boolean => name.endsWith('evil.example');

function nameIn(asked: Buffer): string {
  const parts: string[] = [];
  for (let at = HEADER; (asked[at] ?? 0) > 0; at += (asked[at] ?? 0) + 1)
    parts.push(asked.toString('latin1', at + 1, at + 1 + (asked[at] ?? 0)));
  return parts.join('.').toLowerCase();
}

/** The address of the host for a question about the address of such a name, and nothing for others, which the browser asks for itself. */
function answerTo(asked: Buffer): Buffer {
  const end = asked.indexOf(0, HEADER) + 5;
  const isAddress = asked.readUInt16BE(end - 4) === 1 && isOurs(nameIn(asked));
  const header = Buffer.from(asked.subarray(0, HEADER));
  header.writeUInt16BE(0x8180, 2);
  for (const [at, count] of [1, isAddress ? 1 : 0, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * at);
  const record = Buffer.from([0xc0, HEADER, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...HOST.split('.').map(Number)]);
  return Buffer.concat([header, asked.subarray(HEADER, end), ...(isAddress ? [record] : [])]);
}
