import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandSections } from '../../support/command-index-text.ts';
import { launcher, oka, okaProcess, temporaryFolder } from '../../support/cli.ts';

const commands = Object.fromEntries(
  (await commandSections()).flatMap((section) => section.commands).map(({ name, command }) => [name, command]),
);

describe('the command line', () => {
  it('shows the fifteen commands of a week first, each with its summary, and where the others are', async () => {
    const { code, out } = await oka('--help');
    expect(code).toBe(0);
    const shown = [...out.matchAll(/^ {2}(\w+) +(\S.*)$/gm)];
    expect(shown.length).toBe(15);
    for (const [, name = '', summary = ''] of shown) expect(commands[name]?.summary, name).toContain(summary);
    expect(out).toContain('oka help all');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    using folder = temporaryFolder();
    expect(await oka('--dir', folder.dir)).toMatchObject({ code: 0, out });
  });

  it('lists every command with help all, those of a family in one entry, and the exit codes, within 80 columns', async () => {
    const { code, out } = await oka('help', 'all');
    expect(code).toBe(0);
    for (const name of Object.keys(commands)) {
      const [first = '', second = ''] = name.split(' ');
      const entries = [...out.matchAll(new RegExp(`^  ${first} (?:.*\\n)(?: {4,}.*\\n)*`, 'gm'))].join(' ');
      expect(entries, name).toMatch(new RegExp(second === '' ? '.' : `[ ]${second}(?:[ ,\\n]|$)`));
    }
    expect(out).toContain('Exit codes');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('gives help with an example for every command, within 80 columns', async () => {
    for (const [name, command] of Object.entries(commands)) {
      const { code, out } = await oka(...name.split(' '), '--help');
      expect(code, name).toBe(0);
      expect(out).toContain(`Example: ${command.example}`);
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    }
  });

  it('lists the commands below a name, each with its example, within 80 columns', async () => {
    const families = new Set(
      Object.keys(commands).flatMap((name) => name.split(' ').flatMap((_, at, words) => words.slice(0, at).join(' '))),
    );
    families.delete('');
    for (const family of families) {
      const asked = [...family.split(' '), '--help'];
      const { code, out } = await oka(...asked);
      expect(code, family).toBe(0);
      for (const [name, { example }] of Object.entries(commands))
        if (name.startsWith(`${family} `)) expect(out.replaceAll(/\n +/g, ' ')).toContain(`Example: ${example}`);
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
      expect(await oka('help', ...family.split(' '))).toMatchObject({ code: 0, out });
      if (!(family in commands)) expect(await oka(...family.split(' '))).toMatchObject({ code: 0, out, err: '' });
    }
    expect([...families]).toEqual(expect.arrayContaining(['graph', 'memory', 'memory fact', 'tools']));
  });

  it('takes a wrong word behind the name of several commands for a command that does not exist', async () => {
    expect(await oka('graph', 'valdate')).toMatchObject({
      code: 2,
      err: expect.stringContaining('oka graph validate'),
    });
    expect(await oka('memory', 'fact', 'lisst')).toMatchObject({
      code: 2,
      err: expect.stringContaining('oka memory fact list'),
    });
    expect(await oka('memory', 'xyzzyx')).toMatchObject({
      code: 2,
      err: expect.stringContaining('See: oka memory --help'),
    });
  });

  it('says the version', async () => {
    expect(await oka('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('suggests the nearest command for an unknown one and exits 2', async () => {
    expect(await oka('verfiy')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Did you mean: oka verify'),
    });
    expect(await oka('ledger', 'achive')).toMatchObject({
      code: 2,
      err: expect.stringContaining('oka ledger archive'),
    });
    expect(await oka('xyzzyx')).toMatchObject({ code: 2, err: expect.stringContaining('See: oka --help') });
  });

  it('names a wrong option, a wrong value and a superfluous word, and exits 2', async () => {
    expect(await oka('log', '--folow')).toMatchObject({ code: 2, err: expect.stringContaining('--folow') });
    expect(await oka('log', '--limit', 'many')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--limit takes a whole number'),
    });
    expect(await oka('status', 'now')).toMatchObject({ code: 2, err: expect.stringContaining('now') });
    expect(await oka('log', '--pen', 'pencil')).toMatchObject({ code: 2, err: expect.stringContaining('pencil') });
    expect(await oka('ledger', 'archive', '--before', 'yesterday')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not a date'),
    });
    expect(await oka('schema', 'confg')).toMatchObject({ code: 2, err: expect.stringContaining('oka schema config') });
  });

  it('says how to set up a folder that is none', async () => {
    using folder = temporaryFolder();
    expect(await oka('status', '--dir', folder.dir)).toMatchObject({
      code: 3,
      err: expect.stringContaining('oka init'),
    });
  });

  it('takes the folder from OKA_DIR when --dir is not given', async () => {
    using folder = temporaryFolder();
    const { stderr } = spawnSync(process.execPath, [launcher, 'status'], {
      encoding: 'utf8',
      env: { OKA_DIR: folder.dir },
    });
    expect(stderr).toContain(folder.dir);
  });

  it('ends quietly when the reader of a pipe goes away', async () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" "${launcher}" schema | head -n 1 >/dev/null`],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('uses no colour when the output is not a terminal', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    expect((await oka('status', '--dir', folder.dir)).out).not.toContain('\u001B[');
  });
});

describe('the launcher', () => {
  it('prints to the streams of its process and ends with the exit code of the command', () => {
    using folder = temporaryFolder();
    expect(okaProcess('init', '--dir', folder.dir)).toMatchObject({ code: 0, err: '' });
    expect(okaProcess('status', '--health', '--dir', folder.dir)).toMatchObject({ code: 1, err: '' });
    expect(okaProcess('statsu')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('oka status') });
  });

  const other = spawnSync(
    'sh',
    ['-c', "PATH=$(printf %s \"$PATH\" | tr ':' '\\n' | grep -v node_modules | paste -sd:) command -v node"],
    { encoding: 'utf8' },
  ).stdout.trim();
  const version =
    other === '' ? '' : spawnSync(other, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim();

  it.skipIf(version === '' || Number(version.split('.')[0]) >= 24)(
    'hands over from an older Node to the one that npm brought',
    () => {
      const { status, stdout } = spawnSync(other, [launcher, '--version'], { encoding: 'utf8' });
      expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    },
  );

  it.skipIf(version === '' || Number(version.split('.')[0]) >= 24)(
    'says which Node is needed when there is none to hand over to',
    async () => {
      using folder = temporaryFolder();
      const { cpSync, writeFileSync } = await import('node:fs');
      cpSync(launcher, `${folder.dir}/bin/oka`);
      writeFileSync(`${folder.dir}/package.json`, '{"type":"module"}');
      const { status, stderr } = spawnSync(other, [`${folder.dir}/bin/oka`, '--version'], { encoding: 'utf8' });
      expect(status).toBe(2);
      expect(stderr).toContain(`oka needs Node 24 or newer; this is Node ${version}`);
    },
  );
});
