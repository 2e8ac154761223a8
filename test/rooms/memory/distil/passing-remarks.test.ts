import { describe, expect, it } from 'vitest';
import { findStatements } from '../../../../src/rooms/memory/distil/parse-statement.ts';
import { life, textsIn } from './life.ts';

const AT = '2026-03-02T08:00:00.000Z';
const said = (text: string): string[] => findStatements(text, AT).map(({ kind, text: told }) => `${kind}: ${told}`);

describe('what people say in passing', () => {
  it.each([
    [
      'I work from trains with poor internet, so I prefer lightweight solutions, can you suggest a note app?',
      'preference: Prefer lightweight solutions.',
    ],
    ['Since I usually use Linux, which editor should I take?', 'preference: Prefer Linux.'],
    ["I'm a big fan of short chapters, could you recommend a book?", 'preference: Prefer short chapters.'],
    ['I hate long meetings, so how should I plan the week?', 'preference: Avoid long meetings.'],
    [
      "We tried both, but I'd rather have tea than coffee, please order some.",
      'preference: Rather have tea than coffee.',
    ],
    ['Ich bin viel unterwegs, weil ich kurze Wege bevorzuge, wo soll ich wohnen?', 'preference: Bevorzuge kurze Wege.'],
    ['Ich esse am liebsten italienisch, wo kann ich hingehen?', 'preference: Lieber italienisch.'],
    [
      'Je voyage beaucoup et je préfère les trains de nuit, peux-tu chercher ?',
      'preference: Préfère les trains de nuit.',
    ],
    ['Viajo mucho y prefiero trenes nocturnos, ¿puedes buscar uno?', 'preference: Prefiere trenes nocturnos.'],
    ['Remember that I am vegetarian.', 'fact: I am vegetarian.'],
    ["N'utilise jamais d'émojis.", "standing: N'utilise jamais d'émojis."],
    ['Please always round up.', 'standing: Always round up.'],
  ])('is a statement: %s', (text, told) => {
    expect(said(text)).toEqual([told]);
  });

  it.each([
    'I would prefer to know what happened, can you check?',
    'Which of them do I prefer?',
    'My sister said I prefer tea, is that so?',
    'Do you know whether I prefer tea or coffee?',
    'I prefer this one, so order it.',
    'I hate it, please change it.',
    'I always use the blue pen for exams, did Anna pass hers?',
    'Ich nehme immer den blauen Stift, hat Anna bestanden?',
  ])('is none: %s', (text) => {
    expect(said(text)).toEqual([]);
  });

  it.each([
    'Write house rules for our guests. Never leave the stove on.',
    'Explain chess to me. Never touch a piece twice.',
    'Put these rules on a sign: Never leave the stove on. Always lock the door.',
    'Schreibe eine Hausordnung für die Gäste. Niemals den Herd anlassen.',
    'Translate this text: Water the plants. Never leave the stove on.',
    'Dear Mr Lund,\nalways pay by Friday.\nKind regards',
  ])('is told to others, not to oka: %s', (text) => {
    expect(said(text)).toEqual([]);
  });
});

describe('the later word counts', () => {
  it.each([
    ['Always sign letters with Ada.', 'You no longer need to sign letters.', []],
    ['I prefer tea over coffee.', 'Forget that I prefer tea.', []],
    ['Always put invoices into the red folder.', 'Never mind the red folder rule.', []],
    ['Unterschreibe Briefe immer mit Ada.', 'Du musst Briefe nicht mehr unterschreiben.', []],
    ['Firma siempre las cartas con Ada.', 'Ya no hace falta firmar las cartas.', []],
    [
      'Always put invoices into the red folder.',
      'You no longer need to water plants.',
      ['Always put invoices into the red folder.'],
    ],
    [
      'Always put invoices into the red folder.',
      'From now on put invoices into the blue folder.',
      ['Put invoices into the blue folder.'],
    ],
    ['Always sign letters with Ada.', 'Never sign letters.', ['Never sign letters.']],
    ['Never sign letters.', 'Always sign letters with Ada.', ['Always sign letters with Ada.']],
    [
      'Never delete photos.',
      'Always delete photos of screenshots.',
      ['Always delete photos of screenshots.', 'Never delete photos.'],
    ],
  ])('%s … %s', (first, second, left) => {
    const told = life();
    told.task('t1', first);
    told.task('t2', second);
    told.pass();
    expect(textsIn(told.book)).toEqual(left);
  });
});
