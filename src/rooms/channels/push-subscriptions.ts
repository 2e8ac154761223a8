/**
 * Owns: the key by which this home identifies itself to push services, and the browsers that subscribed: .oka/push.
 * An address of a subscription works like a password, so it is in no ledger: the events say which device it was.
 */
import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { VapidKey } from './push/encrypt-push.ts';
import type { PushStore, PushSubscription } from './push/push-channel.ts';
import { createPrivate, readPlain, replacePrivate } from '../../kit/vault/vault-file.ts';
import { diskWriter, listFolder, makeFolder } from '../../core/ledger/disk.ts';
import type { PushSubscribed } from '../../core/schema/channel-port.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import { channelSubscribed } from './channel-events.ts';

const MOST_SUBSCRIPTIONS = 20;
const folderOf = (home: Home): string => join(home.oka, 'push');
const keyFile = (home: Home): string => join(folderOf(home), 'vapid.pem');
const publicFile = (home: Home): string => join(folderOf(home), 'vapid.pub');
const fileOf = (home: Home, id: string): string => join(folderOf(home), `${id}.json`);

/** The public key that a browser subscribes with; null until the worker has made one. */
export function readPushKey(home: Home): string | null {
  return readPlain(publicFile(home))?.bytes.toString('utf8').trim() ?? null;
}

export function pushStore(home: Home, channel: string, ledger: Pick<LedgerPort, 'append'>): PushStore {
  return {
    key: () => vapidKey(home),
    list: () => listSubscriptions(home),
    remove: async ({ id, endpoint, about }, reason) => {
      unlinkSync(fileOf(home, id));
      const host = new URL(endpoint).host;
      await ledger.append(channelSubscribed({ channel, id, change: 'removed', host, about, reason }));
    },
  };
}

/** Adds a browser, or replaces what it said before. The oldest are not removed by themselves: there is a limit. */
export async function addSubscription(
  home: Home,
  channel: string,
  { endpoint, keys, about }: PushSubscribed,
  ledger: Pick<LedgerPort, 'append'>,
): Promise<string> {
  const id = hash('sha256', endpoint).slice(0, 16);
  makeFolder(folderOf(home), 0o700);
  if (listSubscriptions(home).filter((each) => each.id !== id).length >= MOST_SUBSCRIPTIONS)
    throw new OkaError('refused', `more than ${MOST_SUBSCRIPTIONS} browsers have subscribed`, {
      fix: `Remove some of the files in ${folderOf(home)}.`,
    });
  replacePrivate(diskWriter, fileOf(home, id), Buffer.from(JSON.stringify({ id, endpoint, keys, about })));
  const host = new URL(endpoint).host;
  const reason = 'asked for in the dashboard';
  await ledger.append(channelSubscribed({ channel, id, change: 'added', host, about, reason }));
  return id;
}

function listSubscriptions(home: Home): PushSubscription[] {
  return listFolder(folderOf(home))
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folderOf(home), name), 'utf8')) as PushSubscription);
}

function vapidKey(home: Home): VapidKey {
  makeFolder(folderOf(home), 0o700);
  const found = readPlain(keyFile(home));
  if (found === null) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    createPrivate(diskWriter, keyFile(home), Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  }
  const privatePem = (found ?? readPlain(keyFile(home)))?.bytes.toString('utf8') ?? '';
  const { x = '', y = '' } = createPublicKey(privatePem).export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const publicKey = point.toString('base64url');
  if (readPushKey(home) !== publicKey) replacePrivate(diskWriter, publicFile(home), Buffer.from(publicKey));
  return { privatePem, publicKey };
}
