/** The homes in which commands that write are tried (writing-commands.ts). */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { okaWith } from './cli.ts';
import type { Story } from './story.ts';
import { type Row, runbook } from './writing-commands.ts';

const node = (line: string): object => ({
  id: 'a',
  kind: 'tool',
  tool: 'shell',
  input: { line },
  timeout_seconds: 60,
  max_retries: 0,
});

/** Makes what the rows are about, other than what their `before` makes. */
export async function prepare(story: Story, count: number): Promise<void> {
  const graph = (id: string, first: object): void =>
    story.write(`workspace/graphs/${id}.json`, JSON.stringify({ id, nodes: [first] }));
  const begin = (id: string): Promise<unknown> => story.oka('graph', 'run', id, '--id', id);
  const policy = readFileSync(story.home.policy, 'utf8');
  writeFileSync(story.home.policy, policy.replace('rules: []', 'rules:\n  - { effect: ask, program: tee }'));
  graph('question', { id: 'a', kind: 'ask', question: 'Sure?', options: ['yes', 'no'] });
  graph('work', node('echo x >> work.txt'));
  for (let n = 0; n < count; n += 1) {
    for (const name of ['work', 'base', 'lost', 'patched', 'pinned', 'rolled', 'dropped'])
      graph(`${name}${n}`, node(`echo x >> ${name}${n}.txt`));
    for (const name of ['sure', 'never']) graph(`${name}${n}`, node(`echo x | tee -a ${name}${n}.txt`));
    graph(`bad${n}`, node(`test -e ready && echo x >> bad${n}.txt`));
    for (const name of ['ask', 'halt', 'stop', 'noted'])
      graph(`${name}${n}`, { id: 'a', kind: 'ask', question: 'Sure?', options: ['yes', 'no'] });
    for (const name of ['base', 'lost', 'bad', 'ask', 'halt', 'stop', 'noted']) await begin(`${name}${n}`);
    for (const name of ['old', 'dim'])
      await story.oka('memory', 'fact', 'add', `Fact ${name} ${n}.`, '--id', `${name}${n}`);
    for (const name of ['about', 'moved']) story.write(`workspace/desk/${name}${n}.txt`, `File ${name} ${n}.\n`);
    story.write(
      `said${n}.jsonl`,
      `{"id":"said${n}","text":"The bus goes at ${n}.","at":"2026-01-31T09:30:00Z","who":"Ann"}\n`,
    );
    for (const name of ['plan', 'gone', 'due', 'rest', 'late'])
      story.write(
        `workspace/schedules/${name}${n}.md`,
        `---\nevery: monday 08:00\n---\n${runbook(`echo x >> ${name}${n}.txt`)}\n`,
      );
    await story.oka('chat', 'new', `trip${n}`);
    for (const name of ['OLD', 'TURNED'])
      await okaWith({ input: 'a-value-of-old' }, 'secrets', 'set', `${name}_${n}`, '--dir', story.home.dir);
  }
  story.write('workspace/desk/ready', '');
  story.write('frame.md', 'What it is about.\n');
  await story.oka('context', 'scan');
  for (let n = 0; n < count; n += 1) {
    await story.oka('context', 'put-frame', `desk/moved${n}.txt`, join(story.home.dir, 'frame.md'));
    rmSync(story.desk(`moved${n}.txt`));
  }
  await story.oka('context', 'scan');
  story.write('workspace/desk/found.txt', 'Not yet in the tree.\n');
}

/** With files where they are in this home. */
export const wordsOf = (name: string, { words }: Row, n: number, story: Story): string[] => [
  ...name.split(' '),
  ...words(n).map((word) => (word.startsWith('FILE ') ? join(story.home.dir, word.slice(5)) : word)),
];
