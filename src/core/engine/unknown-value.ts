/**
 * Owns: values that a simulation does not know, such as what a server would answer. Such a value is a text between two
 * noncharacters with the name of what it would be; a field of it is unknown, too. Whoever has to decide by one asks the
 * simulation it came from, which follows every answer in turn (simulate-graph.ts). In a run there are none, and looking
 * for them costs nothing.
 */
import type { Json } from '../schema/json.ts';

const START = '\uFDD0';
const END = '\uFDD1';
const UNKNOWN = /\uFDD0(\d+):([^\uFDD1]*)\uFDD1/g;

/** Something that depends on an unknown value. With `equals`, whether the value is this one. */
export type Guess = { value: string; equals?: string; text: string; isBack?: boolean };
type Guesses = (guess: Guess) => boolean;

const simulations = new Map<number, Guesses>();
let last = 0;

/** Makes unknown values that this simulation is asked about, until it is closed. */
export function openUnknowns(guesses: Guesses): { unknown: (name: string) => string; close: () => void } {
  last += 1;
  const id = last;
  simulations.set(id, guesses);
  return { unknown: (name) => `${START}${id}:${name}${END}`, close: () => void simulations.delete(id) };
}

/** Whether a value is unknown as a whole. */
export const isUnknown = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.startsWith(START) && value.indexOf(END) === value.length - 1;

/** A field of an unknown value. */
export const unknownField = (value: string, path: readonly string[]): string =>
  `${[value.slice(0, -END.length), ...path].join('.')}${END}`;

/** Who is to be asked about a value that contains an unknown one; null when all of it is known. */
export function guessesAbout(value: Json | undefined): Guesses | null {
  if (simulations.size === 0) return null;
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : '';
  const [found] = text.matchAll(UNKNOWN);
  return simulations.get(Number(found?.[1])) ?? null;
}

/** The names of the unknown values in a value, each once. */
export function unknownsIn(value: Json): string[] {
  const text = JSON.stringify(value);
  return text.includes(START) ? [...new Set([...text.matchAll(UNKNOWN)].map(([, , name = '']) => name))] : [];
}

/** A text for people: unknown values in it are shown as ‹name›. */
export const showUnknowns = (text: string): string => text.replaceAll(UNKNOWN, '‹$2›');
