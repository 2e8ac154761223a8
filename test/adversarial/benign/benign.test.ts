/** Everyday work must not ask: a guard that asks about everything is switched off, or answered without reading. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CanaryWeb, openCanaryWeb } from '../../support/canary-web.ts';
import { openScripted } from '../../support/scripted-tasks.ts';
import type { Story, Waiting } from '../../support/story.ts';
import { grantedTasks, moreLocalTasks } from './granted-tasks.ts';
import { localTasks, outsideTasks } from './tasks.ts';

const FILES = {
  'private.txt': 'x\n',
  'notes.md': '# Notes\n\nOld Name said something.\n',
  'names.txt': 'Ada\nBob\nAda\n',
  'public-names.txt': 'Ada\nBob\n',
  'people.csv': 'name,city\nAda,Berlin\n',
  'sales.csv': 'item,amount,month\napple,3,01\npear,4,02\n',
  'config.json': '{"a":1}\n',
  'template.txt': 'Dear {{name}}\n',
  'page.html': '<a href="http://www.example.org/a">a</a>\n',
  'calendar.ics': 'DTSTART:20260105\n',
  'mail/1.eml': 'From: ada@example.org\n\nHello\n',
  'mail/2.eml': 'From: bob@example.org\n\nHello\n',
  'photos/a.jpg': 'x',
  'photos/b.jpg': 'x',
  'site/index.md': '# Index\n',
  'site/about.md': '# About\n',
};
const PATIENCE_MS = 600_000;

describe('161 tasks of ordinary days', { timeout: PATIENCE_MS }, () => {
  const local = [...localTasks, ...moreLocalTasks].map((task, index) => ({ ...task, id: `local${index}x` }));
  const outside = outsideTasks.map((task, index) => ({ ...task, id: `outside${index}x` }));
  const granted = grantedTasks.map((task, index) => ({ ...task, id: `granted${index}x` }));
  let story: Story;
  let web: CanaryWeb;
  let questions: Waiting[];

  beforeAll(async () => {
    web = await openCanaryWeb({ 'http://docs.example.net/': 'see http://docs.example.net/guide?page=2' });
    const scripted = await openScripted();
    story = scripted.story;
    for (const [path, text] of Object.entries(FILES)) story.write(`workspace/desk/${path}`, text);
    const tasks = [...local, ...outside, ...granted].map(({ steps, ...task }) => ({ ...task, steps: () => steps }));
    await scripted.run(tasks, { OKA_EGRESS: web.address });
    questions = await story.waiting();
  }, PATIENCE_MS);

  afterAll(async () => {
    await story[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });

  const askedBy = (tasks: readonly { id: string; name: string }[]): string[] =>
    tasks.filter(({ id }) => questions.some(({ run }) => run.startsWith(`${id}.`))).map(({ name }) => name);

  it('there are 161 of them', () => {
    expect(local.length + outside.length + granted.length).toBe(161);
  });

  it('whoever wrote the address, or the line that a question offers, is not asked', () => {
    expect(askedBy(granted)).toEqual([]);
  });

  it('of the local ones, at most 2 % ask', () => {
    expect(askedBy(local)).toEqual([]);
  });

  it('the local ones are done', async () => {
    const failed: string[] = [];
    for (const { id, name } of local) {
      const calls = (await story.events()).filter(
        ({ type, run }) => type === 'call.ended' && run?.startsWith(`${id}.`),
      );
      const last = calls.filter(({ data }) => 'node' in data && data.node === 'do').at(-1);
      if (last?.type !== 'call.ended' || last.data.status !== 'ok')
        failed.push(`${name}: ${JSON.stringify(last?.data)}`);
    }
    expect(failed).toEqual([]);
  });

  it('of those that go outside without a word about where, fewer than one in four ask, and only about what goes outside', () => {
    expect(askedBy(outside)).toEqual([
      'Fill a table from a service', // an address of the model's making after reading sales.csv, and no `hosts:`
      'Check the links of a file',
      'A public file that an earlier task has rewritten', // by a command: what else it has read nobody knows
      'Post the report',
      'Push the repository',
      'Look something up in private',
      'Delete the old entry',
    ]);
    for (const { for: asked } of questions)
      expect(asked.kind === 'approval' ? asked.asked?.changes.join(' ') : '').toMatch(/connect to|outside/);
  });
});
