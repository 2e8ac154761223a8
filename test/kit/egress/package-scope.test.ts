import { describe, expect, it } from 'vitest';
import { createPackageScope } from '../../../src/kit/egress/package-scope.ts';

const npm = { host: 'npm.example.org', port: 443, bases: ['/'] };
const below = { host: 'own.example.org', port: 443, bases: ['/api/npm/'] };
const pip = { host: 'pip.example.org', port: 443, bases: ['/simple/'] };
const manifest = JSON.stringify({ dependencies: { 'left-pad': '^1.3.0', '@types/node': '24.0.0' } });
const packument = JSON.stringify({
  versions: {
    '1.3.1': {
      dependencies: { 'is-even': '1.0.0' },
      dist: { tarball: 'https://npm.example.org/left-pad/-/left-pad-1.3.1.tgz' },
    },
  },
});

describe('P1 a step that only fetches', () => {
  it.each([
    ['a package', npm, '/left-pad'],
    ['a package with a scope, encoded', npm, '/@types%2fnode'],
    ['a package with a scope, written out', npm, '/@types/node'],
    ['a version', npm, '/@types/node/24.0.0'],
    ['the newest version', npm, '/left-pad/latest'],
    ['a tarball by its convention', npm, '/@types/node/-/node-24.0.0.tgz'],
    ['a package below the path of its registry', below, '/api/npm/left-pad'],
  ])('may ask for %s that a manifest names', (_, registry, path) => {
    expect(createPackageScope(manifest).admits(registry, path)).toBe(true);
    expect(createPackageScope('{}').admits(registry, path)).toBe(false);
  });

  it.each([
    ['another package', npm, '/right-pad'],
    ['another scope', npm, '/@data/left-pad'],
    ['a version that nobody has named', npm, '/left-pad/6461-7461'],
    ['a tarball of such a version', npm, '/left-pad/-/left-pad-6461.tgz'],
    ['a tarball of another package', npm, '/left-pad/-/data-24.0.0.tgz'],
    ['something before the package', npm, '/data/left-pad'],
    ['something behind it', npm, '/left-pad/24.0.0/data'],
    ['a package beside the path of its registry', below, '/data/npm/left-pad'],
  ])('may not ask for %s', (_, registry, path) => {
    expect(createPackageScope(manifest).admits(registry, path)).toBe(false);
  });

  it('may ask for what an answer has named, and only then', () => {
    const scope = createPackageScope(manifest);
    const wanted = ['/is-even', '/left-pad/-/left-pad-1.3.1.tgz', '/left-pad/1.3.1'];
    expect(wanted.map((path) => scope.admits(npm, path))).toEqual([false, false, false]);
    scope.learn(packument);
    expect(wanted.map((path) => scope.admits(npm, path))).toEqual([true, true, true]);
  });

  it.each([
    ['npm', '"resolved": "https://registry.example.org/is-odd/-/is-odd-3.0.1.tgz"', '/is-odd/-/is-odd-3.0.1.tgz'],
    ['pnpm', "  '@babel/core@7.1.0':\n    resolution: {integrity: sha512-x}", '/@babel/core/-/core-7.1.0.tgz'],
    ['an older pnpm', '  /is-odd/3.0.1:\n', '/is-odd/-/is-odd-3.0.1.tgz'],
    ['yarn', 'is-odd@^3.0.0:\n  version "3.0.1"\n', '/is-odd/-/is-odd-3.0.1.tgz'],
    ['a newer yarn', '"@babel/core@npm:^7.0.0":\n  version: 7.1.0\n', '/@babel%2fcore'],
  ])('may ask for what a lock file of %s names', (_, lock, path) => {
    expect(createPackageScope(lock).admits(npm, path)).toBe(true);
  });

  it('follows an index of Python from a requirement to a file and its metadata', () => {
    const scope = createPackageScope('Charset_Normalizer[unicode]>=3.0\n');
    expect(scope.admits(pip, '/simple/charset-normalizer/')).toBe(true);
    const file = 'packages/28/76/e6/charset_normalizer-3.3.2-py3-none-any.whl';
    const files = { host: 'files.example.org', port: 443, bases: ['/'] };
    expect(scope.admits(files, `/${file}`)).toBe(false);
    scope.learn(`<a href="https://files.example.org/${file}#sha256=00">charset_normalizer-3.3.2-py3-none-any.whl</a>`);
    expect([`/${file}`, `/${file}.metadata`].map((path) => scope.admits(files, path))).toEqual([true, true]);
    scope.learn('<a href="./charset_normalizer-3.3.2-cp311-cp311-linux_x86_64%2Bcpu.whl">…</a>');
    const beside = '/simple/charset-normalizer/charset_normalizer-3.3.2-cp311-cp311-linux_x86_64%2Bcpu.whl';
    expect(scope.admits(pip, beside)).toBe(true);
  });
});

it('P2 a step is refused more after many packages that do not exist, but not for a second index without them', () => {
  const scope = createPackageScope('');
  for (let index = 0; index < 100; index += 1) {
    scope.answered(`/simple/p${index}/`, true);
    scope.answered(`/other/p${index}/`, false);
  }
  expect(scope.isExhausted()).toBe(false);
  for (let index = 0; index < 20; index += 1) scope.answered(`/made-up-${index}`, false);
  expect(scope.isExhausted()).toBe(true);
});
