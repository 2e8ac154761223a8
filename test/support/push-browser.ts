/** A browser that has subscribed to Web Push: it makes the keys, and reads what it is sent, as RFC 8291 says. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

export type PushBrowser = { keys: { p256dh: string; auth: string }; read: (body: Buffer) => string };

export function newBrowser(): PushBrowser {
  const ecdh = createECDH('prime256v1');
  const own = ecdh.generateKeys();
  const auth = randomBytes(16);
  const read = (body: Buffer): string => {
    const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body[20] ?? 0];
    const sender = body.subarray(21, 21 + length);
    const sealed = body.subarray(21 + length);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]);
    const input = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
    const derive = (label: string, bytes: number): Buffer =>
      Buffer.from(hkdfSync('sha256', input, salt, Buffer.from(`Content-Encoding: ${label}\0`), bytes));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    if (sealed.length > size || plain.at(-1) !== 2) throw new Error('it is not one whole record');
    return plain.subarray(0, -1).toString('utf8');
  };
  return { keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') }, read };
}
