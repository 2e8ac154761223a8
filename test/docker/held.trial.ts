/** How tightly the containers are held: as they are made, as the worker sees it, and as a command of the assistant does. */
import { lstatSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { docker, IMAGE, must } from './engine.ts';
import { OWNER, runbook, Stage, until } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

/** Somebody on the outer network: a package registry and a model by what its address says, and it tells who asked. */
const PEER = `require('node:http').createServer((request, response) => {
  console.log(request.method, request.headers.host, request.url);
  response.end('this is the peer');
}).listen(4873)`;

describe.skipIf(missing !== '')('held', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = new Stage({
      npm_config_registry: 'http://registry.trial:4873/',
      OKA_MODEL: 'custom:trial',
      OKA_MODEL_URL: 'http://model.trial:4873/v1',
    });
    stage.up();
    const alias = [
      '--network-alias',
      'registry.trial',
      '--network-alias',
      'model.trial',
      '--network-alias',
      'other.trial',
    ];
    const place = ['--network', `${stage.project}_outside`, ...alias];
    must(['run', '--detach', '--init', '--name', peer(), ...place, '--entrypoint', 'node', IMAGE, '-e', PEER]);
    await stage.result('welcome');
  });
  afterAll(() => {
    docker(['rm', '--force', peer()]);
    stage[Symbol.dispose]();
  });
  const peer = (): string => `${stage.project}-peer`;

  it.each(['worker', 'egress', 'init'])(
    '%s: read-only, no capabilities, no new privileges, bounded, no engine',
    (service) => {
      const { HostConfig, Config, Mounts } = stage.inspect(service);
      expect(HostConfig).toMatchObject({
        ReadonlyRootfs: true,
        Privileged: false,
        CapAdd: null,
        CapDrop: ['ALL'],
        PidMode: '',
      });
      expect(HostConfig.SecurityOpt).toContain('no-new-privileges:true');
      expect(Math.min(HostConfig.PidsLimit, HostConfig.Memory)).toBeGreaterThan(0);
      expect(Config.User).toBe(`${OWNER.uid}:${OWNER.gid}`);
      expect(Mounts.filter(({ Source }) => /docker\.sock|\/var\/run/.test(Source))).toEqual([]);
      const bound = Mounts.filter(
        ({ Type, Destination }) => Type === 'bind' && !Destination.startsWith('/run/secrets/'),
      );
      expect(bound.filter(({ Source }) => !lstatSync(Source).isDirectory())).toEqual([]);
    },
  );

  it('the rules are read-only for the worker and the proxy; the proxy has nothing of .oka besides', () => {
    const rw = (service: string): Record<string, boolean> =>
      Object.fromEntries(stage.inspect(service).Mounts.map(({ Destination, RW }) => [Destination, RW]));
    expect(rw('worker')).toMatchObject({ '/data/.oka': true, '/data/.oka/rules': false, '/keys/egress': false });
    expect(rw('egress')).toEqual({ '/data/.oka/rules': false, '/keys/egress': false });
  });

  it('not even the worker itself can write its program, its rules or the system', () => {
    const places = ['/app/src/x', '/app/bin/oka', '/data/.oka/rules/POLICY.md', '/data/x', '/usr/bin/x', '/etc/passwd'];
    const { out } = stage.inside(
      'bash',
      '-c',
      `for p in ${places.join(' ')}; do (echo x >> $p) 2>/dev/null && echo "$p"; done; true`,
    );
    expect(out).toBe('');
    expect(
      stage.inside('grep', '-E', '^(CapEff|CapBnd|NoNewPrivs)', '/proc/1/status').out.replaceAll(/\s+/g, ' '),
    ).toBe(
      'CapBnd: 0000000000000000 CapEff: 0000000000000000 NoNewPrivs: 1 '.replace(
        /^(CapBnd: \d+) (CapEff: \d+)/,
        '$2 $1',
      ),
    );
  });

  it('a step can write nothing but the desk, and read neither keys, ledger, vault nor the environment of others', async () => {
    const write =
      '/app/x /data/x /data/.oka/x /data/.oka/rules/POLICY.md /data/.oka/rules/config.json /data/.oka/run_ledger.jsonl';
    const forge =
      '/data/.oka/approvals/x.md /data/.oka/intake/x.json /data/workspace/inbox/x.md /data/workspace/outbox/x /tmp/x';
    const read =
      '/keys/egress/key /run/secrets/oka_identity /data/.oka/run_ledger.jsonl /proc/1/environ /proc/1/cmdline';
    stage.drop(
      'workspace/inbox/reach.md',
      runbook('Reach', [
        `for p in ${write} ${forge}; do (echo x >> $p) 2>/dev/null && echo "WROTE $p"; done; true`,
        `for p in ${read}; do (cat $p) >/dev/null 2>&1 && echo "READ $p"; done; true`,
        'for p in /proc/[0-9]*/environ; do [ "$p" = "/proc/$$/environ" ] || grep -qaz OKA_ $p 2>/dev/null && echo "READ $p"; done; true',
        'ls /var/run/docker.sock /run/docker.sock 2>/dev/null && echo "SOCKET"; echo fine',
      ]),
    );
    const { text } = await stage.result('reach', /Done|Not done/);
    expect(text).toContain('✅ Done');
    expect(text.match(/^\s*(WROTE|READ|SOCKET) .*/gm)).toBeNull();
  });

  it('a step without the network has none; with it, it reaches what the proxy lets through and nothing past it', async () => {
    const { IPAddress: address } = Object.values(
      (JSON.parse(must(['inspect', peer()])) as ReturnType<Stage['inspect']>[])[0]?.NetworkSettings.Networks ?? {},
    )[0] ?? { IPAddress: '' };
    const gateway = Object.values(stage.inspect('worker').NetworkSettings.Networks)[0]?.Gateway ?? '';
    const straight = [
      `${address}:4873`,
      '169.254.169.254:80',
      `${gateway || '172.17.0.1'}:22`,
      '1.1.1.1:53',
      'egress:3128',
    ]
      .map((to) => `(exec 3<>/dev/tcp/${to.replace(':', '/')}) 2>/dev/null && echo "REACHED ${to}"`)
      .join('; ');
    stage.drop(
      'workspace/inbox/out.md',
      runbook('Out', [
        `${straight}; curl -sS -m 5 http://registry.trial:4873/ 2>&1 | head -c 300; true`,
        {
          how: 'net:yes',
          bash: `${straight.replaceAll('REACHED egress', 'SAW egress')}; curl -sS -m 9 http://registry.trial:4873/left-pad`,
        },
        {
          how: 'net:yes',
          bash: 'curl -sS -m 9 http://other.trial:4873/; curl -sS -m 9 http://169.254.169.254/; curl -sS -m 9 http://egress:3128/',
        },
      ]),
    );
    const { text } = await stage.result('out', /Done|Not done/);
    expect(text.match(/^\s*REACHED .*/gm)).toBeNull();
    expect(text.match(/this is the peer/g)).toHaveLength(1);
    expect(text).toMatch(/other\.trial is not among the hosts|other\.trial is allowed on ports/);
    expect(text).toMatch(/169\.254\.169\.254 is not among the hosts/);
    expect(stage.logs('egress')).toContain('allowed registry.trial:4873: registry.trial is a package registry');
  });

  it('the worker itself has no other way out than the proxy', () => {
    const look = (host: string, port: number): string =>
      `require('net').connect({host:'${host}',port:${port},timeout:3000}).on('connect',()=>{console.log('REACHED');process.exit()}).on('timeout',()=>process.exit()).on('error',()=>process.exit())`;
    for (const [host, port] of [
      ['registry.trial', 4873],
      ['1.1.1.1', 443],
      ['169.254.169.254', 80],
    ] as const)
      expect(stage.inside('node', '-e', look(host, port)).out).toBe('');
    expect(stage.inside('node', '-e', look('egress', 3128)).out).toBe('REACHED\n');
  });

  it('a model is asked by way of the proxy, which need not be told of it', async () => {
    stage.drop('workspace/inbox/think.md', '# Think\n\nSay what comes to your mind.\n');
    await until('the model to be asked', () =>
      /POST model\.trial:4873 \/v1/.test(docker(['logs', peer()]).all) ? true : null,
    );
    expect(stage.logs('egress')).toContain('allowed model.trial:4873: model.trial serves a model');
    const [run = ''] = /think-[0-9a-f]+/.exec(stage.oka('runs').out) ?? [];
    stage.oka('cancel', run);
  });
});

describe.skipIf(missing !== '')('what takes everything', () => {
  it('a bomb of processes or of memory ends the step, not the worker', async () => {
    using stage = new Stage({ OKA_MEMORY: '512m' });
    stage.up();
    await stage.result('welcome');
    const before = stage.events('worker.started').length;
    stage.drop(
      'workspace/inbox/bomb.md',
      runbook('Bomb', [{ how: 'timeout:15', bash: 'f() { f | f & }; f; sleep 60' }]),
    );
    stage.drop(
      'workspace/inbox/memory.md',
      runbook('Memory', ['python3 -c "x = []\nwhile True: x.append(bytearray(10_000_000))"']),
    );
    await stage.result('bomb', /Not done/);
    await stage.result('memory', /Not done/);
    expect(stage.events('worker.started')).toHaveLength(before);
    expect(stage.inspect('worker').RestartCount).toBe(0);
    stage.drop('workspace/inbox/after.md', runbook('After', ['echo alive']));
    await stage.result('after', /✅ Done/);
  });
});
