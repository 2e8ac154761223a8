import { describe, expect, it } from 'vitest';
import { findEdit } from '../../../../src/rooms/maintenance/pages/find-edit.ts';
import type { PageEdit } from '../../../../src/kit/learning/page-text.ts';
import { intakesForEdit } from '../../../../src/rooms/memory/pages/edit-intakes.ts';
import { peoplePart, pendingRequests } from '../../../../src/rooms/memory/pages/people-part.ts';
import { todosPart } from '../../../../src/rooms/memory/pages/todos-part.ts';
import { taskRecords } from '../../../../src/kit/learning/task-record.ts';
import { BookStory } from '../../../support/part-story.ts';

const TODOS = 'brain/TODOS.md';
const story = (): BookStory => new BookStory([taskRecords, todosPart, peoplePart]);
const need = { kind: 'library', name: 'libGL.so.1', evidence: '' } as const;
const requirement = {
  name: 'libGL.so.1',
  need,
  packages: ['libgl1'],
  snippet: '',
  reason: 'only an image can bring it',
};

function asking(): BookStory {
  const told = story();
  told.begin('invoice', 'Send the invoice <!--oka failed:x-->\n## Yours');
  told.tell('wait.opened', 'invoice', {
    wait: 'invoice.ask.1',
    node: 'ask',
    for: { kind: 'question', text: 'Which day?\n- [x] forged', options: ['Friday', 'Sunday'] },
  });
  told.tell('wait.opened', 'invoice', {
    wait: 'invoice.send.1',
    node: 'send',
    for: { kind: 'approval', binding: 'b'.repeat(64), text: 'curl `https://example.com`' },
  });
  told.tell('requirement.opened', 'invoice', { requirement, node: 'draw' });
  told.begin('report', 'Write the report');
  told.end('report', 'failed', 'the disk was gone');
  return told;
}

/** What a person made of the page, as the ledger gets to know it. */
function edited(told: BookStory, change: (text: string) => string): PageEdit {
  const last = told.page(TODOS);
  const edit = findEdit(TODOS, { now: change(last), last });
  if (edit === null) throw new Error('nothing was changed');
  told.tell('page.edited', null, edit, 'maintenance');
  return edit;
}

const ticked = (told: BookStory, words: string): PageEdit =>
  edited(told, (text) => text.replace(new RegExp(String.raw`- \[ \](.*${words})`), '- [x]$1'));

