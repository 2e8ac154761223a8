/**
 * `npm run deps:try NAME VERSION`: another version of a package, tried in a copy of this checkout. It says whether the lock file
 * came out whole (a registry may lack some platforms' binaries, and npm then leaves them out without a word), and whether the
 * tests and checks pass. Nothing here is changed; the two files to take over are named at the end.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [name, version] = process.argv.slice(2);
if (name === undefined || version === undefined) stop('Usage: npm run deps:try NAME VERSION');

const top = join(import.meta.dirname, '..');
const copy = join(mkdtempSync(join(tmpdir(), 'oka-deps-')), 'oka');
const before = optionalParts(top);
if (!(name in declaredIn(top))) stop(`package.json does not name ${name}.`);
must('git', ['clone', '--quiet', top, copy], top);
must('npm', ['pkg', 'set', `${placeOf(name)}=${withAlias(name, version)}`], copy);
must('npm', ['install', '--package-lock-only', '--ignore-scripts'], copy);
const lost = before.filter((each) => !optionalParts(copy).includes(each));
if (lost.length > 0) stop(`The lock file lost these, which other machines need: ${lost.join(', ')}`);
for (const words of [['ci'], ['test'], ['run', '-s', 'check']]) must('npm', words, copy);
console.log(`${name} ${version} passes. To take it over:\n  cp ${copy}/package.json ${copy}/package-lock.json .`);

/** Packages for one platform, by name. */
function optionalParts(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const forOne = Object.entries(packages).filter(([, { os, cpu }]) => os !== undefined || cpu !== undefined);
  return forOne.map(([path]) => path.replace(/^.*node_modules\//, ''));
}

function declaredIn(folder) {
  const { dependencies, devDependencies, optionalDependencies } = manifestIn(folder);
  return { ...dependencies, ...devDependencies, ...optionalDependencies };
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function placeOf(wanted) {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
  return `${kinds.find((kind) => wanted in manifestIn(top)[kind])}[${wanted}]`;
}

/** A package that is installed under another name keeps that name. */
function withAlias(wanted, next) {
  return declaredIn(top)[wanted].replace(/^(npm:.+@)?[^@]+$/, (_, alias = '') => `${alias}${next}`);
}

function must(program, words, cwd) {
  console.log(`$ ${program} ${words.join(' ')}`);
  const { status } = spawnSync(program, words, { cwd, stdio: 'inherit' });
  if (status !== 0) stop(`${program} ${words[0]} ended with ${status}. The copy is in ${copy}.`);
}

function stop(why) {
  console.error(why);
  process.exit(1);
}
