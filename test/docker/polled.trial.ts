/** Folders of the host that send no notice of changes, as with Docker Desktop: they are looked at. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { give, runbook, Stage, until } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

/** Watching succeeds, and nothing is ever heard of it. */
const DEAF = {
  defaultAction: 'SCMP_ACT_ALLOW',
  syscalls: [{ names: ['inotify_add_watch', 'inotify_rm_watch'], action: 'SCMP_ACT_ERRNO', errnoRet: 0 }],
};
/** Tells whether a change in the inbox is noticed. */
const WATCHING = `const fs = require('fs'), dir = '/data/workspace/inbox';
fs.watch(dir, () => { console.log('NOTICED'); process.exit(); });
setTimeout(() => fs.rmSync(fs.mkdtempSync(dir + '/.try-'), { recursive: true }), 200);
setTimeout(() => process.exit(), 1500);`;

describe.skipIf(missing !== '')('with OKA_POLL=1, where nothing tells of changes', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = new Stage({ OKA_POLL: '1' });
    const override = 'services: { worker: { security_opt: ["seccomp=deaf.json"] } }\n';
    writeFileSync(join(stage.dir, 'deaf.json'), JSON.stringify(DEAF));
    writeFileSync(join(stage.dir, 'docker-compose.override.yml'), override);
    give(stage.dir);
    stage.up();
    await stage.result('welcome');
  });
  afterAll(() => stage[Symbol.dispose]());

  it('nothing is heard in there, and the setting is', () => {
    expect(stage.inside('node', '-e', WATCHING).out).toBe('');
    expect(stage.within('maintenance', 'printenv', 'OKA_POLL').out).toBe('');
    expect(stage.inside('printenv', 'OKA_POLL').out).toBe('1\n');
  });

  it('POLICY.md and config.json saved by rename are seen', async () => {
    const [policies, workers] = ['policy.loaded', 'worker.started'].map((type) => stage.events(type).length);
    stage.drop('.oka/rules/POLICY.md', `${stage.read('.oka/rules/POLICY.md')}\nSeen without notice.\n`);
    await until('the policy', () => (stage.events('policy.loaded').length > (policies ?? 0) ? true : null));
    stage.drop('.oka/rules/config.json', '{ "inbox": { "rescan_ms": 600000 } }');
    await until('the next worker', () => (stage.events('worker.started').length > (workers ?? 0) ? true : null));
  });

  it('a task is found although the inbox is otherwise looked through every ten minutes, and so is the next', async () => {
    for (const name of ['first', 'second']) {
      const begun = performance.now();
      stage.drop(`workspace/inbox/${name}.md`, runbook(name, [`echo ${name} > ${name}.txt`]));
      await stage.result(name, /✅ Done/);
      process.stdout.write(`polled: ${name} was done after ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
      expect(stage.read(`workspace/desk/${name}.txt`)).toBe(`${name}\n`);
    }
  });
});