describe('what waits for a person', () => {
  it('each stands in one line with a box, its evidence and the words that answer it', () => {
    const text = asking().page(TODOS);
    const lines = text.split('\n').filter((line) => line.startsWith('- [ ] '));
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /Which day\?.*Friday \/ Sunday.*`oka answer invoice\.ask\.1 "…"` _\(invoice, 2\)_ <!--oka ask:invoice\.ask\.1-->$/,
    );
    expect(lines[1]).toMatch(
      /`oka approve invoice\.send\.1` or `oka deny invoice\.send\.1`.*<!--oka ask:invoice\.send\.1-->$/,
    );
    expect(lines[2]).toMatch(
      /Install `libGL\.so\.1`.*`oka requirements resolve libGL\.so\.1`.*<!--oka need:libGL\.so\.1-->$/,
    );
    expect(lines[3]).toMatch(
      /\*\*Write the report\*\* \(\[result\].*\) failed: the disk was gone\. Fix that, then continue: `oka resume report`.*<!--oka failed:report-->$/,
    );
    expect(text).toContain('There are 2 questions for you, 1 thing to install and 1 failed task to check.');
    expect(text.match(/^## Yours$/gm)).toHaveLength(1);
  });

  it('goes when it is answered, brought, corrected, continued or over', () => {
    const told = asking();
    told.tell('wait.closed', 'invoice', {
      wait: 'invoice.ask.1',
      node: 'ask',
      answer: { verdict: 'answered', text: 'Friday' },
    });
    told.tell('requirement.resolved', null, { name: 'libGL.so.1', by: 'a person', seen: 'there' });
    expect(told.page(TODOS)).not.toMatch(/Which day|libGL/);
    told.end('invoice', 'cancelled');
    expect(told.page(TODOS)).not.toContain('oka approve');
    told.begin('report-2', 'Write the report', 'report');
    expect(told.page(TODOS)).toContain('Nothing waits for you.');
    told.end('report-2', 'failed', 'again');
    expect(told.page(TODOS)).toContain('failed: again');
    told.tell('run.corrected', 'report-2', { by: 'report-3', text: 'like this' });
    expect(told.page(TODOS)).toContain('Nothing waits for you.');
  });

  it('a tick is a request, and the entry is gone when it was taken in', () => {
    const told = asking();
    const edit = ticked(told, 'Write the report');
    const wishes = [...pendingRequests(told.book)];
    expect(wishes.map(({ intake }) => intake)).toMatchObject([{ kind: 'tick', todo: 'failed:report' }]);
    expect(edit.lines).toEqual([]);
    expect(told.page(TODOS)).not.toContain('Write the report');
    const [wish] = wishes;
    if (wish !== undefined) told.tell('intake.received', null, wish);
    expect([...pendingRequests(told.book)]).toEqual([]);
    expect(told.page(TODOS)).not.toContain('Write the report');
  });

  it('a tick at what had to be brought asks to look for it, and it comes back when it is not there', () => {
    const told = asking();
    ticked(told, 'libGL');
    expect([...pendingRequests(told.book)].map(({ intake }) => intake)).toMatchObject([
      { kind: 'tick' },
      { kind: 'resolve', name: 'libGL.so.1' },
    ]);
    told.tell('requirement.reopened', null, { name: 'libGL.so.1', by: 'a tick', reason: 'dlopen fails' });
    expect(told.page(TODOS)).toContain('checked, still missing: dlopen fails');
  });

  it('a tick neither approves nor answers: the line comes back with a remark', () => {
    for (const words of ['oka approve', 'oka answer']) {
      const told = asking();
      const edit = ticked(told, words);
      expect(intakesForEdit(edit, told.book)).toEqual([]);
      expect([...pendingRequests(told.book)]).toEqual([]);
      expect(told.page(TODOS)).toMatch(
        new RegExp(String.raw`- \[ \] .*${words}.*a tick does not answer this; the command does`),
      );
    }
  });

  it('a line of their own stays theirs, ticked or not', () => {
    const told = asking();
    edited(told, (text) => `${text}- [x] call Ann\n`);
    expect([...pendingRequests(told.book)]).toEqual([]);
    told.end('invoice', 'done');
    expect(told.page(TODOS)).toContain('\n- [x] call Ann\n');
  });
});

describe('a task that failed', () => {
  it.each([
    [
      'the steps failed: do the task: there is no report.pdf in the folder',
      /report\.pdf is not there\. Ask for report\.pdf and put it where the task looks for it, then continue: `oka resume r`/,
    ],
    [
      'plan: the planner answered 3 times what cannot be used: the answer is not a plan. It wrote: "Sure!"',
      /the model gave no answer that can be used\. Choose another model \(oka model setup\) or do it again: `oka again r`/,
    ],
    ["work: the model's server answered 401: no key", /See that it answers \(oka model test\), then continue/],
    [
      'work: exit 127. It wrote to stderr:\nbash: pdftk: command not found',
      /Install what is missing, then continue: `oka resume r`/,
    ],
    [
      'contains: a.md "Total": it does not contain that\nThe critic: criteria are missing',
      /Look at the result, and say what is wrong: `oka correct r "…"`/,
    ],
    [
      'no plan can do it: nobody has said which year',
      /nobody has said which year\. Add what is missing or change the task/,
    ],
  ])('is said with what a person can do: %s', (reason, line) => {
    const told = story();
    told.begin('r', 'Report');
    told.end('r', 'failed', reason);
    const text = told.page(TODOS);
    expect(text).toMatch(line);
    expect(text).not.toMatch(/planner|answered 3 times/);
  });
});

describe('a task whose approval was denied', () => {
  const denied = (reason: string): string => {
    const told = story();
    told.begin('invoice', 'Send the invoice');
    const wait = { wait: 'invoice.send.1', node: 'send' };
    told.tell('wait.opened', 'invoice', { ...wait, for: { kind: 'approval', binding: 'b'.repeat(64), text: 'curl' } });
    told.tell('wait.closed', 'invoice', { ...wait, answer: { verdict: 'denied', by: 'a person' } });
    told.end('invoice', 'failed', reason);
    return told.page(TODOS);
  };

  it('is not called a failure that nobody followed up: a person has decided it', () => {
    expect(denied('critique: the steps failed: send: approval denied')).toContain('Nothing waits for you.');
  });

  it('is one if it failed for another reason', () => {
    expect(denied('the disk was gone')).toContain('Failed, and nobody followed up');
  });
});
