/** What may run beside: a model and a backend for the replica, each in a container that only the proxy can reach. */
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { BASE, docker, IMAGE, must } from './engine.ts';
import { reaching, Stage, until } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

const KEY = 'key-of-the-replica-in-a-trial';

describe.skipIf(missing !== '')('beside', () => {
  const images = { ollama: `${IMAGE}-ollama`, convex: `${IMAGE}-convex` };
  let stage: Stage;
  beforeAll(async () => {
    for (const name of ['ollama', 'convex'] as const) buildStandIn(name, images[name]);
    stage = new Stage({
      COMPOSE_PROFILES: 'ollama,convex',
      OKA_OLLAMA_IMAGE: images.ollama,
      OKA_CONVEX_IMAGE: images.convex,
      OKA_MODEL: 'ollama:trial',
      OLLAMA_HOST: 'http://ollama:11434',
      CONVEX_URL: 'http://convex:3210',
      OKA_REPLICA_KEY: KEY,
    });
    stage.up();
    await stage.result('welcome');
  });
  afterAll(() => {
    stage[Symbol.dispose]();
    docker(['image', 'rm', '--force', ...Object.values(images)]);
  });

  it('a model on this machine does a task, asked by way of the proxy, and nobody inside reaches it past that', async () => {
    stage.drop('workspace/inbox/patience.md', '# Patience\n\nWrite patience into p.txt.\n');
    await stage.result('patience', /✅ Done/);
    expect(stage.logs('ollama')).toContain('planner asked ollama:11434 for trial');
    expect(stage.logs('egress')).toContain('allowed ollama:11434: ollama is a server that the operator named');
    for (const service of ['worker', 'maintenance'])
      for (const host of ['ollama', addressOf('ollama')])
        expect(stage.within(service, 'node', '-e', reaching(host, 11_434)).out).toBe('');
    expect(stage.within('maintenance', 'node', '-e', reaching('convex', 3210)).out).toBe('');
    expect(stage.within('egress', 'node', '-e', reaching('ollama', 11_434)).out).toBe('REACHED\n');
  });

  it('maintenance copies both ledgers to the backend, by way of the proxy and with its key', async () => {
    await until('a copy', () => (/replica:append/.test(stage.logs('convex')) ? true : null));
    expect(replica('verify').out).toContain('the same');
    expect(stage.logs('convex')).toContain(`convex:3210 replica:append by key ${KEY}`);
    expect(stage.logs('egress')).toContain('allowed convex:3210: convex is a server that the operator named');
    expect(stage.read('.oka/maintenance/replica/state.json')).toContain('"url":"http://convex:3210"');
  });

  it('a rule of the policy holds for them, too', async () => {
    const right = stage.read('.oka/rules/POLICY.md');
    const rule = 'rules:\n  - effect: deny\n    why: no copies today\n    host: convex\n';
    stage.drop('.oka/rules/POLICY.md', right.replace('rules: []\n', rule));
    await until('the policy at the proxy', () => (/policy has changed/.test(stage.logs('egress')) ? true : null));
    expect(replica('verify')).toMatchObject({ code: expect.not.toBeOneOf([0]) as number });
    expect(stage.logs('egress')).toContain('refused convex:3210: no copies today');
  });

  const replica = (...args: string[]) => stage.within('maintenance', 'oka', 'replica', ...args);
  const addressOf = (service: string): string =>
    Object.values(stage.inspect(service).NetworkSettings.Networks)[0]?.IPAddress ?? '';
});

/** Run from its TypeScript; what it takes of src are types alone. */
function buildStandIn(name: string, image: string): void {
  const dir = mkdtempSync(join(tmpdir(), 'oka-stand-in-'));
  const test = join(import.meta.dirname, '..');
  cpSync(join(test, 'docker/stand-in'), join(dir, 'docker/stand-in'), { recursive: true });
  for (const file of readdirSync(join(test, 'support')).filter((each) =>
    /^(story-model|wire-server.*)\.ts$/.test(each),
  ))
    cpSync(join(test, 'support', file), join(dir, 'support', file));
  const lines = [`FROM ${BASE}`, 'COPY . /test', `CMD ["node", "/test/docker/stand-in/${name}.ts"]`];
  writeFileSync(join(dir, 'Dockerfile'), lines.join('\n'));
  must(['build', '--quiet', '--tag', image, dir]);
  rmSync(dir, { recursive: true });
}
