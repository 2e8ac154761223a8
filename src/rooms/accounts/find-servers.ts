/**
 * Owns: which servers a domain publishes for its mail (SRV records, RFC 6186). Does not own: whether they are used.
 *
 * S1 Names come from the DNS, which anybody on the way can forge: a server outside the domain is confirmed by a person
 *    before a password goes there.
 * S2 Only servers with encryption are found.
 */
import { errnoOf, messageOf } from '../../core/schema/errors.ts';

/** What is asked; node:dns has it. */
export type ResolveServices = (name: string) => Promise<readonly ServiceRecord[]>;
type ServiceRecord = { name: string; port: number; priority: number; weight: number };

type FoundServer = { host: string; port: number; security: 'tls' | 'starttls'; isForeign: boolean };

const SERVICES = {
  imap: [
    ['_imaps._tcp', 'tls'],
    ['_imap._tcp', 'starttls'],
  ],
  smtp: [
    ['_submissions._tcp', 'tls'],
    ['_submission._tcp', 'starttls'],
  ],
} as const;
type Service = keyof typeof SERVICES;

/** Null where nothing is published; a word on why where the DNS cannot be asked. */
export async function findServer(
  service: Service,
  domain: string,
  resolve: ResolveServices,
): Promise<FoundServer | string | null> {
  for (const [label, security] of SERVICES[service])
    try {
      const [best] = (await resolve(`${label}.${domain}`)).toSorted(
        (a, b) => a.priority - b.priority || b.weight - a.weight,
      );
      // "." says that there is none.
      if (best !== undefined && best.name !== '' && best.name !== '.')
        return { host: best.name, port: best.port, security, isForeign: !isWithin(best.name, domain) };
    } catch (error) {
      if (errnoOf(error) !== 'ENOTFOUND' && errnoOf(error) !== 'ENODATA')
        return `the DNS could not be asked about ${label}.${domain}: ${messageOf(error)}`;
    }
  return null;
}

const isWithin = (host: string, domain: string): boolean =>
  host.toLowerCase() === domain.toLowerCase() || host.toLowerCase().endsWith(`.${domain.toLowerCase()}`);
