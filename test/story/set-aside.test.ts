import { mkdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

let story: Story;
afterEach(() => story[Symbol.asyncDispose]());

const SCRIPT = [
  "const fs = require('fs');",
  "fs.appendFileSync('runs.txt', 'once\\n');",
  "fs.writeFileSync('.git/hooks/pre-commit', '#!/bin/sh\\necho from the hook\\n', { mode: 0o755 });",
].join('\n');

/** A worker on a task whose model writes a script, runs it, and stops when it has been asked about. */
async function askedStory(): Promise<{ wait: string }> {
  story = await openStory({
    model: inParts({
      planner: () => plan([goal('do', 'set the hook', ['files.write', 'shell'])], ['file: runs.txt']),
      executor: acting(
        call('files_write', { path: 'make.js', content: SCRIPT }),
        call('shell', { line: 'node make.js' }),
      ),
      critic: () => call('submit_verdict', { criteria: [], verdict: 'impossible', reason: 'no' }),
    }),
  });
  mkdirSync(story.desk('.git/hooks'), { recursive: true });
  story.drop('hook.md', '---\nid: hook\nbudget: { replans: 0 }\n---\nSet a hook.\n');
  story.work();
  return story.asked('approval');
}

describe('a script of a model that writes a hook of git', () => {
  it('has not left it on the desk when it asks, and a yes puts it there without running the script again', async () => {
    const { wait } = await askedStory();
    expect(story.deskText('.git/hooks/pre-commit')).toBeNull();
    expect(story.deskText('runs.txt')).toBe('once\n');
    expect((await story.oka('approve', wait)).code).toBe(0);
    await story.ended('hook');
    expect(story.deskText('.git/hooks/pre-commit')).toContain('from the hook');
    expect(story.deskText('runs.txt')).toBe('once\n');
  });

  it('a no leaves it out', async () => {
    const { wait } = await askedStory();
    expect((await story.oka('deny', wait)).code).toBe(0);
    await story.ended('hook');
    expect(story.deskText('.git/hooks/pre-commit')).toBeNull();
    expect(story.deskText('runs.txt')).toBe('once\n');
  });
});
