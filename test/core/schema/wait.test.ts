import { expect, it } from 'vitest';
import { chosenOption, spokenVerdict } from '../../../src/core/schema/wait.ts';

it('an option is named by its words in any case, by its number, or by another word for yes or no', () => {
  const named = (options: string[], ...texts: string[]): (string | null)[] =>
    texts.map((text) => chosenOption(options, text));
  expect(named(['yes', 'no'], 'Yes', ' YES! ', 'ja', 'Oui', '1')).toEqual(Array(5).fill('yes'));
  expect(named(['yes', 'no'], 'No', 'nein', 'Non.', '2')).toEqual(Array(4).fill('no'));
  expect(named(['yes', 'no'], 'not now', '', '3', 'yes and no')).toEqual(Array(4).fill(null));
  expect(named(['Keep', 'Delete'], 'keep', '2', 'yes')).toEqual(['Keep', 'Delete', null]);
  expect(named(['2', '1'], '1', '2')).toEqual(['1', '2']);
});

it('an approval is given by one clear word for yes in the languages of oka, and by nothing else', () => {
  const said = (...texts: string[]): (string | null)[] => texts.map(spokenVerdict);
  expect(said('yes', 'Y', ' Approve. ', 'Ja', 'OUI!', 'Sí', 'si\u0301', 'si')).toEqual(Array(8).fill('approved'));
  expect(said('no', 'N', 'deny', 'Nein', 'non merci', 'no, lieber nicht', 'Nein!')).toEqual(Array(7).fill('denied'));
  expect(said('1', '2', '', 'ok', 'sure', 'true', 'yes and no', 'yes, run it', 'ja\u200b', 'уes')).toEqual(
    Array(10).fill(null),
  );
  expect(said('The page says yes.', 'oui ou non', 'none', 'I said: yes', 'not now')).toEqual(Array(5).fill(null));
});
