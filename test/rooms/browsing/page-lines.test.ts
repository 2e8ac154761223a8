import { describe, expect, it } from 'vitest';
import { findElement, type Line, showLines } from '../../../src/rooms/browsing/page-lines.ts';

const line = (text: string): Line => ({ text });
const button = (number: number, name: string, kind = 'button'): Line => ({
  text: `[${number}] ${kind} "${name}"`,
  number,
  kind,
  name,
});

describe('what is shown of a page', () => {
  it('is what fits, and the line to go on from', () => {
    const lines = Array.from({ length: 2000 }, (_, index) => line(`line ${index} of a long page`));
    const { text, next = 0 } = showLines(lines, 0, null);
    expect(text.split('\n')).toHaveLength(next);
    expect(showLines(lines, next, null).text.split('\n')[0]).toBe(`line ${next} of a long page`);
    expect(Buffer.byteLength(text)).toBeLessThan(2500 * 4);
  });

  it('is only what has changed, when it was shown before', () => {
    const before = [line('one'), line('two'), line('three'), line('four')];
    const shown = showLines([line('one'), line('two'), line('three'), line('new')], 0, before);
    expect(shown).toEqual({ text: 'new\n(3 lines are as they were, 1 are gone)', isChangesOnly: true });
  });

  it('is all of it when most has changed', () => {
    expect(showLines([line('a'), line('b')], 0, [line('c')]).text).toBe('a\nb');
  });
});

describe('an element', () => {
  const lines = [line('Buy'), button(1, 'Buy'), button(2, 'Buy now'), button(3, 'Name', 'field'), button(4, 'Name')];

  it('is found by its number or its name', () => {
    expect(findElement(lines, 2)).toBe(lines[2]);
    expect(findElement(lines, '[2]')).toBe(lines[2]);
    expect(findElement(lines, 'buy')).toBe(lines[1]);
    expect(findElement(lines, 'Buy n')).toBe(lines[2]);
    expect(findElement(lines, 'field Name')).toBe(lines[3]);
  });

  it('is not guessed', () => {
    expect(findElement(lines, 'Name')).toBe('several elements are called "Name": [3] field "Name"; [4] button "Name"');
    expect(findElement(lines, 'Sell')).toBe('nothing here is called "Sell"');
    expect(findElement(lines, 9)).toBe('there is no element 9 any more');
  });
});
