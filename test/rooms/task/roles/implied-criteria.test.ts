import { describe, expect, it } from 'vitest';
import { filesAskedFor } from '../../../../src/kit/task/asked-files.ts';
import { parseCriterion } from '../../../../src/kit/task/criteria.ts';
import {
  ANSWER_IS_RIGHT,
  asksForAnswer,
  idleReason,
  impliedCriteria,
  NOTHING_TO_CHANGE,
  type PlannedCriterion,
  type TaskFacts,
} from '../../../../src/rooms/task/roles/implied-criteria.ts';

function criterion(text: string, author: 'model' | 'operator', before?: boolean): PlannedCriterion {
  const read = parseCriterion(text, author);
  if ('problem' in read) throw new Error(read.problem);
  return { ...read, ...(before === undefined ? {} : { before }) };
}

const facts: TaskFacts = {
  text: 'Make the notes shorter.',
  criteria: [criterion('rows: notes.txt == 1', 'model', false)],
  answer: 'It is shorter.',
  targets: ['notes.txt'],
  changed: ['notes.txt'],
};
const impliedBy = (change: Partial<TaskFacts>): string[] =>
  impliedCriteria({ ...facts, ...change }).map(({ text }) => text);

describe('I1 a file that the task plainly asks for', () => {
  it('has to be there when no criterion mentions it', () => {
    const text = 'Add up the amounts and write the total to total.txt.';
    expect(impliedBy({ text })).toEqual(['file: total.txt is not empty']);
    expect(impliedBy({ text, criteria: [criterion('rows: total.txt == 1', 'model', false)] })).toEqual([]);
  });

  it.each([
    ['Write the totals to out.csv.', ['out.csv']],
    ['Save it as "report.md".', ['report.md']],
    ['Create summary.md from notes.txt.', ['summary.md']],
    ['Read a.csv, then put the sum into b.txt.', ['b.txt']],
    ['If there is a loss, write it to loss.txt.', []],
    ['Do not write to old.txt.', []],
    ['Write a script such as run.sh.', []],
    ['Read notes.txt.', []],
    ['```\nwrite x to y.txt\n```', []],
  ])('is found in %j', (text, files) => {
    expect(filesAskedFor(text)).toEqual(files);
  });
});

describe('I2 an answer', () => {
  it('is judged when the task asks for one, also where a criterion says something about it', () => {
    const text = 'Which day is the meeting? Note it in notes.txt.';
    expect(impliedBy({ text })).toEqual([ANSWER_IS_RIGHT]);
    const aboutIt = [criterion('The answer names the day.', 'model')];
    expect(impliedBy({ text, criteria: aboutIt })).toEqual([ANSWER_IS_RIGHT]);
    expect(impliedBy({ text, answer: null })).toEqual([]);
  });

  it('is judged when the plan may change nothing', () => {
    expect(impliedBy({ targets: [], changed: [] })).toEqual([ANSWER_IS_RIGHT]);
  });

  it.each([
    'Which day is the meeting?',
    'Tell me the total.',
    'In which year was it built. Look in facts.txt.',
    'Read the mails and list the senders.',
    'Find out who is missing.',
    'Count the lines of a.txt.',
    'Check which invoices are open.',
    'Append the line checked to log.txt, and tell how many lines have ERROR.',
    'Write the totals to out.csv and let me know which customer has the most.',
  ])('is asked for by %j', (text) => {
    expect(asksForAnswer(text)).toBe(true);
  });

  it.each([
    'Delete the files whose name ends with .bak.',
    'Move the photos to the folder where the others are.',
    'Sort the list, which is long.',
    'Remove the people who have left.',
    'When you are done, tidy up.',
    'Write a list of the senders to senders.txt.',
    'Ask Berta which day suits her.',
  ])('is not asked for by %j', (text) => {
    expect(asksForAnswer(text)).toBe(false);
  });

  it('is asked for only by a question where the operator has stated criteria', () => {
    expect(asksForAnswer('Tell me the total.', true)).toBe(false);
    expect(asksForAnswer('What is the total?', true)).toBe(true);
  });
});

