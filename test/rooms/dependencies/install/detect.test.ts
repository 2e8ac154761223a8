import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Need } from '../../../../src/core/schema/dependency.ts';
import { findPresent } from '../../../../src/rooms/dependencies/install/find-present.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { needKey } from '../../../../src/kit/requests/dependency-state.ts';
import { detect } from '../../../../src/rooms/dependencies/install/detect.ts';
import { packageName } from '../../../../src/rooms/dependencies/install/detect-node.ts';
import { parseFailure } from '../../../../src/rooms/dependencies/install/command-failure.ts';
import { alikes, type Case, failures } from '../../../fixture/deps/cases.ts';

type Told = { exit: number; text: string; by: 'captured' | 'written' };
const told = JSON.parse(readFileSync(join(import.meta.dirname, '../../../fixture/deps/told.json'), 'utf8')) as Record<
  string,
  Told
>;

/** What the shell tool makes of it, as heal sees it. */
function detected({ name, line, files = {} }: Case): unknown {
  const { exit, text: whole } = told[name] ?? { exit: 0, text: '' };
  const text = whole.length <= 2000 ? whole : `${whole.slice(0, 1000)}\n[… left out …]\n${whole.slice(-1000)}`;
  const error = text === '' ? `exit ${exit} without any output` : `exit ${exit}. It wrote to stderr:\n${text}`;
  const failure = parseFailure(error, line);
  if (failure === null) return null;
  const firstLineOf = (script: string): string | null => files[script.replace(/^\.\//, '')]?.split('\n', 1)[0] ?? null;
  const need = detect({ ...failure, firstLineOf });
  if (need === null) return null;
  const { kind, name: missing, version } = need;
  return { kind, name: missing, ...(version === undefined ? {} : { version }) };
}

describe('D1 what a failed command was missing', () => {
  it('at least 80 failures of real programs were captured, not written', () => {
    expect(failures.filter(({ name }) => told[name]?.by === 'captured').length).toBeGreaterThanOrEqual(80);
  });

  it.each(failures.map((each) => [each.name, each] as const))('%s', (_, each) => {
    expect(detected(each)).toEqual(each.need);
  });
});

describe('D1 what only looks like it', () => {
  it.each(alikes.map((each) => [each.name, each] as const))('%s', (_, each) => {
    expect(told[each.name]?.exit).not.toBe(0);
    expect(detected(each)).toBeNull();
  });
});

describe('the evidence', () => {
  it('is the line that shows it and what follows, never the whole output', () => {
    const text = `${'progress\n'.repeat(500)}bash: line 9: jq: command not found`;
    expect(detect({ exit: 127, text, command: '' })).toMatchObject({
      name: 'jq',
      evidence: 'bash: line 9: jq: command not found',
    });
  });

  it('a command that succeeded is missing nothing, whatever it said', () => {
    expect(detect({ exit: 0, text: 'bash: jq: command not found', command: '' })).toBeNull();
  });

  it('a program that could not be started at all is one that is not there', () => {
    for (const error of ['frobnicate: command not found', 'frobnicate: command not found without any output'])
      expect(parseFailure(error, 'frobnicate')).toMatchObject({ exit: 127, text: 'frobnicate: command not found' });
    expect(parseFailure('it was stopped after 5 s', 'sleep 9')).toBeNull();
  });
});

describe('what only the machine can give', () => {
  const found = (text: string, exit = 1): string | null => {
    const need = detect({ exit, text, command: 'x' });
    return need === null ? null : `${need.kind} ${need.name}`;
  };

  it.each([
    [
      'v4l2-ctl: Cannot open device /dev/video0, exiting.\nopen /dev/video0: No such file or directory',
      'device /dev/video0',
    ],
    ['avrdude: ser_open(): can\'t open device "/dev/ttyUSB0": No such file or directory', 'device /dev/ttyUSB0'],
    ['setcap: this needs CAP_SETFCAP to work', 'capability CAP_SETFCAP'],
    ['tshark: missing capability cap_net_raw', 'capability CAP_NET_RAW'],
  ])('is noticed: %s', (text, expected) => {
    expect(found(text)).toBe(expected);
  });

  it.each([
    'cat: /dev/null/x: Not a directory',
    'sh: 1: cannot open /dev/tty: No such device or address',
    'ls: cannot access notes.txt: No such file or directory',
    'the page says CAP_SYS_ADMIN is powerful',
  ])('is not seen in: %s', (text) => {
    expect(found(text)).toBeNull();
  });

  it('is checked on the machine', () => {
    const eyes = { path: '', python: '', modules: '' };
    const isThere = (kind: Need['kind'], name: string): boolean => findPresent({ kind, name }, eyes).there;
    expect([isThere('device', '/dev/null'), isThere('device', '/dev/oka-has-no-such')]).toEqual([true, false]);
    using folder = temporaryFolder();
    mkdirSync(join(folder.dir, 'proc/self'), { recursive: true });
    writeFileSync(join(folder.dir, 'proc/self/status'), 'Name:\tx\nCapBnd:\t0000000000001000\n');
    const inside = (name: string): boolean =>
      findPresent({ kind: 'capability', name }, { ...eyes, root: folder.dir }).there;
    expect([inside('CAP_NET_ADMIN'), inside('CAP_NET_RAW')]).toEqual([true, false]);
  });
});

describe('names', () => {
  it('parts belong to their package, and files to nobody', () => {
    expect(['lodash/fp', '@a/b/c', './x', '/x', 'node:fs', 'fs', 'x y'].map(packageName)).toEqual([
      'lodash',
      '@a/b',
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('the same need has the same key', () => {
    expect(needKey({ kind: 'command', name: 'jq' })).toBe('command:jq');
    expect(needKey({ kind: 'command', name: 'jq', package: 'node:jq' })).toBe('command:jq=node:jq');
  });
});
