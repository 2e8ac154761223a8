/** A folder of the host as a mount: missing, added by the line that the message gives, written and undone. */
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { OWNER, Stage } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

describe.skipIf(missing !== '')('a folder outside the desk, in Docker', () => {
  let stage: Stage;
  let mine: string;
  beforeAll(async () => {
    mine = realpathSync(mkdtempSync(join(tmpdir(), 'oka-mine-')));
    if (process.getuid?.() === 0) chownSync(mine, OWNER.uid, OWNER.gid);
    stage = new Stage();
    stage.up();
    await stage.result('welcome');
    const policy = stage.read('.oka/rules/POLICY.md');
    const entry = `folders:\n  - { path: ${mine}, access: write, tasks: all }\nrules: []`;
    stage.drop('.oka/rules/POLICY.md', policy.replace('rules: []', entry));
  });
  afterAll(() => {
    stage[Symbol.dispose]();
    rmSync(mine, { recursive: true, force: true });
  });
  const task = (id: string): string =>
    `---\nid: ${id}\nwrites: [${mine}]\n---\n\`\`\`bash\necho from the container > ${mine}/note.txt\n\`\`\`\n`;

  it('is missing at first: the result and the doctor say which line mounts it', async () => {
    stage.drop('workspace/inbox/first.md', task('first'));
    expect((await stage.result('first')).text).toContain(`- ${mine}:${mine}`);
    expect(stage.oka('doctor').out).toContain(`${mine} is not there`);
  });

  it('is written once that line is in the compose file, and undo restores it', async () => {
    const file = join(stage.dir, 'docker-compose.yml');
    const before = readFileSync(file, 'utf8');
    const line = `      - ${mine}:${mine}\n`;
    writeFileSync(file, before.replace('      - vault-key:/keys/vault\n', `      - vault-key:/keys/vault\n${line}`));
    stage.up();
    await stage.healthy();
    stage.drop('workspace/inbox/second.md', task('second'));
    expect((await stage.result('second')).text).toContain('✅ Done');
    expect(readFileSync(join(mine, 'note.txt'), 'utf8')).toBe('from the container\n');
    expect(stage.oka('undo', 'second').out).toContain(join(mine, 'note.txt'));
    expect(() => readFileSync(join(mine, 'note.txt'))).toThrow('ENOENT');
  });
});
