/** Owns: which addresses of the network are other people's machines. Everything that is not known to be public is not. */
import { BlockList, isIP } from 'node:net';

/** Special-purpose registries of IANA; 168.63.129.16 is the host agent of a cloud, on a public address. */
const NOT_PUBLIC_4 = toBlockList(
  'ipv4',
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
  198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`,
);

const GLOBAL_6 = toBlockList('ipv6', '2000::/3');
/** Inside it: protocols (Teredo among them), documentation, and 6to4, which carries an IPv4 address. */
const NOT_PUBLIC_6 = toBlockList('ipv6', '2001::/23 2001:db8::/32 2002::/16 3fff::/20');

/** An address with a zone (fe80::1%eth0) is of this machine's own network, whatever it looks like. */
export function isPublic(address: string): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC_4.check(address, 'ipv4');
    case 6:
      return GLOBAL_6.check(address, 'ipv6') && !NOT_PUBLIC_6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Nobody runs a service of their own there: groups, machines not yet named, and where clouds hand out credentials. */
const RESERVED_4 = toBlockList(
  'ipv4',
  `0.0.0.0/8 100.100.100.200/32 168.63.129.16/32 169.254.0.0/16 192.0.0.0/24 192.88.99.0/24 224.0.0.0/4 240.0.0.0/4`,
);
const OWN_6 = toBlockList('ipv6', '::1/128 fc00::/7');
const METADATA_6 = toBlockList('ipv6', 'fd00:ec2::254/128 fd20:ce::254/128');

/** Addresses that are not public, and at which an operator may well run something: this machine among them. */
export function isOwnNetwork(address: string): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return NOT_PUBLIC_4.check(address, 'ipv4') && !RESERVED_4.check(address, 'ipv4');
    case 6:
      return OWN_6.check(address, 'ipv6') && !METADATA_6.check(address, 'ipv6');
    default:
      return false;
  }
}

function toBlockList(family: 'ipv4' | 'ipv6', nets: string): BlockList {
  const list = new BlockList();
  for (const net of nets.split(/\s+/)) {
    const [address = '', bits] = net.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
