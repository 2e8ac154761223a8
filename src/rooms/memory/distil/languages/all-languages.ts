/** The languages in which statements are understood. To add one, write a file of its data and add it here. */
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import type { Language } from './language.ts';
import { spanish } from './spanish.ts';

export const languages: readonly Language[] = [english, german, french, spanish];

type ListName = { [Key in keyof Language]: Language[Key] extends string ? Key : never }[keyof Language];

/** The alternatives of all languages. */
export const inAnyLanguage = (list: Exclude<ListName, 'name'>): string =>
  languages.map((language) => language[list]).join('|');
