/**
 * Owns: certificates with which the proxy can read the requests of a step to a package registry.
 *
 * C1 The authority is known to that step alone: its certificate is in a file of the step, and its key stays in the proxy.
 * C2 Two processes with the same seed have the same authority, without speaking to each other.
 *
 * Node has no API that writes certificates, and what is needed is small: X.509 version 3, P-256 with SHA-256.
 */
import {
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP } from 'node:net';

type IssuedCertificate = { key: string; cert: string };

export type Authority = {
  /** Its own certificate, as PEM. */
  certificate: (now: number) => string;
  /** A certificate for a host. */
  issue: (host: string, now: number) => IssuedCertificate;
};

const DAY_MS = 86_400_000;
const LASTS_MS = 30 * DAY_MS;
const NAME = 'oka egress proxy, for the steps of this machine';

export function createAuthority(seed: Buffer = randomBytes(32)): Authority {
  const key = keyFrom(seed);
  const issuer = { name: distinguishedName(NAME), key };
  return {
    certificate: (now) => toPem(certificate({ issuer, subject: issuer, now, extensions: authorityExtensions(key) })),
    issue: (host, now) => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const subject = { name: distinguishedName(host.slice(0, 60)), key: privateKey };
      const cert = certificate({ issuer, subject, now, extensions: hostExtensions(host, key, privateKey) });
      return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert: toPem(cert) };
    },
  };
}

/** A private key of P-256 out of a seed (C2). A number that is not a valid key is as good as never drawn. */
function keyFrom(seed: Buffer): KeyObject {
  const ecdh = createECDH('prime256v1');
  const scalar = createHmac('sha256', seed).update('oka egress authority').digest();
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey();
  const coordinate = (from: number): string => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', d: scalar.toString('base64url'), x: coordinate(1), y: coordinate(33) };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

type Party = { name: Buffer; key: KeyObject };
type Certified = { issuer: Party; subject: Party; now: number; extensions: readonly Buffer[] };

function certificate({ issuer, subject, now, extensions }: Certified): Buffer {
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    issuer.name,
    sequence(time(now - DAY_MS), time(now + LASTS_MS)),
    subject.name,
    publicKeyOf(subject.key),
    tagged(0xa3, sequence(...extensions)),
  );
  return sequence(body, algorithm, bitString(0, sign('sha256', body, issuer.key)));
}

const IS_CRITICAL = Buffer.from([1, 1, 0xff]);
const SUBJECT_KEY = '551d0e';
const AUTHORITY_KEY = '551d23';
const KEY_USAGE = '551d0f';
const BASIC_CONSTRAINTS = '551d13';
const SUBJECT_NAMES = '551d11';
const EXTENDED_USAGE = '551d25';
const SERVER = '2b06010505070301';

function authorityExtensions(key: KeyObject): Buffer[] {
  return [
    extension(BASIC_CONSTRAINTS, sequence(IS_CRITICAL, integer(Buffer.from([0]))), true),
    extension(KEY_USAGE, bitString(2, Buffer.from([0x04])), true), // it signs certificates
    extension(SUBJECT_KEY, tagged(0x04, keyId(key))),
  ];
}

function hostExtensions(host: string, authority: KeyObject, own: KeyObject): Buffer[] {
  const name = isIP(host) === 0 ? tagged(0x82, Buffer.from(host)) : tagged(0x87, addressBytes(host));
  return [
    extension(BASIC_CONSTRAINTS, sequence(), true),
    extension(KEY_USAGE, bitString(7, Buffer.from([0x80])), true), // it signs what is said in a handshake
    extension(EXTENDED_USAGE, sequence(oid(SERVER))),
    extension(SUBJECT_NAMES, sequence(name)),
    extension(SUBJECT_KEY, tagged(0x04, keyId(own))),
    extension(AUTHORITY_KEY, sequence(tagged(0x80, keyId(authority)))),
  ];
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [IS_CRITICAL] : []), tagged(0x04, value));
}

const publicKeyOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });
const keyId = (key: KeyObject): Buffer => createHash('sha256').update(publicKeyOf(key)).digest().subarray(0, 20);

function addressBytes(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number));
  const [head = '', tail = ''] = host.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((each) => Number.parseInt(each, 16));
  const [left, right] = [groups(head), groups(tail)];
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** One common name. */
const distinguishedName = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(name)))));

/** YYMMDDHHMMSSZ, the form for years before 2050. */
const time = (ms: number): Buffer =>
  tagged(
    0x17,
    Buffer.from(
      new Date(ms)
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, '')
        .slice(2),
    ),
  );

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
const bitString = (unused: number, bytes: Buffer): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.from([unused]), bytes]));

/** A DER element: tag, length, content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
