/**
 * Owns: which headers pass the proxy, and the declared length of a body.
 *
 * H1 What is meant for the next machine only does not go on (RFC 9110, 7.6.1), and neither do our credentials.
 * H2 A message whose end is ambiguous is refused: that is how a second request is smuggled in.
 */
const ONE_HOP = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
];

type Framing = { length: string } | { chunked: true } | { none: true } | { problem: string };

/** `raw` is names and values by turns, as they came. */
export function readFraming(raw: readonly string[], httpVersion: string): Framing {
  const lengths = headerValues(raw, 'content-length');
  const codings = headerValues(raw, 'transfer-encoding');
  if (codings.length > 0 && lengths.length > 0) return { problem: 'Content-Length and Transfer-Encoding at once' };
  if (codings.length > 0) {
    const plain = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked' && httpVersion === '1.1';
    return plain ? { chunked: true } : { problem: 'a Transfer-Encoding other than chunked' };
  }
  const [length] = lengths;
  if (length === undefined) return { none: true };
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) return { problem: 'a Content-Length that is not one number' };
  return { length };
}

/** The headers that go on, by name; one that occurs several times has all its values. */
export function forwardedHeaders(raw: readonly string[], without: readonly string[] = []): Record<string, string[]> {
  const named = headerValues(raw, 'connection').flatMap((value) => value.toLowerCase().split(/[\s,]+/));
  const dropped = new Set([...ONE_HOP, ...named, ...without]);
  const passed: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headerPairs(raw)) {
    if (!dropped.has(name)) (passed[name] ??= []).push(value);
  }
  return passed;
}

function headerValues(raw: readonly string[], wanted: string): string[] {
  return [...headerPairs(raw)].flatMap(([name, value]) => (name === wanted ? [value.trim()] : []));
}

function* headerPairs(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index]?.toLowerCase() ?? '', raw[index + 1] ?? ''];
}
