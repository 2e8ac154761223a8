/**
 * Owns: what the operator's own mail server found out about the sender of a mail (RFC 8601). Pure.
 *
 * 1. Only the topmost Authentication-Results of the configured server counts. A sender can write such fields, too, but
 *    only below those that the server adds.
 * 2. What stands in comments and quoted strings is never a result: senders influence it.
 */
import { type HeaderField, headerValues } from '../../../kit/mail/mail-header.ts';

/** The domains (header.d) for which that server has verified a DKIM signature; empty when it has verified none. */
export function verifiedDomains(header: readonly HeaderField[], authservId: string): string[] {
  for (const value of headerValues(header, 'authentication-results')) {
    const [server = '', ...results] = splitResults(value);
    const [name = ''] = server.trim().split(/\s+/);
    if (name.toLowerCase() === authservId.toLowerCase()) return results.flatMap(passedDomain);
  }
  return [];
}

/** A signature of a domain also counts for addresses in domains below it. */
export function isAligned(domain: string, verified: readonly string[]): boolean {
  const from = domain.toLowerCase();
  return verified.some((signed) => from === signed || (signed.includes('.') && from.endsWith(`.${signed}`)));
}

/** `dkim=pass header.d=example.org` as it stands in one result. */
function passedDomain(result: string): string[] {
  const words = result.trim().toLowerCase().split(/\s+/);
  if (words[0] !== 'dkim=pass') return [];
  const domains = words.flatMap((word) => (word.startsWith('header.d=') ? [word.slice('header.d='.length)] : []));
  return domains.length === 1 && /^[a-z0-9.-]+$/.test(domains[0] ?? '') ? domains : [];
}

/** The parts between semicolons, without comments; a quoted string becomes a word that is no result. */
function splitResults(value: string): string[] {
  const parts = [''];
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const char = value[at] ?? '';
    if (char === '\\' && (isQuoted || depth > 0)) at += 1;
    else if (isQuoted) isQuoted = char !== '"';
    else if (char === '(') depth += 1;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (depth > 0) continue;
    else if (char === '"') [isQuoted, parts[parts.length - 1]] = [true, `${parts.at(-1)}""`];
    else if (char === ';') parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.replaceAll(/\s*=\s*/g, '='));
}
