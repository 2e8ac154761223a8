/** An index of wheels on this machine, as pip and uv speak to it: JSON with times, or HTML without. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export type IndexOptions = {
  /** html: links alone, as most mirrors give them. */
  speaks: 'json' | 'html';
  /** When a file was published; null says nothing about it. */
  at?: (file: string) => Date | null;
  /** What the server says about when a file was changed; null says nothing. */
  changed?: (file: string) => Date | null;
  /** Gives other bytes than it announced. */
  swapped?: boolean;
};

export type PythonIndex = AsyncDisposable & { url: string; asked: string[] };

const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';

export async function pythonIndex(folder: string, options: IndexOptions): Promise<PythonIndex> {
  const { speaks, at = () => LONG_AGO, changed = () => null, swapped = false } = options;
  const asked: string[] = [];
  const server = createServer(({ url = '', method }, response) => {
    const [, kind = '', name = ''] = decodeURIComponent(url.split('?')[0] ?? '').split('/');
    const files = readdirSync(folder).filter((file) => file.endsWith('.whl'));
    if (kind === 'files' && files.includes(name)) {
      const date = changed(name);
      if (date !== null) response.setHeader('last-modified', date.toUTCString());
      const body = readFileSync(join(folder, name));
      if (method === 'HEAD') return response.setHeader('content-length', body.length).end();
      asked.push(name);
      return response.end(swapped ? Buffer.concat([body, Buffer.from('x')]) : body);
    }
    const own = files.filter((file) => normal(file.split('-')[0] ?? '') === name);
    if (kind !== 'simple' || own.length === 0) return response.writeHead(404).end();
    const rows = own.map((file) => ({ file, date: at(file), sha256: hashOf(join(folder, file)) }));
    response.setHeader('content-type', speaks === 'json' ? JSON_TYPE : 'text/html');
    response.end(speaks === 'json' ? jsonPage(name, rows) : htmlPage(rows));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Row = { file: string; date: Date | null; sha256: string };

function jsonPage(name: string, rows: readonly Row[]): string {
  const files = rows.map(({ file, date, sha256 }) => ({
    filename: file,
    url: `/files/${file}`,
    hashes: { sha256 },
    ...(date === null ? {} : { 'upload-time': date.toISOString() }),
  }));
  return JSON.stringify({ meta: { 'api-version': '1.1' }, name, files, versions: [] });
}

function htmlPage(rows: readonly Row[]): string {
  const links = rows.map(({ file, sha256 }) => `<a href="/files/${file}#sha256=${sha256}">${file}</a><br>`);
  return `<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`;
}

const normal = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
