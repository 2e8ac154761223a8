import { describe, expect, it } from 'vitest';
import { covers, doTouch, joinReaches, type Reach, reachOf, toDeskPath } from '../../../src/kit/desk/reach.ts';

const all: Reach = {};
const a: Reach = { place: ['a'] };
const below: Reach = { place: ['a/b'] };
const alike: Reach = { place: ['ab'] };
const fork: Reach = { place: [], outside: ['/forks/f'] };

describe('two that may change something', () => {
  it.each([
    [all, all, true],
    [all, a, true],
    [all, fork, false],
    [a, below, true],
    [a, alike, false],
    [fork, fork, true],
    [{ ...a, outside: ['/srv'] }, { ...alike, outside: ['/srv/backup'] }, true],
    [{ ...a, outside: ['/srv'] }, { ...alike, outside: ['/srv2'] }, false],
  ])('%j and %j touch: %s', (one, other, expected) => {
    expect([doTouch(one, other), doTouch(other, one)]).toEqual([expected, expected]);
  });

  it('one covers another only if it has everything of it', () => {
    expect([covers(all, a), covers(a, below), covers(a, a), covers(all, { outside: [] })]).toEqual(Array(4).fill(true));
    expect([covers(a, all), covers(below, a), covers(a, { ...a, outside: ['/srv'] })]).toEqual(Array(3).fill(false));
  });

  it('together they have what each has, and all of the desk if one has', () => {
    expect(joinReaches([a, below, fork])).toEqual({ place: ['a'], outside: ['/forks/f'] });
    expect(joinReaches([a, all]).place).toBeUndefined();
    expect(doTouch(joinReaches([]), all)).toBe(false);
  });

  it('what is recorded of a call says what it may change', () => {
    expect(reachOf({ place: ['a'], folders: [{ path: '/x' }], uncovered: ['/y'] })).toEqual({
      place: ['a'],
      outside: ['/x', '/y'],
    });
  });

  it.each([
    ['photos/', 'photos'],
    ['./a//b', 'a/b'],
    ['./', '.'],
    ['../x', null],
    ['a/../../x', null],
    ['/srv', null],
    ['~/x', null],
  ])('the path %j on the desk is %j', (written, expected) => expect(toDeskPath(written)).toBe(expected));
});
