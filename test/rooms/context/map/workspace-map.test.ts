import { describe, expect, it } from 'vitest';
import { mapWorkspace } from '../../../../src/rooms/context/map/workspace-map.ts';
import { rankFiles } from '../../../../src/rooms/context/map/workspace-map.ts';
import { findReferences, type SourceFile } from '../../../../src/rooms/context/map/source-references.ts';
import { endingOf, outlineOf } from '../../../../src/rooms/context/outline/file-outline.ts';

const file = (path: string, text: string): SourceFile => ({ path, text, outline: outlineOf(text, endingOf(path)) });
const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

const FILES = [
  file('src/used.ts', 'export const rare = 1;\nexport const popular = 2;\n'),
  file('src/a.ts', "import { popular } from './used.ts';\nexport const a = popular;\n"),
  file('src/deep/b.ts', "import { popular as p, rare } from '../used.js';\nexport const b = p + rare;\n"),
  file('src/data.csv', '1,2\n'),
  file('lib/reader.py', 'class BigReader:\n  pass\n'),
  file('lib/main.py', 'from reader import BigReader\ndef start():\n  BigReader()\n'),
];

describe('references between files', () => {
  it('follow imports with the names they use, and mentions where a file imports nothing that can be read', () => {
    expect(findReferences(FILES)).toEqual([
      { from: 'src/a.ts', to: 'src/used.ts', names: ['popular'] },
      { from: 'src/deep/b.ts', to: 'src/used.ts', names: ['popular', 'rare'] },
      { from: 'lib/main.py', to: 'lib/reader.py', names: ['BigReader'] },
    ]);
  });

  it('ranks sum to one, and what is used more ranks higher', () => {
    const ranks = rankFiles(
      FILES.map(({ path }) => path),
      findReferences(FILES),
    );
    expect([...ranks.values()].reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9);
    expect(ranks.get('src/used.ts')).toBeGreaterThan(ranks.get('lib/reader.py') ?? 1);
    expect(ranks.get('lib/reader.py')).toBeGreaterThan(ranks.get('src/a.ts') ?? 1);
  });
});

describe('the map of a workspace', () => {
  it('has the most used file first, and in it the most used name', () => {
    const map = mapWorkspace(FILES, 1000, words);
    expect(map.text.startsWith('src/used.ts (used by 2)\n  2: export const popular\n  1: export const rare\n')).toBe(
      true,
    );
    expect(map.files.map(({ path }) => path)).not.toContain('src/data.csv');
    expect(map.left_out).toBe(0);
  });

  it('never has more tokens than were asked for, and says how many files were left out', () => {
    for (let most = 0; most < 60; most += 1) {
      const map = mapWorkspace(FILES, most, words);
      expect(words(map.text)).toBeLessThanOrEqual(most);
      expect(map.files.length + map.left_out).toBe(5);
    }
  });
});
