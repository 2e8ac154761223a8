import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resultAttachments } from '../../../src/rooms/channels/result-attachments.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { temporaryFolder } from '../../support/cli.ts';

describe('what a message attaches', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let home: Home;
  beforeEach(() => {
    folder = temporaryFolder();
    home = homeAt(folder.dir);
    mkdirSync(join(home.workspace, 'desk/sums'), { recursive: true });
    mkdirSync(join(home.workspace, 'outbox/run-1/files'), { recursive: true });
  });
  afterEach(() => folder[Symbol.dispose]());

  const desk = (name: string): string => join(home.workspace, 'desk/sums', name);
  const attached = (...lines: string[]): Record<string, string | undefined> => {
    const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');
    const files = resultAttachments(home, 'run-1', `# Sums\n\n## Files\n\n${lines.join('\n')}\n`, redact);
    return Object.fromEntries(files.map(({ name, read }) => [name, Buffer.from(read() ?? 'nothing').toString()]));
  };
  const linked = (name: string): string => `- new [\`${name}\`](../../desk/sums/${encodeURIComponent(name)})`;

  it('are the files that the result links, on the desk and next to it', () => {
    writeFileSync(desk('a b.csv'), 'a');
    writeFileSync(join(home.workspace, 'outbox/run-1/files/c.csv'), 'c');
    writeFileSync(desk('other.csv'), 'not of this task');
    expect(attached(linked('a b.csv'), '- changed [`c.csv`](files/c.csv)', '- removed `other.csv`')).toEqual({
      'a b.csv': 'a',
      'c.csv': 'c',
    });
  });

  it('is nothing outside of these folders, and nothing behind a link', () => {
    writeFileSync(join(folder.dir, 'private'), 'private');
    symlinkSync(join(folder.dir, 'private'), desk('link'));
    linkSync(join(folder.dir, 'private'), desk('hard'));
    symlinkSync(folder.dir, desk('up'));
    expect(
      attached(linked('link'), '- new [`x`](../../../private)', '- new [`y`](../../../.oka/rules/POLICY.md)'),
    ).toEqual({});
    expect(attached(linked('hard'))).toEqual({ hard: 'nothing' });
    expect(attached('- new [`private`](../../desk/sums/up/private)')).toEqual({ private: 'nothing' });
  });

  it('is not what takes the place of a file before it is read', () => {
    writeFileSync(desk('a.csv'), 'a');
    writeFileSync(join(folder.dir, 'private'), 'private');
    const [file] = resultAttachments(home, 'run-1', `${linked('a.csv')}\n`, (text) => text);
    rmSync(desk('a.csv'));
    symlinkSync(join(folder.dir, 'private'), desk('a.csv'));
    expect(file?.read()).toBeNull();
  });

  it('has no secret in it, and makes no program run', () => {
    writeFileSync(desk('a.csv'), 'password,hunter2');
    mkdirSync(desk('.git/hooks'), { recursive: true });
    writeFileSync(desk('.git/hooks/pre-commit'), 'x');
    expect(attached(linked('a.csv'), '- new [`x`](../../desk/sums/.git/hooks/pre-commit)')).toEqual({
      'a.csv': 'nothing',
    });
  });
});