describe('I3 a plan that changed nothing of what it declared', () => {
  it('is judged by whether nothing had to be changed', () => {
    expect(impliedBy({ changed: [] })).toEqual([NOTHING_TO_CHANGE]);
    expect(impliedBy({ changed: ['other.txt'] })).toEqual([NOTHING_TO_CHANGE]);
    expect(impliedBy({ targets: ['*.txt'], changed: ['other.txt'] })).toEqual([]);
  });

  it('is not done unless the answer says so', () => {
    const idle = { targets: ['notes.txt'], changed: [] };
    expect(idleReason({ ...idle, answer: 'All is well.' })).toContain('the plan declares notes.txt');
    expect(idleReason({ ...idle, answer: 'Nothing had to be changed.' })).toBeNull();
    expect(idleReason({ ...idle, changed: ['notes.txt'], answer: 'All is well.' })).toBeNull();
    expect(idleReason({ targets: [], changed: [], answer: 'All is well.' })).toBeNull();
  });
});

describe('I4 where no criterion could have failed', () => {
  const weak: Record<string, PlannedCriterion> = {
    'that was met before the work': criterion('rows: notes.txt == 1', 'model', true),
    'that a file is there': criterion('file: notes.txt is not empty', 'model', false),
    'that a folder is there': criterion('folder: notes', 'model', false),
    'that something is unchanged': criterion('unchanged: other.txt', 'model'),
  };

  it.each(Object.keys(weak))('such as one %s, the task itself is judged', (name) => {
    const [only = ''] = impliedBy({ text: 'Make notes.txt shorter.', criteria: weak[name] ? [weak[name]] : [] });
    expect(only).toBe('What the task asks for is done, and the evidence shows it: notes.txt.');
  });

  it.each([
    criterion('rows: notes.txt == 1', 'model', false),
    criterion('The notes are short.', 'model'),
    criterion('file: notes.txt', 'operator'),
    criterion('file: notes.txt is absent', 'model', false),
  ])('which $text can, nothing is added', (given) => {
    expect(impliedBy({ criteria: [given] })).toEqual([]);
  });
});

describe('I5 beside checks that a model planned', () => {
  const WHOLE = 'What the task asks for is done, and the evidence shows it: notes.txt.';
  const text = 'Make notes.txt shorter.';
  const check = criterion('rows: notes.txt == 1', 'model', false);

  it('it is judged whether what was asked for is done, where a critic can be asked', () => {
    expect(impliedBy({ text, canAsk: true })).toEqual([WHOLE]);
    expect(impliedBy({ text, canAsk: false })).toEqual([]);
  });

  it('it is judged also where the task asks for an answer besides', () => {
    const asked = { text: 'Make notes.txt shorter. How long is it now?', canAsk: true };
    expect(impliedBy(asked)).toEqual([ANSWER_IS_RIGHT, WHOLE]);
  });

  it('nothing is added to what is judged anyway: prose of the plan, an answer alone, idleness, a proven procedure', () => {
    expect(impliedBy({ text, criteria: [check, criterion('It is short.', 'model')], canAsk: true })).toEqual([]);
    expect(impliedBy({ text, targets: [], changed: [], canAsk: true })).toEqual([ANSWER_IS_RIGHT]);
    expect(impliedBy({ text, changed: [], canAsk: true })).toEqual([NOTHING_TO_CHANGE]);
    expect(impliedBy({ text, judge: 'checks', canAsk: true })).toEqual([]);
  });
});

describe('I5 beside criteria that a person wrote', () => {
  const own = { text: 'Make notes.txt shorter.', criteria: [criterion('rows: notes.txt == 1', 'operator')] };
  const WHOLE = 'What the task asks for is done, and the evidence shows it: notes.txt.';

  it('it is judged whether what was asked for is done, where a critic can be asked', () => {
    expect(impliedBy({ ...own, canAsk: true })).toEqual([WHOLE]);
    expect(impliedBy({ ...own, criteria: [criterion('It is short.', 'operator')], canAsk: true })).toEqual([WHOLE]);
    expect(impliedBy({ ...own, canAsk: false })).toEqual([]);
  });

  it('the answer of a task that changes nothing, idleness and a proven procedure are judged already', () => {
    expect(impliedBy({ ...own, targets: [], changed: [], canAsk: true })).toEqual([ANSWER_IS_RIGHT]);
    expect(impliedBy({ ...own, changed: [], canAsk: true })).toEqual([NOTHING_TO_CHANGE]);
    expect(impliedBy({ ...own, judge: 'checks', canAsk: true })).toEqual([]);
  });
});
