/**
 * Owns: what opens an address or a host to a run, and who opened it. This is the one place in which a text can grant
 * anything. Pure.
 *
 * T1 A text of a person grants one thing: a complete address with its scheme may be read, exactly as it is. Not its host with
 *    another path or query; and no host name, file name, mail address or title.
 * T2 `hosts:` of a person's task opens a host to reading; with `send: true` also to what the run has read.
 * T3 Texts of everybody else (models, agents, servers, mails, files, pages, answers in free text) grant nothing.
 * T4 Every grant says who gave it.
 */
import type { TaskHost } from '../schema/task-file.ts';
import { splitHost } from './host-names.ts';
import { comparableUrl, linksIn } from './page-links.ts';
import { hostMatches } from './rule-match.ts';

/**
 * A text and who wrote it. Whoever is not known to be a person is `other`; `personal` is what a prompt has beside the text,
 * `holds` whether there are outputs of tools in it.
 */
export type GivenText = { personal?: string; holds?: boolean } & (
  | { by: 'person'; from: string; text: string; hosts?: readonly TaskHost[] }
  | { by: 'other' }
);

type HostGrant = { host: string; send: boolean; from: string };

export type Grants = {
  /** Addresses that may be read as they are, each with where the person wrote it. */
  addresses: ReadonlyMap<string, string>;
  hosts: readonly HostGrant[];
};

export const NO_GRANTS: Grants = { addresses: new Map(), hosts: [] };

export function grantsOf(given: readonly GivenText[]): Grants {
  const addresses = new Map<string, string>();
  const hosts: HostGrant[] = [];
  for (const each of given) {
    if (each.by !== 'person') continue;
    for (const address of linksIn(each.text)) addresses.set(address, `an address in ${each.from}`);
    for (const named of each.hosts ?? []) hosts.push({ ...toHostGrant(named), from: `\`hosts:\` of ${each.from}` });
  }
  return { addresses, hosts };
}

const toHostGrant = (named: TaskHost): Omit<HostGrant, 'from'> =>
  typeof named === 'string' ? { host: named, send: false } : { host: named.host, send: named.send ?? false };

/** The grant that names the host of an address, one that lets it be sent to first; undefined when none does. */
export function hostGrantFor({ hosts }: Grants, url: URL): HostGrant | undefined {
  const fitting = hosts.filter(({ host }) => isHostOf(host, url));
  return fitting.find(({ send }) => send) ?? fitting[0];
}

/** Without a port it is that of the scheme. */
function isHostOf(written: string, { hostname, port }: URL): boolean {
  const [name, at] = splitHost(written);
  return hostMatches(name, hostname.replace(/^\[(.*)\]$/, '$1')) && (at === null ? port === '' : String(at) === port);
}

/** Who opened this very address to reading; undefined when nobody did. */
function addressGrantFor({ addresses }: Grants, url: string): string | undefined {
  const address = comparableUrl(url);
  return address === null ? undefined : addresses.get(address);
}

/** Who opened the host of an address, or the address itself, in words for a person; null when nobody did. */
export function grantedBy(grants: Grants, url: string): string | null {
  const parsed = URL.parse(url);
  const host = parsed === null ? undefined : hostGrantFor(grants, parsed);
  return host?.from ?? addressGrantFor(grants, url) ?? null;
}

/** The line of a task that would open a host, ready to be pasted into its front matter. */
export const hostLine = (host: string): string => `hosts: [{ host: '${host}', send: true }]`;

const PERSONAL: readonly { what: string; shape: RegExp }[] = [
  { what: 'a mail address', shape: /[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/u },
  { what: 'a long number', shape: /\d(?:[ .\-/]?\d){5,}/ },
  { what: 'a code', shape: /\b(?=(?:[a-z]*\d){3})[a-z]+\d+[a-z]+[a-z\d]*\b/i },
  {
    what: 'a password',
    shape:
      /\b(?:pass(?:word|phrase|code)|pin|passwort|kennwort|mot de passe|code secret|contraseña|clave)\b[^.\n]{0,20}?(?::|=|\bis\b|\bist\b|\best\b|\bes\b)\s*\S/iu,
  },
];
/** Days of these years are dates of what a task is about. Earlier ones may be somebody's birthday. */
const RECENT_DAY = /\b20[2-9]\d[-./]\d{1,2}[-./]\d{1,2}\b|\b\d{1,2}[-./]\d{1,2}[-./]20[2-9]\d\b/g;
const ADDRESS = /\bhttps?:\/\/\S+/gi;

/** What a person's own words contain that nobody else should get, in words; null when nothing was found. */
export function personalIn(text: string): string | null {
  const rest = text.replaceAll(ADDRESS, ' ').replaceAll(RECENT_DAY, ' ');
  const found = PERSONAL.find(({ shape }) => shape.test(rest));
  return found === undefined ? null : `your own words, which contain ${found.what}`;
}
