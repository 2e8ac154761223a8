import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  findRetired,
  isOnlyNumber,
  parseMarkdown,
  parseSource,
  type Passage,
  type Retired,
  sharedBaseNames,
} from './support/words.ts';

/** Words that user texts no longer use. Ordinary English stays: only the phrases of the old dialect are listed. */
const RETIRED: Retired[] = [
  { phrase: /\b(told|untold|tells|telling)\b|\bTell (what|which|why|how)\b/, use: 'report, show, print or explain' },
  { phrase: /\bheld\b/, use: 'locked, paused, withheld, enforced or compared' },
  { phrase: /\bholds?\b(?= the pen)/, use: '"a worker is running"' },
  { phrase: /\bholds\b(?! (is true|the pen))/, use: 'contains, applies, is met or is valid' },
  { phrase: /\b(must|criteria|that|still|now|not|always|rules?) hold\b/i, use: 'apply, be met or be valid' },
  { phrase: /\bkept\b/, use: 'stored, saved or retained' },
  { phrase: /\bkeeps? (it |them )?(aside|in mind)\b/i, use: 'set aside, store or remember' },
  { phrase: /\blooked\b|\b(a|the|next|every|each) looks?\b|\blooks whether\b/i, use: 'scan, check, poll or search' },
  {
    phrase: /\b(ways? (out|back)|roads?|by way of|under way)\b/i,
    use: 'egress, edge back, route, through, in progress',
  },
  { phrase: /\banew\b/, use: 'again, from scratch or rebuilt' },
  { phrase: /\b(tak(e|es|ing|en)|took) up\b/i, use: 'resume' },
  { phrase: /\b(tak(e|es|ing|en)|took) in\b/i, use: 'accept, import or ingest' },
  { phrase: /\b(tak(e|es|ing|en)|took) (it |them |this )?back\b/i, use: 'undo or revert' },
  { phrase: /\bmend(s|ed|ing)?\b/i, use: 'fix or correct' },
  { phrase: /\bvouch(es|ed)?\b|\bwords? of a person\b/i, use: 'confirm' },
  { phrase: /\bforesee(s|n)?\b/i, use: 'preview' },
  { phrase: /\bgarbled\b/i, use: 'corrupted' },
  { phrase: /\b(shelf|likeness)\b/i, use: 'index store, similarity' },
  { phrase: /\bat rest\b/i, use: 'idle or settled' },
  { phrase: /\b(gives?|given|gave) up\b/i, use: 'stop, drop or time out' },
  { phrase: /\bthe ground\b/i, use: 'the environment' },
  { phrase: /\btrouble\b/i, use: 'problem, failure or error' },
  { phrase: /\bjail(s|ed)?\b(?!:)/i, use: 'sandbox' },
  { phrase: /\b(brings?|brought)\b/i, use: 'provide, install or include' },
  { phrase: /\blies\b|\blie (below|in|beside|inside|at)\b/i, use: 'is' },
  { phrase: /\bstands (there|in|on|inside|as)\b/i, use: 'is' },
  { phrase: /\b(came|comes?|become|becomes|became) of\b/i, use: 'outcome, result or "happens to"' },
  { phrase: /\b(hears?|heard) of\b/i, use: 'is notified' },
  { phrase: /\b(goes|go|went) on by (itself|themselves)\b/i, use: 'continues automatically' },
  { phrase: /\b(is|are|was) begun\b/i, use: 'started' },
  { phrase: /\bfinds? out\b|\bfound out\b/i, use: 'detect or check' },
];

/** Participles without -ed at their end. A function is a verb, or says what it returns. */
const PARTICIPLES =
  /^(told|held|kept|begun|chosen|frozen|taken|given|shown|known|written|seen|broken|grown|left|sent|met|made|built|brought|found|fallen|drawn|unkept|unseen|withheld|went|cut|put)$/;
