import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../../src/rooms/context/outline/file-outline.ts';
import { digestFile } from '../../../../src/rooms/context/synthesis/file-digest.ts';
import {
  type ChildFrame,
  createPolicies,
  EMPTY_FOLDER,
} from '../../../../src/rooms/context/synthesis/synthesis-policies.ts';

const child = (name: string, content: string, agent = 'oka', kind: 'file' | 'folder' = 'file'): ChildFrame => ({
  name,
  kind,
  node: '0'.repeat(64),
  frame: { id: content.padEnd(64, '0').slice(0, 64), type: 'summary', agent, content },
});

describe('the policies of synthesis', () => {
  const { aggregate, register } = createPolicies();

  it('Concatenation: the frames of the children, each below its name', () => {
    const text = aggregate(
      { kind: 'concatenation' },
      [child('b.ts', 'Second.\n'), child('a', 'First.', 'oka', 'folder')],
      'summary',
    );
    expect(text).toBe('## b.ts\n\nSecond.\n\n## a/\n\nFirst.\n');
  });

  it('Summarization: a line for each child by name, whatever their order was', () => {
    const children = [
      child('b.ts', 'Second.\nExports: x (3), y (9).\n'),
      child('a', '1 file.\n- c.ts: Deep.\n', 'oka', 'folder'),
    ];
    const text = '1 file, 1 folder.\n- a/: c.ts\n- b.ts: Second. Exports: x, y.\n';
    expect(aggregate({ kind: 'summarization' }, children, 'summary')).toBe(text);
    expect(aggregate({ kind: 'summarization' }, children.toReversed(), 'summary')).toBe(text);
  });

  it('Filtering: only frames that fit', () => {
    const children = [child('a', 'Alpha', 'ana'), child('b', 'Beta', 'ben'), child('c', 'beta too', 'ana')];
    expect(aggregate({ kind: 'filtering', agents: ['ana'], contains: 'BETA' }, children, 'note')).toBe(
      '## c\n\nbeta too\n',
    );
    expect(aggregate({ kind: 'filtering', contains: 'gamma' }, children, 'note')).toBe(EMPTY_FOLDER);
  });

  it('Custom: a registered function; an unknown one is an error with the nearest name', () => {
    register('names-only', (children) => children.map(({ name }) => name).join(','));
    expect(aggregate({ kind: 'custom', name: 'names-only' }, [child('a', ''), child('b', '')], 'note')).toBe('a,b');
    expect(() => aggregate({ kind: 'custom', name: 'name-only' }, [child('a', '')], 'note')).toThrow(
      'there is no synthesis policy "name-only"',
    );
    expect(() => register('names-only', () => '')).toThrow('already');
  });

  it('Empty directory produces stable empty frame, under every policy', () => {
    expect(aggregate({ kind: 'concatenation' }, [], 'summary')).toBe(EMPTY_FOLDER);
    expect(aggregate({ kind: 'summarization' }, [], 'outline')).toBe(EMPTY_FOLDER);
    expect(aggregate({ kind: 'filtering' }, [], 'note')).toBe(EMPTY_FOLDER);
  });

  it('no text is longer than a frame may be, and one that is shortened says so', () => {
    assert(
      property(integer({ min: 1, max: 400 }), integer({ min: 0, max: 2000 }), (count, length) => {
        const children = Array.from({ length: count }, (_, at) => child(`f${at}`, 'x'.repeat(length)));
        for (const kind of ['concatenation', 'summarization'] as const) {
          const text = aggregate({ kind }, children, 'summary');
          expect(text.length).toBeLessThanOrEqual(24_000);
          if (kind === 'concatenation' && count * length > 24_000) expect(text).toContain('left out');
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('the frame of a file without a model', () => {
  const outline = outlineOf('/** Adds. */\nexport const add = (a: number, b: number): number => a + b;\n', 'ts');

  it('as a summary: the first sentences and the exported names', () => {
    expect(digestFile(outline, 'summary')).toBe('Adds.\nExports: add (2).\n');
  });

  it('as an outline: every declaration with its line', () => {
    expect(digestFile(outline, 'outline')).toBe('Adds.\n2 lines\n2: export const add\n');
  });

  it('a file with nothing to say has a frame that says so', () => {
    expect(digestFile(outlineOf('1,2\n3,4\n', 'csv'), 'summary')).toBe('2 lines without headings or declarations.\n');
  });
});
