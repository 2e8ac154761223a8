import { expect, it } from 'vitest';
import { openApprise } from '../../../src/rooms/channels/apprise/apprise-channel.ts';
import { bearerHeader } from '../../../src/rooms/channels/bearer-token.ts';
import { AppriseChannel } from '../../../src/rooms/channels/apprise/apprise-channel.ts';
import type { ChannelMessage, ChannelTools } from '../../../src/core/schema/channel-port.ts';

const tools: ChannelTools = {
  name: 'x',
  reveal: () => Promise.resolve('t'),
  proxyFor: () => Promise.resolve(null),
  fetch: () => Promise.reject(new Error('it was asked')),
};

it('a token goes over https or stays on this machine; elsewhere nothing is sent', async () => {
  const header = (url: string): Promise<object> => bearerHeader('secret:T', new URL(url), tools);
  expect(await header('https://a.example.org')).toEqual({ authorization: 'Bearer t' });
  expect(await header('http://127.0.0.1:8000')).toEqual({ authorization: 'Bearer t' });
  await expect(header('http://apprise.lan:8000')).rejects.toThrow('gets no token');
  const settings = AppriseChannel.parse({ kind: 'apprise', url: 'http://apprise.lan:8000/notify', token: 'secret:T' });
  const sent = await openApprise(settings, tools).announce(
    { title: 'x', body: '', link: null } as ChannelMessage,
    AbortSignal.timeout(1000),
  );
  expect(sent).toMatchObject({ status: 'failed', reason: expect.stringContaining('gets no token') as string });
});
