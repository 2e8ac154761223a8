/** What the assistant installs stays; what only a person can install is asked for, and a rebuild answers. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { docker, IMAGE, must } from './engine.ts';
import { runbook, Stage, until } from './stage.ts';

const missing = inject('missing') || withoutRegistry();
if (missing !== '') it.skip(`installing is not tried: ${missing}`, () => undefined);

describe.skipIf(missing !== '')('what a task needs', () => {
  const image = `${IMAGE}-needs`;
  let stage: Stage;
  let before: { image: string; installs: number };
  beforeAll(async () => {
    stage = new Stage();
    stage.up();
    await stage.result('welcome');
  });
  afterAll(() => {
    stage[Symbol.dispose]();
    docker(['image', 'rm', '--force', image]);
  });

  it('is installed by way of the proxy, and is there after the containers were made anew', async () => {
    stage.drop('workspace/inbox/cow.md', runbook('Cow', ['cowsay hello']));
    expect((await stage.result('cow', /Done|Not done/)).text).toContain('< hello >');
    const installs = installsOf(stage);
    expect(installs).toBeGreaterThan(0);
    stage.up('--force-recreate');
    stage.drop('workspace/inbox/herd.md', runbook('Herd', ['cowsay again']));
    expect((await stage.result('herd', /Done|Not done/)).text).toContain('< again >');
    expect(installsOf(stage)).toBe(installs);
  });

  it('of the system is asked for; a rebuild with it and `status: resolved`, saved by rename, let the task finish', async () => {
    before = { image: stage.inspect('worker').Image, installs: installsOf(stage) };
    stage.drop('workspace/inbox/tree.md', runbook('Tree', ['tree --version']));
    const page = 'workspace/INSTALL_REQUIREMENTS.md';
    await until('the request', () => (/^## tree$/m.test(stage.read(page)) ? true : null));
    stage.env['OKA_IMAGE'] = image;
    stage.env['OKA_EXTRA_APT'] = 'tree';
    expect(stage.compose('build').code).toBe(0);
    stage.up();
    await stage.healthy();
    stage.drop(page, stage.read(page).replace('- status: open', '- status: resolved'));
    expect((await stage.result('tree', /✅ Done/)).text).toMatch(/tree v\d/);
  });

  it('and was installed by a task works in the image that was built anew, without being installed again', async () => {
    expect(stage.inspect('worker').Image).not.toBe(before.image);
    stage.drop('workspace/inbox/flock.md', runbook('Flock', ['cowsay rebuilt']));
    expect((await stage.result('flock', /Done|Not done/)).text).toContain('< rebuilt >');
    expect(installsOf(stage)).toBe(before.installs);
    expect(before.installs).toBeGreaterThan(0);
  });

  it('can also be brought by what `oka requirements --dockerfile` prints, built over the image that runs', async () => {
    stage.drop('workspace/inbox/units.md', runbook('Units', ['echo "6 * 7" | bc']));
    const page = 'workspace/INSTALL_REQUIREMENTS.md';
    await until('the request', () => (/^## bc$/m.test(stage.read(page)) ? true : null));
    const { out: dockerfile } = stage.oka('requirements', '--dockerfile');
    expect(dockerfile).toMatch(/^ARG OKA_IMAGE=oka:local\nFROM \$\{OKA_IMAGE\}\n/);
    must(['build', '--tag', image, '-'], { input: dockerfile.replace('oka:local', image) });
    stage.up();
    await stage.healthy();
    expect(stage.oka('requirements', 'resolve', 'bc').code).toBe(0);
    expect((await stage.result('units', /✅ Done/)).text).toMatch(/^\s*42$/m);
  });
});

function installsOf(stage: Stage): number {
  return stage.events('call.started').filter(({ run }) => run?.startsWith('install-')).length;
}

function withoutRegistry(): string {
  const asked = docker([
    'run',
    '--rm',
    '--env',
    'HOME=/tmp',
    '--entrypoint',
    'npm',
    IMAGE,
    'view',
    'cowsay',
    'version',
  ]);
  return asked.code === 0 ? '' : 'no package registry answers in a container';
}
