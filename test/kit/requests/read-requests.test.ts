import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { removeRequest, readRequests } from '../../../src/kit/requests/read-requests.ts';
import { temporaryFolder } from '../../support/cli.ts';

describe('requests from other processes', () => {
  it('are found as they were submitted, and gone once finished', () => {
    using folder = temporaryFolder();
    const id = submit(folder.dir, { kind: 'cancel', run: 'r1' });
    const [taken] = readRequests(folder.dir);
    expect(taken).toEqual({ name: `${id}.json`, id, intake: { kind: 'cancel', run: 'r1' } });
    if (taken !== undefined) removeRequest(folder.dir, taken);
    expect(readdirSync(folder.dir)).toEqual([]);
  });

  it('refuse to be written when they are not requests', () => {
    using folder = temporaryFolder();
    expect(() => submit(folder.dir, { kind: 'cancel', run: '../x' })).toThrow();
    expect(readdirSync(folder.dir)).toEqual([]);
  });

  it('that cannot be read come with the reason, and none is ever opened unsafely', () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.dir, 'broken.json'), '{');
    writeFileSync(join(folder.dir, 'unknown.json'), '{"kind":"explode"}');
    writeFileSync(join(folder.dir, 'large.json'), ' '.repeat(1024 * 1024 + 1));
    symlinkSync('/etc/passwd', join(folder.dir, 'link.json'));
    mkdirSync(join(folder.dir, 'folder.json'));
    execFileSync('mkfifo', [join(folder.dir, 'pipe.json')]);
    writeFileSync(join(folder.dir, 'half.json.123.tmp'), '{"kind":"cancel","run":"r1"}');
    const taken = readRequests(folder.dir, Date.now() + 6000);
    expect(taken.map(({ name }) => name)).toEqual([
      'broken.json',
      'folder.json',
      'large.json',
      'link.json',
      'pipe.json',
      'unknown.json',
    ]);
    for (const each of taken) expect(each).toHaveProperty('reason', expect.any(String));
    for (const each of taken) removeRequest(folder.dir, each);
    expect(readdirSync(folder.dir)).toEqual(['half.json.123.tmp']);
  });

  it('that another program writes in place are read when they are complete, not before', () => {
    using folder = temporaryFolder();
    const file = join(folder.dir, 'mine.json');
    for (const half of ['', '{"kind":"can', '{"kind":"cancel","run":']) {
      writeFileSync(file, half);
      expect(readRequests(folder.dir)).toEqual([]);
    }
    writeFileSync(file, '{"kind":"cancel","run":"r1"}');
    expect(readRequests(folder.dir)).toMatchObject([{ id: 'mine', intake: { kind: 'cancel', run: 'r1' } }]);
    writeFileSync(file, '{"kind":');
    expect(readRequests(folder.dir, Date.now() + 6000)).toMatchObject([
      { id: 'mine', reason: expect.any(String) as string },
    ]);
  });

  it('are none when there is no folder', () => {
    using folder = temporaryFolder();
    expect(readRequests(join(folder.dir, 'nowhere'))).toEqual([]);
  });
});
