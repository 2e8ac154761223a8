/**
 * One story from the tarball on an empty machine to another machine, another version and back (life/life.sh): on this
 * machine, in a bare container, and in one whose first process is systemd.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE, docker, must, whatIsMissing } from '../docker/engine.ts';
import { temporaryFolder } from '../support/cli.ts';
import { testFolder } from '../support/test-folders.ts';

const TOP = join(import.meta.dirname, '../..');
const NEXT = '9.0.0';
/** What the machine has: Node 24 comes with it, so that nothing is fetched. */
const LEAN = { npm_config_omit: 'optional', npm_config_offline: 'true' };
const SYSTEMD = 'oka-trial-systemd';
const LIMIT = 900_000;

describe('the life of an installation', () => {
  const folder = temporaryFolder(testFolder); // whole installations
  const place = join(folder.dir, 'given');
  let tarball = '';
  beforeAll(() => {
    mkdirSync(place);
    run('npm', ['run', '-s', 'pack', '--', place]);
    tarball = globSync('oka-*.tgz', { cwd: place })[0] ?? '';
    makeNext();
    cpSync(join(import.meta.dirname, 'life/life.sh'), join(place, 'life.sh'));
    cpSync(join(TOP, 'test/fixture/golden/homes'), join(place, 'homes'), { recursive: true });
    for (const dir of [folder.dir, place]) chmodSync(dir, 0o755);
  }, LIMIT);
  afterAll(() => {
    docker(['image', 'rm', '--force', SYSTEMD]);
    folder[Symbol.dispose]();
  });

  function run(program: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    const options = { cwd: TOP, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(program, words, options);
    expect(status, `${stdout}${stderr}`).toBe(0);
    return stdout;
  }

  /** The same program with a higher number, as a release after this one. */
  function makeNext(): void {
    const stage = join(folder.dir, 'stage');
    mkdirSync(stage);
    run('tar', ['-C', stage, '-xzf', join(place, tarball)]);
    const about = join(stage, 'package/package.json');
    writeFileSync(about, JSON.stringify({ ...(JSON.parse(readFileSync(about, 'utf8')) as object), version: NEXT }));
    run('tar', ['-C', stage, '-czf', join(place, `next-${NEXT}.tgz`), 'package']);
  }

  const words = (at: string, work: string): string[] =>
    ['sh', `${at}/life.sh`, work].concat(`${at}/${tarball}`, `${at}/next-${NEXT}.tgz`, `${at}/homes`);

  function expectAll(printed: string): void {
    process.stdout.write(printed);
    for (const step of ['installed oka', 'first result', 'backup', 'restored on another machine', '2e8a8acc works on'])
      expect(printed).toContain(step);
    expect(printed).toMatch(new RegExp(`updated to ${NEXT}[^]*back to \\d`));
  }

  it(
    'on this machine',
    () => {
      const work = join(folder.dir, 'work');
      mkdirSync(work);
      const [program = '', ...rest] = words(place, work);
      expectAll(run(program, rest, LEAN));
    },
    LIMIT,
  );

  const missing = whatIsMissing();
  const mount = (): string[] => [
    '--volume',
    `${place}:/given:ro`,
    ...Object.entries(LEAN).flatMap(([name, is]) => ['--env', `${name}=${is}`]),
  ];

  it.skipIf(missing !== '')(
    'in a bare container, as an ordinary user',
    () => {
      const tmp = ['--tmpfs', '/work:exec,mode=1777', '--user', '1000:1000', '--entrypoint', ''];
      expectAll(must(['run', '--rm', '--network', 'none', ...mount(), ...tmp, BASE, ...words('/given', '/work')]));
    },
    LIMIT,
  );

  it.skipIf(missing !== '')(
    'where systemd is the first process, which runs it as a service',
    () => {
      const packages = 'systemd systemd-sysv dbus dbus-user-session libpam-systemd';
      const lingering = 'mkdir -p /var/lib/systemd/linger && touch /var/lib/systemd/linger/node';
      const install = `apt-get update && apt-get install -y --no-install-recommends ${packages} && ${lingering}`;
      const dockerfile = `FROM ${BASE}\nRUN ${install}\n`;
      must(['build', '--quiet', '--tag', SYSTEMD, '-'], { input: dockerfile });
      const how = 'run --detach --rm --privileged --cgroupns private --tmpfs /run --tmpfs /tmp:exec'.split(' ');
      const started = must([...how, ...mount(), '--entrypoint', '/sbin/init', SYSTEMD]).trim();
      try {
        const inside = (...more: string[]): ReturnType<typeof docker> =>
          docker(['exec', '--user', '1000:1000', '--env', 'XDG_RUNTIME_DIR=/run/user/1000', started, ...more]);
        const isUp = (): boolean => inside('systemctl', '--user', 'show-environment').code === 0;
        for (let looked = 0; looked < 60 && !isUp(); looked += 1) spawnSync('sleep', ['0.5']);
        expect(inside('systemctl', '--user', 'show-environment')).toMatchObject({ code: 0 });
        const { code, all } = inside(...words('/given', '/tmp'));
        expect(code, all).toBe(0);
        expectAll(all);
        expect(all).toContain('as a service of systemd: a task, removed');
      } finally {
        docker(['rm', '--force', started]);
      }
    },
    LIMIT,
  );
});
