/** Owns: sentences in the language of the reader, from the catalogues in words/: a file a language, English sentences as keys. */
import { readFile } from 'node:fs/promises';
import type { Language } from '../../core/schema/spoken-language.ts';
import { fillIn, type Say, type Words } from '../web/browser/words.ts';

export type { Say } from '../web/browser/words.ts';

/** Says sentences in a language, of which numbers are written as in it. */
export type Speaker = { language: Language; say: Say };

export const ENGLISH: Speaker = { language: 'en', say: (sentence, ...parts) => fillIn(sentence, parts) };

/** What the heading of the answer begins with in every language, as a pattern: whoever wants the answer alone looks for it. */
export const ANSWER = '(?:Answer|Antwort|Réponse|Respuesta)';

/** Every language but English. */
export const LANGUAGES = ['de', 'fr', 'es'] as const satisfies readonly Language[];

export const catalogueOf = (language: (typeof LANGUAGES)[number]): URL =>
  new URL(`words/${language}.json`, import.meta.url);

const speakers = new Map<Language, Promise<Speaker>>([['en', Promise.resolve(ENGLISH)]]);

/** English where none is set, and while a catalogue cannot be read, which it is when it is first spoken. */
export function speakerOf(language: Language = 'en'): Promise<Speaker> {
  const known = speakers.get(language);
  if (known !== undefined || language === 'en') return known ?? Promise.resolve(ENGLISH);
  // whatever it was, a page in English says more than none
  const read = readSpeaker(language).catch(() => {
    speakers.delete(language);
    return ENGLISH;
  });
  speakers.set(language, read);
  return read;
}

async function readSpeaker(language: (typeof LANGUAGES)[number]): Promise<Speaker> {
  const words = JSON.parse(await readFile(catalogueOf(language), 'utf8')) as Words;
  return { language, say: (sentence, ...parts) => fillIn(words[sentence] ?? sentence, parts) };
}

/** The first language that a browser asks for and oka speaks, in the order of its preference: `de-AT,de;q=0.9,en;q=0.8`. */
export function languageAsked(header: string): Language {
  const asked = header.split(',').map((part) => {
    const [name = '', quality = 'q=1'] = part.split(';').map((each) => each.trim());
    return { language: name.split('-')[0]?.toLowerCase() ?? '', weight: Number(quality.replace(/^q=/, '')) };
  });
  const ordered = asked.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  const spoken: readonly Language[] = ['en', ...LANGUAGES];
  return ordered.flatMap(({ language }) => spoken.find((each) => each === language) ?? []).at(0) ?? 'en';
}
