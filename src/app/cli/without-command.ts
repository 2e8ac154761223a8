/** What options without a command mean: how the home stands that they name, or this folder; null where there is none. */
import { isSetUp } from '../../kit/home/is-set-up.ts';
import { homeAt } from '../../kit/settings.ts';

export function withoutCommand(words: readonly string[]): string[] | null {
  const at = words.indexOf('--dir');
  return isSetUp(homeAt(at === -1 ? undefined : words[at + 1])) ? ['status', '--short', ...words] : null;
}
