import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isOwnNetwork, isPublic } from '../../../src/core/guard/network-address.ts';

it.each(['8.8.8.8', '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'])(
  '%s is public',
  (address) => expect(isPublic(address)).toBe(true),
);

it.each(['128.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '223.255.255.255'])(
  '%s, just beside what is not, is public',
  (address) => expect(isPublic(address)).toBe(true),
);

it.each(['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888', '2003::1', '2400:cb00::1'])(
  '%s is public',
  (address) => expect(isPublic(address)).toBe(true),
);

it.each([
  '',
  'localhost',
  '127.0.0.1 ',
  '1.2.3',
  '1.2.3.4.5',
  '0x7f.1',
  '2130706433',
  '::1%lo',
  '[::1]',
  '2001:db8::g',
])('%j is no address at all and so not public', (address) => expect(isPublic(address)).toBe(false));

it('no address of version 6 that carries one of version 4 is public', () => {
  const carriers = ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '::ffff:0:', 'fe80::5efe:'];
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom(...carriers), (address, carrier) => {
      expect(isPublic(`${carrier}${address}`)).toBe(false);
    }),
  );
});

it('only the global range of version 6 is public', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      if (isPublic(address)) expect(address).toMatch(/^[23][0-9a-f]{3}:/i);
    }),
  );
});

it.each([
  '10.1.2.3',
  '127.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  '203.0.113.7',
  '::1',
  'fd12::1',
])('%s may be the operator’s own', (address) => expect(isOwnNetwork(address)).toBe(true));

it.each([
  '8.8.8.8',
  '0.0.0.0',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  'fe80::1',
  'fe80::1%lo',
  'fd00:ec2::254',
  'ff02::1',
  '::ffff:10.0.0.1',
  '2606:4700::1',
  'localhost',
])('%s is nobody’s own', (address) => expect(isOwnNetwork(address)).toBe(false));

it('no address is both public and the operator’s own', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      expect(isPublic(address) && isOwnNetwork(address)).toBe(false);
    }),
  );
});