const VERBS_WITH_ED = ['embed', 'feed', 'heed', 'need', 'red', 'sed', 'seed', 'shed', 'speed'];

const TOP = join(import.meta.dirname, '..');
const DOCUMENTS = ['README.md', 'AGENTS.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'convex/README.md'];
const read = (path: string): string => readFileSync(join(TOP, path), 'utf8');
const files = globSync('src/**/*.ts', { cwd: TOP }).map((path) => parseSource(path.slice('src/'.length), read(path)));
const documents = [...DOCUMENTS, ...globSync(['docs/*.md', 'share/**/*.md', 'src/**/README.md'], { cwd: TOP })];

describe('plain words', () => {
  it('no text in the source that a person may read uses a retired word', () => {
    expect(findRetired(files.flatMap(passagesOf), RETIRED)).toEqual([]);
  });

  it('no document uses a retired word', () => {
    expect(
      findRetired(
        documents.flatMap((path) => parseMarkdown(path, read(path))),
        RETIRED,
      ),
    ).toEqual([]);
  });

  it('base names of files differ across the tree, except for room.ts and page.ts, one for each room and page', () => {
    expect(
      sharedBaseNames(
        files.map(({ path }) => path),
        ['room.ts', 'page.ts'],
      ),
    ).toEqual([]);
  });

  it('no exported function is a bare participle', () => {
    const names = files.flatMap(({ functions }) => functions).filter(({ exported }) => exported);
    expect(names.filter(({ name }) => isParticiple(name)).map(({ name, at }) => `${at} exports ${name}`)).toEqual([]);
  });

  it('no comment consists only of the number of an invariant', () => {
    expect(files.flatMap(({ comments }) => comments).filter(({ text }) => isOnlyNumber(text))).toEqual([]);
  });

  it('a function called textOf exists at most once', () => {
    const named = files.flatMap(({ functions }) => functions).filter(({ name }) => name === 'textOf');
    expect(named.slice(1)).toEqual([]);
  });
});

describe('finding them', () => {
  it('literals and templates are read with their line, but not types or module names', () => {
    const text = [
      `import { told } from './is told.ts';`,
      `export const table = 1 as unknown as 'is told';`,
      'export const line = (x: string): string => `it is told ${x}`;',
    ].join('\n');
    const found = findRetired(parseSource('a.ts', text).passages, RETIRED);
    expect(found).toEqual(['a.ts:3 says "told": use report, show, print or explain']);
  });

  it('prose of a document is read, but not its code', () => {
    const text = ['Fine.', '```sh', 'echo told', '```', 'It is `told` here.', 'It is told here.'].join('\n');
    expect(findRetired(parseMarkdown('a.md', text), RETIRED)).toHaveLength(1);
  });

  it('a bare participle, a comment that is a number and a shared name are noticed', () => {
    const file = parseSource(
      'a.ts',
      '/** C2, W1. */\nexport const told = () => 1;\nexport function renderedPage() {}\n',
    );
    expect(file.functions.filter(({ name }) => isParticiple(name))).toEqual([
      { name: 'told', at: 'a.ts:2', exported: true },
    ]);
    expect(file.comments.map(({ text }) => isOnlyNumber(text))).toEqual([true]);
    expect(isOnlyNumber('/** Reads only what is durable (C2). */')).toBe(false);
    expect(sharedBaseNames(['a/b.ts', 'c/b.ts', 'a/room.ts', 'c/room.ts'], ['room.ts'])).toEqual([
      'b.ts: a/b.ts, c/b.ts',
    ]);
  });
});

/** The data of languages lists words that people use; nobody reads it as a text. */
function passagesOf({ path, passages }: { path: string; passages: Passage[] }): Passage[] {
  return path.startsWith('rooms/memory/distil/languages/') ? [] : passages;
}

function isParticiple(name: string): boolean {
  if (VERBS_WITH_ED.includes(name)) return false;
  return PARTICIPLES.test(name) || /^[a-z]+ed$/.test(name);
}
