/** Owns: what a request would send, in plain words and fields. Pure. */
import { hash } from 'node:crypto';

/** A request as the browser was about to send it. `body` is null where a part of it cannot be seen. */
export type BrowserRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
};

type ShownField = { name: string; value: string };
export type ShownRequest = {
  /** Scheme, host and port. */
  site: string;
  method: string;
  url: string;
  fields?: ShownField[];
  text?: string;
  bytes: number;
  sha256: string;
};

const MOST_TEXT = 20_000;

/** Null where not all of it can be shown: then nobody can say yes to it. */
export function showRequest({ method, url, headers, body }: BrowserRequest): ShownRequest | null {
  if (body === null || body.length > MOST_TEXT) return null;
  const media = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const fields = fieldsIn(method === 'GET' ? new URL(url).search.slice(1) : body.toString(), media, method);
  return {
    site: new URL(url).origin,
    method,
    url,
    ...(fields === null ? (body.length === 0 ? {} : { text: body.toString() }) : { fields }),
    bytes: body.length,
    sha256: hash('sha256', body),
  };
}

/** In one line, for a model. */
export function describeRequest(shown: ShownRequest): string {
  const { method, url, fields, text, bytes } = shown;
  const said = fields?.map(({ name, value }) => `${name}=${value}`).join(', ') ?? text ?? '';
  const address = method === 'GET' ? url.split('?')[0] : url;
  return `${method} ${address}${said === '' ? '' : ` with ${said.slice(0, 400)}`}${said.length > 400 ? `… (${bytes} bytes)` : ''}`;
}

function fieldsIn(body: string, media: string, method: string): ShownField[] | null {
  if (body === '') return null;
  if (method === 'GET' || /^application\/x-www-form-urlencoded\b/i.test(media))
    return [...new URLSearchParams(body)].map(([name, value]) => ({ name, value }));
  const boundary = /^multipart\/form-data;.*\bboundary="?([^";]+)/i.exec(media)?.[1];
  if (boundary !== undefined) return partsOf(body, boundary);
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(media) ? jsonFields(body) : null;
}

function partsOf(body: string, boundary: string): ShownField[] {
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...value] = part.replace(/^\r\n/, '').split('\r\n\r\n');
      const name = /\bname="([^"]*)"/i.exec(head)?.[1] ?? '';
      return { name, value: value.join('\r\n\r\n').replace(/\r\n$/, '') };
    });
}

function jsonFields(body: string): ShownField[] | null {
  try {
    const value: unknown = JSON.parse(body);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, each]) => ({
      name,
      value: typeof each === 'string' ? each : JSON.stringify(each),
    }));
  } catch {
    return null; // it is shown as it is
  }
}
