/** A registry of npm packages on this machine, as npm itself speaks to it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Published = {
  name: string;
  version?: string;
  /** When it was published; long ago when left out. */
  at?: Date;
  manifest?: object;
  files?: Readonly<Record<string, string>>;
  /** What happens when it is fetched. */
  fetched?: 'another file' | 'never';
};

export type Registry = {
  url: string;
  /** Names of the packages whose files were asked for. */
  asked: string[];
  close: () => Promise<void>;
};

const LONG_AGO = new Date('2020-01-01T00:00:00Z');

export async function openRegistry(packages: readonly Published[], port = 0): Promise<Registry> {
  const tarballs = new Map(packages.map((each) => [each.name, tarballOf(each)]));
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const [name = '', file] = decodeURIComponent(url.slice(1)).split('/-/');
    const found = packages.find((each) => each.name === name);
    const tarball = tarballs.get(name);
    if (found === undefined || tarball === undefined) return notFound(response);
    if (file === undefined) return answer(response, JSON.stringify(about(found, tarball, addressOf())));
    asked.push(name);
    if (found.fetched === 'never') return;
    response.end(found.fetched === 'another file' ? tarballOf({ ...found, files: { 'evil.js': 'evil' } }) : tarball);
  });
  const addressOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `${addressOf()}/`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A package with one program that prints its arguments. */
export function program(name: string, more: Partial<Published> = {}): Published {
  return {
    name,
    ...more,
    manifest: { bin: { [name]: 'cli.js' }, ...more.manifest },
    files: { 'cli.js': `#!/usr/bin/env node\nconsole.log('${name}', ...process.argv.slice(2));\n`, ...more.files },
  };
}

function about(
  { name, version = '1.0.0', at = LONG_AGO, manifest = {} }: Published,
  tarball: Buffer,
  address: string,
): object {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  return {
    name,
    'dist-tags': { latest: version },
    time: { created: at.toISOString(), modified: at.toISOString(), [version]: at.toISOString() },
    versions: {
      [version]: {
        name,
        version,
        ...manifest,
        dist: { tarball: `${address}/${name}/-/${name}-${version}.tgz`, integrity },
      },
    },
  };
}

function tarballOf({ name, version = '1.0.0', manifest = {}, files = {} }: Published): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'pack-'));
  try {
    const all = { 'package.json': JSON.stringify({ name, version, ...manifest }), ...files };
    for (const [path, content] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, 'package', path)), { recursive: true });
      writeFileSync(join(folder, 'package', path), content, { mode: 0o755 });
    }
    spawnSync('tar', ['-czf', 'p.tgz', 'package'], { cwd: folder });
    return readFileSync(join(folder, 'p.tgz'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function answer(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'application/json');
  response.end(text);
}

function notFound(response: ServerResponse): void {
  response.statusCode = 404;
  response.end('{"error":"Not found"}');
}
