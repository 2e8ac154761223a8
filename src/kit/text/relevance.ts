/**
 * Owns: whether a memory has anything to do with a task. A ranking always has a best entry; a pack must be able to stay
 * empty, so that unrelated memories cost nothing and cannot lead anybody astray.
 */
import { extractTerms } from './terms.ts';

/** Words of every second task: sharing them says nothing. */
const COMMON_WORDS = `add answer ask call change check content copy create csv data date day desk directory do document
  done each end entry example fail file fill find first folder follow format give have help html include info input item
  json keep kind last line list look make md message month name new next number old open output page part path pdf person
  place please prepare print provide put read record remove report result return row run save see send set shell should
  show step store sum table take task text tell time title today tomorrow total tool txt type update use user value want
  way week word work write year yesterday`;

export const COMMON: ReadonlySet<string> = new Set(extractTerms(COMMON_WORDS));

/** Similar by meaning alone: unrelated sentences stay below 0.3 with the model that comes with oka. */
const SIMILAR = 0.42;
/** Below this similarity shared words are a coincidence. */
const UNLIKE = 0.12;
/** The share of the shorter text's words that both have: for a few words, and for many. */
const SHARED = 0.25;
const SHARED_OF_MANY = 0.15;
const FEW_WORDS = 4;

/** `similarity` is by meaning, -1 to 1; null when that was not measured. */
type Remembered = { text: string; similarity: number | null };

export function createRelevanceTest(query: string): (found: Remembered) => boolean {
  const wanted = topicWords(query);
  return ({ text, similarity }) => {
    if (similarity !== null && similarity >= SIMILAR) return true;
    if (similarity !== null && similarity < UNLIKE) return false;
    const words = topicWords(text);
    const shared = [...words].filter((word) => wanted.has(word)).length;
    const least = Math.min(words.size, wanted.size);
    if (shared === 0) return false;
    if (shared >= SHARED * least) return shared >= 2 || least <= FEW_WORDS;
    return shared >= FEW_WORDS && shared >= SHARED_OF_MANY * least;
  };
}

/** The folders of a path, up to the last slash. */
const FOLDERS = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}._~:-]*\/)+/gu;

/** The words of a text that say what it is about. Names of folders do not: half of all tasks may be in `notes/`. */
export function topicWords(text: string): Set<string> {
  return new Set(extractTerms(text.replaceAll(FOLDERS, ' ')).filter((term) => term.length > 1 && !COMMON.has(term)));
}
