/** The compose file that needs no clone: like the one of a clone, but for what only a clone has. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { oka, temporaryFolder } from '../../support/cli.ts';

const TOP = join(import.meta.dirname, '../../..');
type Service = Record<string, unknown> & { volumes?: unknown; depends_on?: Record<string, unknown> };
type Compose = { services: Record<string, Service>; networks: unknown; volumes: unknown; secrets?: unknown };
const read = (path: string): Compose => parse(readFileSync(join(TOP, path), 'utf8'), { merge: true }) as Compose;

it('has the services of a clone with the same limits and mounts; only the image, folders and secrets differ', () => {
  const [clone, alone] = [read('docker-compose.yml'), read('share/docker-compose.yml')];
  const { folders, ...services } = alone.services;
  expect([alone.networks, alone.volumes, alone.secrets]).toEqual([clone.networks, clone.volumes, undefined]);
  expect(Object.keys(services)).toEqual(Object.keys(clone.services));
  for (const [name, service] of Object.entries(clone.services)) {
    const { build: _build, pull_policy: _pull, secrets: _secrets, ...same } = service;
    if (name === 'init') same.depends_on = { folders: { condition: 'service_completed_successfully' } };
    const text = JSON.stringify(same).replaceAll('"create_host_path":false', '"create_host_path":true');
    expect({ name, ...services[name] }).toEqual({ name, ...(JSON.parse(text) as Service) });
  }
  expect(folders).toMatchObject({ cap_drop: ['ALL'], cap_add: ['CHOWN'], network_mode: 'none', read_only: true });
  expect(JSON.stringify(services)).not.toMatch(/"source":"(?!\.\/(?:\.oka|workspace))/);
});

it('oka init --docker writes it with the image, sets nothing else up, and replaces nothing', async () => {
  using folder = temporaryFolder();
  const dir = join(folder.dir, 'home');
  const { out } = await oka('init', '--docker', '--image', 'registry.example.org/oka:2', '--dir', dir);
  expect(out).toContain('docker compose up --detach');
  const file = join(dir, 'docker-compose.yml');
  expect(readFileSync(file, 'utf8')).toContain('image: ${OKA_IMAGE:-registry.example.org/oka:2}');
  expect(readdirSync(dir).filter((name) => name !== '.env')).toEqual(['docker-compose.yml']);
  writeFileSync(file, 'mine');
  expect((await oka('init', '--docker', '--dir', dir)).out).toContain('nothing was changed');
  expect([readFileSync(file, 'utf8'), existsSync(join(dir, '.oka'))]).toEqual(['mine', false]);
  expect((await oka('init', '--docker', '--image', 'a b', '--dir', dir)).code).toBe(2);
});
