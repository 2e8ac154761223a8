import { describe, expect, it } from 'vitest';
import { satisfies, findVersion } from '../../../../src/rooms/dependencies/install/versions.ts';

describe('the version that a program says it is', () => {
  it.each([
    ['ripgrep 14.1.0 (rev e50df40a19)\n\nfeatures:+pcre2', '14.1.0'],
    ['jq-1.6', '1.6'],
    ['v24.21.0', '24.21.0'],
    ['Python 3.11.7', '3.11.7'],
    ['ffmpeg version 5.1.6-0+deb12u1 Copyright (c) 2000-2024 the FFmpeg developers\nbuilt with gcc 12', '5.1.6'],
    ['go version go1.22.1 linux/arm64', '1.22.1'],
    ['openjdk version "17.0.9" 2023-10-17', '17.0.9'],
    ['openjdk 21 2023-09-19', '21'],
    ['less 590 (PCRE2 regular expressions)', '590'],
    ['GNU bash, version 5.2.15(1)-release (aarch64-unknown-linux-gnu)', '5.2.15'],
    ['Version 5.4.2', '5.4.2'],
    ['7.0.0-rc.1', '7.0.0-rc.1'],
    ['cowsay moo', null],
    ['', null],
  ])('%j', (said, version) => {
    expect(findVersion(said)).toBe(version);
  });
});

describe('whether a version lies in a range', () => {
  it.each([
    ['14.1.0', '>=14', true],
    ['13.0.0', '>=14', false],
    ['14', '>=14.0', true],
    ['9.0', '>=10', false],
    ['10.0', '>=9', true],
    ['6.5', '>=6,<7', true],
    ['7.0', '>=6,<7', false],
    ['1.9.0', '^1.2', true],
    ['2.0.0', '^1.2', false],
    ['0.3.0', '^0.2.1', false],
    ['0.2.9', '^0.2.1', true],
    ['1.2.9', '~1.2.3', true],
    ['1.3.0', '~1.2.3', false],
    ['1.9', '~=1.4', true],
    ['2.0', '~=1.4', false],
    ['3.8.1', '3', true],
    ['30.1', '3', false],
    ['3.8.1', '3.x', true],
    ['3.8.1', '==3.8.1', true],
    ['3.8.2', '==3.8.1', false],
    ['3.8.2', '==3.8.*', true],
    ['3.8.1', '!=3.8.1', false],
    ['16.20.0', '>=18.0.0 || ^16.14', true],
    ['17.0.0', '>=18.0.0 || ^16.14', false],
    ['2.5', '1.2 - 3', true],
    ['7.0.0-rc.1', '>=7', false],
    ['7.0.0', '<=7', true],
    ['1.0', '*', true],
    ['1.0', 'latest', true],
    ['nonsense', '>=1', false],
  ])('%s in %j: %s', (version, range, expected) => {
    expect(satisfies(version, range)).toBe(expected);
  });
});
