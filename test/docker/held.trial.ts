/** How tightly the containers are held: as they are made, as the worker sees it, and as a command of the assistant does. */
import { lstatSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { docker, IMAGE, must } from './engine.ts';
import { OWNER, reaching, runbook, Stage, until, writing } from './stage.ts';

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

  it.each(['worker', 'maintenance', 'egress', 'init'])(
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
    const folders = ['maintenance', 'brain', 'memory', 'intake'].map((name) => [`/data/.oka/${name}`, true]);
    expect(rw('maintenance')).toMatchObject({
      '/data/.oka': false,
      '/data/workspace': false,
      '/keys/vault': false,
      '/keys/egress': false,
      ...Object.fromEntries(folders),
    });
  });

  it('maintenance can write its own folders, and neither ledger, rules, approvals, tools, vault nor workspace', () => {
    const files = ['run_ledger.jsonl', 'active_task_graph.json', 'locks/run_ledger.lock', 'state/x', 'STOP'];
    const others = ['rules/POLICY.md', 'rules/config.json', 'approvals/x.md', 'tools/x', 'artifacts/x', 'index/x'];
    const places = [...files, ...others, 'credentials.age', '../workspace/inbox/x.md', '../workspace/desk/x'];
    const denied = [...places.map((place) => `/data/.oka/${place}`), '/app/src/x', '/keys/vault/x', '/keys/egress/key'];
    const own = ['maintenance', 'brain', 'memory', 'intake'].map((name) => `/data/.oka/${name}/probe`);
    const { out } = stage.within(
      'maintenance',
      'bash',
      '-c',
      `id -u; ${writing(...denied, ...own)}; rm ${own.join(' ')}`,
    );
    expect(out.trim().split('\n')).toEqual([String(OWNER.uid), ...own.map((place) => `WROTE ${place}`)]);
    const moved =
      'mv /data/.oka/run_ledger.jsonl /data/.oka/run_ledger.old || ln /data/.oka/run_ledger.jsonl /data/.oka/brain/x';
    expect(stage.within('maintenance', 'bash', '-c', moved).code).not.toBe(0);
    for (const [host, port] of [
      ['1.1.1.1', 443],
      ['registry.trial', 4873],
    ] as const)
      expect(stage.within('maintenance', 'node', '-e', reaching(host, port)).out).toBe('');
  });

  it('not even the worker itself can write its program, its rules or the system', () => {
    const places = ['/app/src/x', '/app/bin/oka', '/data/.oka/rules/POLICY.md', '/data/x', '/usr/bin/x', '/etc/passwd'];
    expect(stage.inside('bash', '-c', writing(...places)).out).toBe('');
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
        writing(write, forge),
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
          how: 'net:yes net_refused:ok',
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
    for (const [host, port] of [
      ['registry.trial', 4873],
      ['1.1.1.1', 443],
      ['169.254.169.254', 80],
    ] as const)
      expect(stage.inside('node', '-e', reaching(host, port)).out).toBe('');
    expect(stage.inside('node', '-e', reaching('egress', 3128)).out).toBe('REACHED\n');
  });

  it('a model is asked by way of the proxy, which need not be told of it', async () => {
    stage.drop('workspace/inbox/think.md', '# Think\n\nSay what comes to your mind.\n');
    await until('the model to be asked', () =>
      /POST model\.trial:4873 \/v1/.test(docker(['logs', peer()]).all) ? true : null,
    );
    expect(stage.logs('egress')).toContain('allowed model.trial:4873: model.trial is a server that the operator named');
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
    // Each of these is smaller than the worker: it is not the largest that has to die.
    const eater = "python3 -c 'import time; x = bytearray(20_000_000); time.sleep(60)'";
    stage.drop(
      'workspace/inbox/herd.md',
      runbook('Herd', [
        { how: 'timeout:40', bash: `for i in $(seq 60); do ${eater} & done; wait -n; kill $(jobs -p); exit 3` },
      ]),
    );
    for (const name of ['bomb', 'memory', 'herd']) await stage.result(name, /Not done/);
    expect(endedForMemory(stage)).toBeGreaterThan(1);
    expect(stage.events('worker.started')).toHaveLength(before);
    expect(stage.inspect('worker').RestartCount).toBe(0);
    stage.drop('workspace/inbox/after.md', runbook('After', ['echo alive']));
    await stage.result('after', /✅ Done/);
  });
});

/** How many processes the kernel has ended for want of memory, by either version of its control groups. */
function endedForMemory(stage: Stage): number {
  const files = '/sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control';
  const { out } = stage.inside('bash', '-c', `cat ${files} 2>/dev/null`);
  return Number(/^oom_kill (\d+)$/m.exec(out)?.[1] ?? 0);
}
