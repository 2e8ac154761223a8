import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launch } from '../../../src/kit/sandbox/launch.ts';
import { testFolder } from '../../support/test-folders.ts';

const PLAIN = { PATH: process.env['PATH'] ?? '' };

async function run(line: string, isTraced = true) {
  const scratch = testFolder('exits-');
  writeFileSync(
    join(scratch, 'npm'),
    '#!/bin/sh\necho "npm $*"; [ "$1" = ls ] || [ "$1" = install ] && exit 3; exit 0\n',
    { mode: 0o755 },
  );
  const { exit, stdout, stderr, hidden } = await launch(
    { line },
    {
      cwd: scratch,
      env: { ...PLAIN, PATH: `${scratch}:${PLAIN.PATH}` },
      signal: new AbortController().signal,
      outputLimitBytes: 10_000,
      ...(isTraced ? { scratch } : {}),
    },
  );
  const clean = (bytes: Buffer): string => bytes.toString().replaceAll(scratch, 'S');
  return { exit, stdout: clean(stdout.head), stderr: clean(stderr.head), hidden };
}

it.each([
  ['a pipe, which nobody writes to', 'rm -f .exits; mkfifo .exits; true'],
  ['a link to a file that says something else', 'echo "list 127 lie" > lie; rm -f .exits; ln -s lie .exits; true'],
  ['a file of a terabyte', 'rm -f .exits; truncate -s 1T .exits; true'],
  ['a folder', 'rm -f .exits; mkdir .exits; true'],
])('what a command puts in the place of the record is not read: %s', async (_, line) => {
  expect(await run(line)).toMatchObject({ exit: 0, hidden: [] });
});

describe('what fails inside a line of the shell', () => {
  it.each<[string, string[]]>([
    [
      'npm install -g cowsay 2>&1 | tail -2; no-cow moo > cow.txt; ls',
      ['exit 127: no-cow moo > cow.txt', 'exit 3: npm install -g cowsay'],
    ],
    ['no-cow moo 2> /dev/null | tail -1', ['exit 127: no-cow']],
    ['./no-script.sh 2> /dev/null | tail -1; echo x', ['exit 127: a command in a pipe']],
    ['./no-script.sh; echo x', ['exit 127: ./no-script.sh']],
    ['f() { no-cow; true; }; f', ['exit 127: no-cow']],
    ['(no-cow; true); x=$(no-sheep; true)', ['exit 127: no-sheep', 'exit 127: no-cow']],
    ['no-cow || true; no-sheep; true', ['exit 127: no-sheep']],
    ['npm install; true', ['exit 3: npm install']],
    ['. /dev/null; ./npm install\ntrue', []],
  ])('%s', async (line, expected) => {
    const { exit, hidden } = await run(line);
    expect(exit).toBe(0);
    expect(hidden?.toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    'echo a | grep b | cat; false; true',
    'if no-cow | cat; then echo; fi',
    'no-cow || echo instead',
    'npm ls | cat; npm ci | cat',
    'echo 127 | cat; (exit 127) || true; true',
    'set -x; no-cow | cat',
    'no-cow',
  ])('says nothing of %s', async (line) => {
    expect((await run(line)).hidden).toEqual([]);
  });

  it.each([
    'mkdir d; cd $_; pwd | sed s/.*d$/d/',
    'set -eu; echo a | grep a; echo "${PIPESTATUS[@]}" $?',
    'true | false; echo $? ${PIPESTATUS[0]}; false',
    'set -e; no-cow; echo not reached',
    'set -o pipefail; no-cow | cat; echo $?',
    'echo 1\n\nno-cow | cat\necho $LINENO $0 $#',
    "trap 'echo bye' EXIT; ls /nowhere | cat; exit 7",
    'npm install | cat; npm install && echo yes; echo $?',
    'no-cow & wait $!; echo $?; echo "[$BASH_ENV]"; bash -c "no-cow; declare -F; trap -p"',
  ])('runs the line as it was written: %s', async (line) => {
    const { hidden: _, ...traced } = await run(line);
    const { hidden: __, ...plain } = await run(line, false);
    expect(traced).toEqual(plain);
  });
});
