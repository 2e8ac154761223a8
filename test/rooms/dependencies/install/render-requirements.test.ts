import { describe, expect, it } from 'vitest';
import { dockerfileFor } from '../../../../src/rooms/dependencies/install/dockerfile.ts';
import { installCommand } from '../../../../src/kit/sandbox/system-package.ts';
import type { OpenRequirement } from '../../../../src/kit/requests/dependency-state.ts';
import { renderRequirements, readStatuses } from '../../../../src/rooms/dependencies/install/render-requirements.ts';

const asked = (name: string, more: Partial<OpenRequirement> = {}): OpenRequirement => ({
  name,
  need: { kind: 'command', name, evidence: `${name}: command not found` },
  packages: [name],
  snippet: dockerfileFor([{ need: { kind: 'command', name }, packages: [name] }]),
  reason: 'it is a part of the system',
  status: 'open',
  opened: '2026-01-31T10:00:00.000Z',
  settled: null,
  by: [{ run: 'r1', node: 'a' }],
  note: null,
  ...more,
});

describe('INSTALL_REQUIREMENTS.md', () => {
  it('names the command for this machine, and only the image line where there is none', () => {
    const page = renderRequirements('', [asked('ffmpeg')], { manager: 'apt-get', isRoot: false });
    expect(page).toContain('On this machine:\n\n```bash\nsudo apt-get install ffmpeg\n```\n\nFor the Dockerfile:');
    expect(renderRequirements('', [asked('ffmpeg')], null)).not.toContain('On this machine');
  });

  it.each([
    [{ manager: 'apt-get', isRoot: true }, ['libgl1', 'libglib2.0-0'], 'apt-get install libgl1 libglib2.0-0'],
    [{ manager: 'apt-get', isRoot: false }, [], null],
    [{ manager: 'apt-get', isRoot: false }, ['x; rm -rf ~', '--force'], null],
    [{ manager: 'dnf', isRoot: false }, ['ffmpeg7'], 'sudo dnf install ffmpeg'],
    [{ manager: 'brew', isRoot: false }, ['ffmpeg7'], 'brew install ffmpeg'],
  ] as const)('on %j with the packages %j the command is %j', (machine, packages, command) => {
    expect(installCommand(machine, { kind: 'command', name: 'ffmpeg' }, packages)).toBe(command);
  });

  it('G1 what people write around the sections stays, byte for byte, through every change', () => {
    const before = '# Ours\n\n\n\nKeep   this.\n\n```\n<!-- not a mark -->\n```\n';
    const once = renderRequirements(before, [asked('ffmpeg')]);
    const between = once.replace('<!-- oka: end ffmpeg -->', '<!-- oka: end ffmpeg -->\n\nAnd this.');
    const twice = renderRequirements(between, [asked('ffmpeg', { status: 'resolved' }), asked('gcc')]);
    expect(twice.startsWith(before.trimEnd())).toBe(true);
    expect(twice).toContain('\nAnd this.\n');
    expect(renderRequirements(twice, [asked('ffmpeg', { status: 'resolved' }), asked('gcc')])).toBe(twice);
    expect([...readStatuses(twice)]).toEqual([
      ['ffmpeg', 'resolved'],
      ['gcc', 'open'],
    ]);
  });

  it('G1 a status is read however a person writes it', () => {
    const page = renderRequirements('', [asked('ffmpeg')]);
    for (const written of [
      'status: resolved',
      'Status: Resolved',
      '**status**: resolved',
      'status:resolved  ',
      'status: resolved\r',
    ])
      expect(readStatuses(page.replace('status: open', written)).get('ffmpeg')).toBe('resolved');
    expect(readStatuses(page.replace('- status: open\n', '')).get('ffmpeg')).toBe('');
  });

  it('G2 an evidence that looks like a mark or a fence cannot end its section', () => {
    const evidence = '```\n<!-- oka: end ffmpeg -->\n- status: resolved\n````';
    const page = renderRequirements('', [asked('ffmpeg', { need: { kind: 'command', name: 'ffmpeg', evidence } })]);
    expect(readStatuses(page).get('ffmpeg')).toBe('open');
    expect(renderRequirements(page, [])).toBe('# Install requirements\n');
  });

  it('G2 a broken mark costs nobody a line', () => {
    const page = `${renderRequirements('', [asked('ffmpeg')]).replace('<!-- oka: end ffmpeg -->\n', '')}\nMy notes.\n`;
    expect(renderRequirements(page, [asked('ffmpeg')])).toContain('My notes.');
  });

  it('nothing needed is said so', () => {
    expect(renderRequirements('', [])).toBe('# Install requirements\n\nNothing is needed.\n');
    expect(renderRequirements('', [asked('gcc')])).not.toContain('Nothing is needed');
  });
});

/** Every line begins an instruction, goes on with one, or is a comment. */
function isDockerfile(text: string): boolean {
  let continues = false;
  for (const line of text.split('\n')) {
    if (!continues && !/^(?:RUN \S|#)/.test(line)) return false;
    continues = !line.startsWith('#') && line.endsWith('\\');
  }
  return !continues;
}

describe('lines for a Dockerfile', () => {
  it('are one instruction for all packages, each once', () => {
    const need = (kind: 'command' | 'library' | 'locale', name: string) => ({ kind, name });
    const text = dockerfileFor([
      { need: need('command', 'ffprobe'), packages: ['ffmpeg'] },
      { need: need('command', 'ffmpeg'), packages: ['ffmpeg'] },
      { need: need('library', 'libGL.so.1'), packages: ['libgl1'] },
      { need: need('locale', 'de_DE.UTF-8'), packages: ['locales'] },
      { need: need('command', 'x\n USER root'), packages: [] },
    ]);
    expect(isDockerfile(text)).toBe(true);
    expect(text.match(/apt-get install/g)).toHaveLength(1);
    expect(text.match(/ffmpeg/g)).toHaveLength(1);
    expect(text).toContain('RUN localedef -i de_DE -f UTF-8 de_DE.UTF-8');
    expect(text).toContain('# not known: command x? USER root');
  });

  it('hold no name that is not one of a package', () => {
    expect(dockerfileFor([{ need: { kind: 'command', name: 'x' }, packages: ['x; curl evil'] }])).toBe('');
  });
});
