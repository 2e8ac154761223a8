import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSkillFolder, SKILL_LIMITS } from '../../../src/kit/skills/skill-folder.ts';
import { skillText, SOUND_SKILLS, writeSkill } from '../../support/skills.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oka-skills-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const problemsOf = (name: string, files: Readonly<Record<string, string>>): readonly string[] => {
  const read = readSkillFolder(writeSkill(folder, name, files));
  return 'problems' in read ? read.problems : [];
};

describe('sound skills', () => {
  it.each(Object.entries(SOUND_SKILLS))('%s is read with its header, its instructions and all files', (name, files) => {
    const read = readSkillFolder(writeSkill(folder, name, files));
    if ('problems' in read) throw new Error(read.problems.join('; '));
    expect(read.header.name).toBe(name);
    expect(read.body).toContain('# ');
    expect(read.files.map(({ path }) => path).toSorted()).toEqual(Object.keys(files).toSorted());
    expect(read.notes).toEqual([]);
  });

  it('what real skills have beyond the specification is ignored and named', () => {
    const header = 'version: 2\nallowed-tools:\n  - Read\n  - Bash(git:*)\nmetadata:\n  version: 1.5\n  beta: true\n';
    const read = readSkillFolder(
      writeSkill(folder, 'odd-one', { 'SKILL.md': skillText('odd-one', 'Does it.', 'Do it.', header) }),
    );
    if ('problems' in read) throw new Error(read.problems.join('; '));
    expect(read.header).toMatchObject({
      'allowed-tools': 'Read Bash(git:*)',
      metadata: { version: '1.5', beta: 'true' },
    });
    expect(read.notes).toEqual([
      'allowed-tools should be one text, separated by spaces',
      'fields that are not in the specification are ignored: version',
    ]);
  });

  it('the hash changes with a path, an execute bit and a content, and with nothing else', () => {
    const script = { 'SKILL.md': skillText('same', 'Does it.', 'Do it.'), 'run.sh': 'echo 1\n' };
    const hashOf = (name: string, files: Readonly<Record<string, string>>): string => {
      const top = mkdtempSync(join(folder, 'at-'));
      const read = readSkillFolder(writeSkill(top, name, files));
      if ('problems' in read) throw new Error(read.problems.join('; '));
      return read.sha256;
    };
    const first = hashOf('same', script);
    expect(hashOf('same', script)).toBe(first);
    const others = [
      { ...script, 'run.sh': 'echo 2\n' },
      { 'SKILL.md': script['SKILL.md'], 'go.sh': script['run.sh'] },
      { ...script, 'run.sh': '#!/bin/sh\n' },
    ].map((files) => hashOf('same', files));
    expect(new Set([first, ...others]).size).toBe(4);
  });
});

describe('malformed skills are refused with the reason', () => {
  const good = skillText('x', 'Does it.', 'Do it.');
  it.each<[string, string, Readonly<Record<string, string>>, string]>([
    ['without SKILL.md', 'none', { 'README.md': 'hello' }, 'there is no file SKILL.md in it'],
    [
      'with another spelling of it',
      'lower',
      { 'skill.md': good },
      'its file is called skill.md; rename it to SKILL.md',
    ],
    [
      'without front matter',
      'bare',
      { 'SKILL.md': '# Hello\n' },
      'SKILL.md must begin with front matter: a line ---, name: and description:, and a line ---',
    ],
    [
      'with front matter that does not end',
      'open',
      { 'SKILL.md': '---\nname: open\n' },
      'the second --- line is missing',
    ],
    ['with YAML that is none', 'yaml', { 'SKILL.md': '---\nname: [yaml\n---\nDo it.\n' }, 'SKILL.md'],
    [
      'without a name',
      'no-name',
      { 'SKILL.md': '---\ndescription: Does it.\n---\nDo it.\n' },
      'name: is missing; it is required',
    ],
    [
      'without a description',
      'no-words',
      { 'SKILL.md': '---\nname: no-words\n---\nDo it.\n' },
      'description: is missing; it is required',
    ],
    [
      'with capitals in its name',
      'PDF-Forms',
      { 'SKILL.md': skillText('PDF-Forms', 'Does it.', 'Do it.') },
      'may only have lower-case letters',
    ],
    [
      'with a double hyphen',
      'a--b',
      { 'SKILL.md': skillText('a--b', 'Does it.', 'Do it.') },
      'may only have lower-case letters',
    ],
    [
      'with the name of another folder',
      'mine',
      { 'SKILL.md': skillText('yours', 'Does it.', 'Do it.') },
      'name: "yours" differs from its folder, "mine"',
    ],
    [
      'with a name that is too long',
      'n'.repeat(65),
      { 'SKILL.md': skillText('n'.repeat(65), 'Does it.', 'Do it.') },
      'name: has 65 characters; at most 64 are allowed',
    ],
    [
      'with a description that is too long',
      'wordy',
      { 'SKILL.md': skillText('wordy', 'w'.repeat(1025), 'Do it.') },
      'description: has 1025 characters; at most 1024 are allowed',
    ],
    [
      'with a compatibility that is too long',
      'picky',
      { 'SKILL.md': skillText('picky', 'Does it.', 'Do it.', `compatibility: ${'c'.repeat(501)}\n`) },
      'compatibility: has 501 characters; at most 500 are allowed',
    ],
    [
      'with metadata that is no map',
      'meta',
      { 'SKILL.md': skillText('meta', 'Does it.', 'Do it.', 'metadata: [a, b]\n') },
      'metadata: must be a map from names to texts',
    ],
    [
      'without instructions',
      'empty',
      { 'SKILL.md': skillText('empty', 'Does it.', '') },
      'SKILL.md has no instructions behind its front matter',
    ],
  ])('%s', (_, name, files, problem) => {
    expect(problemsOf(name, files).join('\n')).toContain(problem);
  });

  it('with a link, whatever it points to', () => {
    const place = writeSkill(folder, 'linked', { 'SKILL.md': skillText('linked', 'Does it.', 'Do it.') });
    symlinkSync('/etc/passwd', join(place, 'notes.md'));
    expect(readSkillFolder(place)).toMatchObject({
      problems: ['notes.md is a link; copy what it points to into the skill'],
    });
  });

  it('with more than a skill may contain', () => {
    const place = writeSkill(folder, 'large', { 'SKILL.md': skillText('large', 'Does it.', 'Do it.') });
    writeFileSync(join(place, 'data.bin'), '');
    truncateSync(join(place, 'data.bin'), SKILL_LIMITS.bytes + 1);
    expect(readSkillFolder(place)).toMatchObject({
      problems: ['data.bin is too large: a skill may have 20 MB in all'],
    });
  });
});
