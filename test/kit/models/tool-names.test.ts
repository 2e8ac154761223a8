import { expect, it } from 'vitest';
import { toolNames } from '../../../src/kit/models/tool-names.ts';

const named = (...names: string[]) => toolNames(names.map((name) => ({ name, about: '', input: {} })));

it('every name goes out as the providers want it and comes back as ours', () => {
  const ours = ['files.read', 'files_read', 'a/b c', 'a'.repeat(90), `${'a'.repeat(90)}b`, 'Finish'];
  const names = named(...ours);
  const sent = names.sent.map((tool) => tool.as);
  expect(sent.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(new Set(sent).size).toBe(ours.length);
  expect(sent.map((name) => names.meant(name))).toEqual(ours);
});

it('a name that came back is ours when it was sent, or when it is ours', () => {
  const names = named('files.read');
  expect([names.meant('files_read'), names.meant('files.read'), names.meant('files')]).toEqual([
    'files.read',
    'files.read',
    null,
  ]);
});
