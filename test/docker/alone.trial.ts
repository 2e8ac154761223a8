/** A folder that contains nothing but the compose file of `oka init --docker`. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { writeComposeFile } from '../../src/rooms/records/compose-file.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { OWNER, runbook, Stage } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

describe.skipIf(missing !== '')('a folder with only the compose file', () => {
  it('becomes a home whose files belong to the user, and goes on after it was taken down', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'oka-alone-'));
    writeComposeFile(homeAt(dir));
    rmSync(join(dir, '.env'), { force: true });
    expect(readdirSync(dir)).toEqual(['docker-compose.yml']);
    using stage = new Stage({}, dir);
    stage.up();
    expect(await stage.result('welcome')).toMatchObject({
      text: expect.stringContaining('✅ Done') as string,
      uid: OWNER.uid,
    });
    stage.compose('down', '--timeout', '20');
    stage.up();
    stage.drop('workspace/inbox/again.md', runbook('Again', ['echo again']));
    expect((await stage.result('again')).text).toContain('✅ Done');
  });
});
