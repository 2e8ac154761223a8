/** The catalogues have every sentence that is said, and no other; and pages say no sentence past them. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWER, catalogueOf, languageAsked, LANGUAGES, speakerOf } from '../../../src/kit/text/languages.ts';
import { packedFiles } from '../../../pack/packed-files.ts';
import { fillIn, sentencesIn, translateTemplate } from '../../../src/kit/web/browser/words.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { saidSentences, unsaidIn } from '../../support/said-words.ts';

const hasWords = (sentence: string): boolean => /\p{L}/u.test(sentence);
const said = [...saidSentences()].filter(hasWords);

/** Names, examples and words that are the same in another language. */
const SAME: Readonly<Record<(typeof LANGUAGES)[number], RegExp>> = {
  de: /^(?:Host|Version|Name|Status|Graph|Token|\{\} Token|\{\} Byte|Server|Limits|Passphrase|In Docker: .*|\{\} (?:byte|token)s?)$/i,
  fr: /^(?:Type|Versions?|Verdict|Conversations|Messages|\{\} messages?|Notifications|Pages|Secrets|Sections|Variables|candidate|corrections?|impossible|installations|maintenance|questions|, mode \{\}|\{\}, version \{\})$/i,
  es: /^(?:Host|Variables|Tokens|no|\{\} (?:byte|token)s?|\{\}, byte \{\}, \{\})$/i,
};
const SAME_EVERYWHERE =
  /^(?:oka(?: \{\}, Node \{\})?| \(Landlock \{\}\)|POLICY\.md|run\.\*|OpenAI|Anthropic|ok|git\.example\.org.*|every Monday 08:00)$/;

describe.each(LANGUAGES)('%s', (language) => {
  const words = JSON.parse(readFileSync(catalogueOf(language), 'utf8')) as Record<string, string>;

  it('is in the package', () => {
    expect(packedFiles().map(({ to }) => to)).toContain(`lib/kit/text/words/${language}.json`);
  });

  it('has every sentence that is said', () => {
    expect(said.filter((sentence) => words[sentence] === undefined)).toEqual([]);
  });

  it('has no sentence that nobody says', () => {
    expect(Object.keys(words).filter((sentence) => !said.includes(sentence))).toEqual([]);
  });

  it('keeps every place, mark, command and file name of a sentence, and the spaces around it', () => {
    const wrong = Object.entries(words).filter(([sentence, translated]) => partsOf(sentence) !== partsOf(translated));
    expect(wrong).toEqual([]);
  });

  it('is in its own language', () => {
    const same = Object.keys(words).filter((sentence) => words[sentence] === sentence);
    expect(same.filter((sentence) => !SAME_EVERYWHERE.test(sentence) && !SAME[language].test(sentence))).toEqual([]);
  });

  it('names the heading of an answer as those do who look for it', async () => {
    const { say } = await speakerOf(language);
    for (const heading of [say('Answer'), say('Answer so far'), say('Answer, not accepted')])
      expect(heading).toMatch(new RegExp(`^${ANSWER}\\b`));
  });
});

it('a catalogue that cannot be read is English for now, and is read when it can be', () => {
  using folder = temporaryFolder();
  const top = join(import.meta.dirname, '../../..');
  for (const file of ['src/kit/text/languages.ts', 'src/kit/web/browser/words.ts'])
    cpSync(join(top, file), join(folder.dir, file));
  const catalogue = { Stop: 'Halt' };
  const script = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    import { catalogueOf, speakerOf } from './src/kit/text/languages.ts';
    const stop = async () => (await speakerOf('de')).say('Stop');
    const first = await stop();
    mkdirSync(new URL('.', catalogueOf('de')));
    writeFileSync(catalogueOf('de'), '${JSON.stringify(catalogue)}');
    console.log(first, await stop());`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder.dir,
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['Stop Halt\n', '']);
});

function partsOf(sentence: string): string {
  const places =
    sentence.match(/\{\d?\}|<\/?>|oka (?:up|unpause|status|help|doctor|web link)|workspace\/[a-z/]+/g) ?? [];
  const spaces = [sentence.startsWith(' '), sentence.endsWith(' ')];
  return JSON.stringify([places.map((each) => each.replace(/\{\d\}/, '{}')).toSorted(), spaces]);
}

it('a page says nothing that is not in its templates or said by t()', () => {
  expect(unsaidIn(NOT_SAID)).toEqual([]);
});

/** Code, names and addresses that look like sentences; and what goes to the worker in English. */
const NOT_SAID = [
  /^(?:M\d|[.(]|<|main input|xmlns|h1 h2|noopener|12px|@@)/, // paths of SVG, selectors, markup
  /^(?:Enter|Escape)$/,
  /^(?:\{\n|desktop, this desktop|echo hello|oka (?:chain )?\{\} \{\}|oka \{\}|input, textarea|acceptance timeout_seconds)/,
  /^(?:if \[ -e|own=|---\n|\{\} is there already|\[the run\]|Shall it go on\?|\{\} after \{\})/,
  /^(?:\{\} min \{\} s|first try|there is no drawing in it)$/,
  /^(?:the record |The dashboard answered \{\}\.$)/, // of a thread of its own, which has no catalogue; the page says it
  /^(?:Open questions|Evidence|Files|Cost and time|Inspect or repeat it)$/, // headings of a result in English
];

describe('a sentence', () => {
  it('gets its parts in order, or where a translation names their numbers', () => {
    expect(fillIn('{} of {} free', ['1 GB', '2 GB'])).toBe('1 GB of 2 GB free');
    expect(fillIn('von {2} sind {1} frei', ['1 GB', '2 GB'])).toBe('von 2 GB sind 1 GB frei');
  });

  const html = (strings: TemplateStringsArray): readonly string[] => strings;

  it('is what stands between the tags of a template, with the marks and values within it', () => {
    expect(
      sentencesIn(html`<h2>Title</h2><p class="soft">See <code>oka up</code>.<br />Or <a href="/x">here</a></p>`),
    ).toEqual(['Title', 'See {}.{}Or <>here</>']);
    expect(sentencesIn(['<p><b>', '</b> ', ' <a href=', '>Open</a></p><', ' title="Nothing" />'])).toEqual([
      'Open',
      'Nothing',
    ]);
    expect(sentencesIn(['<p>since <', ' at=', ' />, for ', '</p>'])).toEqual(['since {}, for {}']);
  });

  it('is put back into its template with every value at its place', () => {
    const words: Record<string, string> = { 'since {}, by <>{}</>': '<>{2}</> seit {1}', Close: 'Schließen' };
    const template = ['<p aria-label="Close">since ', ', by <a href=', '>', '</a></p>'];
    const translated = translateTemplate(template, (sentence) => words[sentence]);
    expect([...(translated?.strings ?? [])]).toEqual(['<p aria-label="Schließen"><a href=', '>', '</a> seit ', '</p>']);
    expect(translated?.order).toEqual([1, 2, 0]);
    expect(translateTemplate(template, () => undefined)).toBeNull();
  });
});

describe('the language of a browser', () => {
  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['it,de;q=0.5,en;q=0.7', 'en'],
    ['it', 'en'],
    ['de;q=0,en', 'en'],
    ['es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['*', 'en'],
    ['', 'en'],
    [';;q=x,,de', 'de'],
  ])('%s is answered in %s', (header, language) => {
    expect(languageAsked(header)).toBe(language);
  });
});
