import { describe, expect, it } from 'vitest';
import {
  confinementFor,
  type Places,
  pathWithin,
  rightsOf,
  type Step,
} from '../../../src/core/guard/command-rights.ts';
import { SideEffectClass } from '../../../src/core/schema/effect.ts';

const places: Places = {
  oka: '/home/me/oka/.oka',
  desk: '/home/me/oka/workspace/desk',
  scratch: '/home/me/oka/.oka/scratch',
  tools: '/home/me/oka/.oka/tools',
  programs: ['/home/me/node/bin'],
  root: false,
};
const step = (some: Partial<Step>): Step => ({ class: 'read', author: 'model', net: null, installer: false, ...some });
const rights = (some: Partial<Step>, seccomp = true, where = places) => rightsOf(step(some), where, { seccomp });
const isAbove = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);
const ran = SideEffectClass.options.filter((each) => each !== 'deny');

describe('rights by class and network', () => {
  it('R1 a read of a model writes to its scratch folder at most and executes nothing that was installed', () => {
    const { write, run, read } = rights({});
    expect(write).toEqual([places.scratch]);
    expect(rights({}, true, { ...places, scratch: null }).write).toEqual([]);
    expect(run).not.toContain(places.tools);
    expect(run).not.toContain(places.desk);
    expect(read).toEqual(expect.arrayContaining([places.desk, places.tools]));
  });

  it('what a person wrote, and everything beyond a read, writes to the desk and the scratch folder alone', () => {
    const own = [places.desk, places.scratch];
    expect(rights({ author: 'operator' }).write).toEqual(own);
    expect(rights({ class: 'write_local' }).write).toEqual(own);
    expect(rights({ class: 'external_mutation' }).write).toEqual(own);
  });

  it('R2 nothing grants a folder above .oka, and of .oka only tools and scratch', () => {
    const steps = ran.flatMap((each) =>
      [false, true].map((installer) => step({ class: each, installer, net: '127.0.0.1:3128' })),
    );
    for (const each of steps) {
      const { read, run, write, devices } = rightsOf(each, places, { seccomp: true });
      const granted = [...read, ...run, ...write, ...devices];
      expect(granted.filter((folder) => isAbove(folder, places.oka))).toEqual([]);
      const inside = granted.filter((folder) => isAbove(places.oka, folder));
      expect(inside.every((folder) => folder === places.tools || folder === places.scratch)).toBe(true);
      expect(write.includes(places.tools)).toBe(each.installer);
    }
  });

  it('R2 a home in a folder that commands read is refused, or that folder is not granted', () => {
    expect(rights({}, true, { ...places, oka: '/opt/oka/.oka' }).run).not.toContain('/opt');
    expect(() => rights({}, true, { ...places, oka: '/usr/share/oka/.oka' })).toThrow(/every command can read/);
  });

  it('R3 a port is given only where the kernel can enforce it', () => {
    expect(rights({ net: '127.0.0.1:3128' }).connect).toEqual(['127.0.0.1:3128']);
    expect(rights({ net: '127.0.0.1:3128' }, false).connect).toEqual([]);
    expect(rights({}).connect).toEqual([]);
  });

  it('root does not read all of /etc', () => {
    const { read } = rights({}, true, { ...places, root: true });
    expect(read).not.toContain('/etc');
    expect(read.some((path) => /shadow|sudoers|ssh|private/.test(path))).toBe(false);
    expect(rights({}).read).toContain('/etc');
  });

  it('what is denied has no rights', () => {
    expect(() => rights({ class: 'deny' })).toThrow(/never run/);
  });
});

describe('R4 without a sandbox', () => {
  const whole = { launcher: true, landlock: 7, seccomp: true };
  const lacking = [
    { launcher: false, landlock: 0, seccomp: false },
    { launcher: true, landlock: 0, seccomp: true },
  ];

  it('the sandbox applies whoever wrote it', () => {
    expect(confinementFor(whole, 'jail', 'model')).toEqual({ kind: 'jail' });
    expect(confinementFor({ launcher: true, landlock: 1, seccomp: true }, 'jail', 'operator')).toEqual({
      kind: 'jail',
    });
  });

  it.each(lacking)('a person is warned and a model refused: %o', (offer) => {
    expect(confinementFor(offer, 'jail', 'operator')).toMatchObject({
      kind: 'none',
      warning: expect.stringMatching(/person/),
    });
    expect(confinementFor(offer, 'jail', 'model')).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/model/),
    });
  });

  it.each([...lacking, whole])('with sandbox: none everything runs, with a warning: %o', (offer) => {
    for (const author of ['operator', 'model'] as const)
      expect(confinementFor(offer, 'none', author)).toMatchObject({
        kind: 'none',
        warning: expect.stringMatching(/switched off/),
      });
  });
});

describe('PATH in the sandbox', () => {
  it('has only folders that a command may run from', () => {
    const path = '/home/me/.pyenv/shims:/usr/local/bin:/home/me/oka/.oka/tools/bin:/usr/bin:/usrx/bin:/opt/x/bin';
    expect(pathWithin(path, places)).toBe('/usr/local/bin:/home/me/oka/.oka/tools/bin:/usr/bin:/opt/x/bin');
  });
});
