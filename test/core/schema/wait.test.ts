import { expect, it } from 'vitest';
import { chosenOption } from '../../../src/core/schema/wait.ts';

it('an option is named by its words in any case, by its number, or by another word for yes or no', () => {
  const named = (options: string[], ...texts: string[]): (string | null)[] =>
    texts.map((text) => chosenOption(options, text));
  expect(named(['yes', 'no'], 'Yes', ' YES! ', 'ja', 'Oui', '1')).toEqual(Array(5).fill('yes'));
  expect(named(['yes', 'no'], 'No', 'nein', 'Non.', '2')).toEqual(Array(4).fill('no'));
  expect(named(['yes', 'no'], 'not now', '', '3', 'yes and no')).toEqual(Array(4).fill(null));
  expect(named(['Keep', 'Delete'], 'keep', '2', 'yes')).toEqual(['Keep', 'Delete', null]);
  expect(named(['2', '1'], '1', '2')).toEqual(['1', '2']);
});
