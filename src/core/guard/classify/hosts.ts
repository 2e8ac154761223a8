/** Owns: which host a URL or a target names, and which hosts offer more than web pages. */

/** Host of a URL, of user@host:path, or of host:port; null for anything else. */
export function hostOf(text: string): string | null {
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?(\[[^\]]+\]|[^/:?#\s]*)/i.exec(text);
  if (url !== null) return url[1] === '' || url[1] === undefined ? null : url[1].toLowerCase();
  const remote = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)*|\d+(?:\.\d+){3})(?::.*)?$/.exec(text);
  return remote?.[1]?.toLowerCase() ?? null;
}

/** The same with the port, where a URL names one. */
export function hostAndPortOf(text: string): string | null {
  const host = hostOf(text);
  const port = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?(?:\[[^\]]+\]|[^/:?#\s]*):(\d{1,5})(?=[/?#]|$)/i.exec(text)?.[1];
  return host === null || port === undefined ? host : `${host}:${port}`;
}

/** Metadata addresses, at which clouds hand out credentials, in all spellings that reach them. */
const METADATA =
  /^(?:169\.254\.\d+\.\d+|metadata(?:\.google\.internal)?|100\.100\.100\.200|192\.0\.0\.192|\[?fd00:ec2::254\]?|\[?::ffff:(?:169\.254|a9fe).*|2852039166|0xa9fea9fe|0xa9\.0xfe\..*|0?251\.0?376\..*|0251\..*|instance-data.*)$/i;

export const isMetadata = (host: string): boolean => METADATA.test(host);

/** Obfuscated addresses, addresses of private networks, and of services that execute requests of anybody. */
const OBSCURE =
  /^(?:0x[\da-f]+|\d{6,}|(?:0x[\da-f]+|\d+)(?:\.(?:0x[\da-f]+|\d+)){1,2}|(?:\d+\.)*0(?:x|\d)[\da-f]*(?:\.[\da-fx]+)*)$/i;
const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/;
const OBEYING = /^https?:\/\/[^/]*:(?:2375|2376|2379|4243|6379|6443|8500|9229|10250|10255|11211)(?:\/|$)/i;

/** Why an address needs an approval, or null. */
export function suspiciousAddress(url: string): string | null {
  const host = hostOf(url) ?? '';
  if (OBSCURE.test(host) || /[^\x21-\x7E\uE000]/.test(host)) return 'is obfuscated';
  if (PRIVATE.test(host)) return 'is in a private network';
  return OBEYING.test(url) ? 'is a service that executes whatever it is sent' : null;
}

/** User names, passwords or tokens in a URL. */
export const hasCredentials = (url: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]+@/i.test(url) ||
  /[?&](?:access_?token|api_?key|token|key|password|secret|auth)=[^&]/i.test(url);
