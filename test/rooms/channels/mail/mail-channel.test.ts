import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openMailChannel } from '../../../../src/rooms/channels/mail/mail-channel.ts';
import type { ChannelInbox, ChannelTools } from '../../../../src/core/schema/channel-port.ts';
import { MailChannel } from '../../../../src/rooms/channels/mail/mail-settings.ts';

const tools = { proxyFor: async () => null } as unknown as ChannelTools;
const inbox = { ready: () => undefined } as ChannelInbox;

/** Answers everything but a search; a mute one not even the connection. */
function converse(socket: Socket, isMute: boolean, onSearch: () => void): void {
  socket.on('error', () => undefined);
  if (isMute) return onSearch();
  socket.write('* PREAUTH [CAPABILITY IMAP4rev1 IDLE] ready\r\n');
  socket.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\r\n').filter(Boolean)) {
      const [tag = '', command = ''] = line.split(' ');
      if (command === 'UID') return onSearch();
      if (command === 'CAPABILITY') socket.write('* CAPABILITY IMAP4rev1 IDLE\r\n');
      if (command === 'LIST') socket.write('* LIST () "/" INBOX\r\n');
      if (command === 'SELECT') socket.write('* 1 EXISTS\r\n* OK [UIDVALIDITY 1] it is\r\n* FLAGS (\\Seen)\r\n');
      socket.write(`${tag} OK\r\n`);
    }
  });
}

it.each([
  ['does not answer a search', false],
  ['does not even greet', true],
])('the connection to a mailbox that %s ends at the signal', async (_, isMute) => {
  const asked = Promise.withResolvers<Socket>();
  const server = createServer((socket) => converse(socket, isMute, () => asked.resolve(socket)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const place = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, security: 'none' };
  const settings = MailChannel.parse({
    kind: 'mail',
    from: 'oka@home.test',
    to: ['ann@home.test'],
    smtp: place,
    imap: place,
  });
  const stop = new AbortController();
  const received = openMailChannel(settings, tools).receive?.(inbox, stop.signal);
  const socket = await asked.promise;
  const closed = once(socket.resume(), 'close');
  stop.abort();
  await expect(received).resolves.toBeUndefined();
  await closed;
  server.close();
});
