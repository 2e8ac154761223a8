/**
 * Owns: the encryption of a push message (RFC 8291, aes128gcm of RFC 8188) and the identification of the sender (VAPID,
 * RFC 8292). The push service sees neither words nor titles: only the browser that subscribed can read them.
 */
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a browser gives when it subscribes. */
export type PushKeys = { p256dh: string; auth: string };

/** One record; a message is shorter than that. */
const RECORD_BYTES = 4096;
const TAG_BYTES = 16;
/** Header, delimiter and tag take the rest of what push services accept. */
export const MOST_PUSH_BYTES = 3900;
const TOKEN_SECONDS = 12 * 3600;

export function encryptPush(text: string, { p256dh, auth }: PushKeys): Buffer<ArrayBuffer> {
  const receiver = Buffer.from(p256dh, 'base64url');
  const sender = createECDH('prime256v1');
  const own = sender.generateKeys();
  const shared = sender.computeSecret(receiver);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, own]);
  const input = Buffer.from(hkdfSync('sha256', shared, Buffer.from(auth, 'base64url'), info, 32));
  const salt = randomBytes(16);
  const derive = (label: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${label}\0`, length));
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12), {
    authTagLength: TAG_BYTES,
  });
  const sealed = Buffer.concat([cipher.update(Buffer.concat([Buffer.from(text), Buffer.from([2])])), cipher.final()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([salt, size, Buffer.from([own.length]), own, sealed, cipher.getAuthTag()]);
}

/** The key of this home, as push services and browsers know it. */
export type VapidKey = { privatePem: string; publicKey: string };

/** The Authorization header for one push service. */
export function vapidHeader({ privatePem, publicKey }: VapidKey, endpoint: URL, contact: string, now: number): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { aud: endpoint.origin, exp: Math.floor(now / 1000) + TOKEN_SECONDS, sub: contact };
  const signed = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
  const key: KeyObject = createPrivateKey(privatePem);
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return `vapid t=${signed}.${signature}, k=${publicKey}`;
}
