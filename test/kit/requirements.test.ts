import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { oka, temporaryFolder } from '../support/cli.ts';

const MISSING = 'ebook-convert'; // a program of the system that no machine of a developer has by chance

describe('oka requirements and oka tools', { timeout: 60_000 }, () => {
  it('tell what a person has to bring, take the word that it is there, look, and let the task go on', async () => {
    using folder = temporaryFolder();
    const dir = ['--dir', folder.dir];
    await oka('init', ...dir);
    const task = join(folder.dir, 'task.md');
    writeFileSync(task, `# T\n\n\`\`\`bash\n${MISSING} book\n\`\`\`\n`);
    expect((await oka('requirements', ...dir)).out).toBe('Nothing is needed.\n');
    expect((await oka('run', task, ...dir)).code).toBe(4);
    expect((await oka('requirements', ...dir)).out).toMatch(/^ebook-convert {2}open {2}calibre\n/);
    const { out: dockerfile } = await oka('requirements', '--dockerfile', ...dir);
    expect(dockerfile).toMatch(
      /^ARG OKA_IMAGE=oka:local\nFROM \$\{OKA_IMAGE\}\nUSER root\nRUN apt-get update \\\n[^]* {6}calibre \\\n && rm -rf \S+\nUSER 1000:1000\n$/,
    );
    expect(await oka('requirements', 'resolve', MISSING, ...dir)).toMatchObject({
      code: 1,
      out: expect.stringContaining('still missing') as string,
    });
    const bin = join(homeAt(folder.dir).oka, 'tools', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, MISSING), '#!/bin/sh\necho converted\n', { mode: 0o755 });
    expect(await oka('requirements', 'resolve', MISSING, ...dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 run went on') as string,
    });
    expect((await oka('runs', ...dir)).out).toContain('done');
    expect((await oka('requirements', 'resolve', 'nothing', ...dir)).err).toContain(
      'nothing called "nothing" is needed',
    );
  });

  it('say what is installed, and refuse what is not a tool', async () => {
    using folder = temporaryFolder();
    const dir = ['--dir', folder.dir];
    await oka('init', ...dir);
    expect((await oka('tools', 'list', ...dir)).out).toContain('No tools are installed yet');
    expect(JSON.parse((await oka('tools', 'audit', '--json', ...dir)).out)).toEqual({ audited: [] });
    expect((await oka('tools', 'remove', 'x', ...dir)).err).toContain('"x" is not installed');
    expect((await oka('tools', 'remove', '--unused', 'soon', ...dir)).err).toContain('30d');
    expect((await oka('tools', 'install', 'ffmpeg', ...dir)).err).toContain('RUN apt-get update');
    expect((await oka('tools', 'install', 'grpe', ...dir)).err).toContain('node:PACKAGE');
  });
});
