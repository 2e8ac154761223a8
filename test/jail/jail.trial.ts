/**
 * The jail with the classifier switched off: every dangerous command runs as if it were harmless, in a throw-away
 * container, with nothing writable but what is planted: as an ordinary user without any privilege, and as root with those
 * that Docker gives.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { launcher } from '../support/launcher.ts';
import type { Kind, Told } from './inside.ts';
import { CANARY } from './planted.ts';

const BASE = 'node:24-bookworm-slim';
/** Most of the time a trial waits. */
const CONTAINERS = 3;
const root = join(import.meta.dirname, '../..');
const engine = docker(['version', '--format', '{{.Server.Version}}']).status === 0;
const hasImage = engine && docker(['image', 'inspect', BASE]).status === 0;
const missing = !engine
  ? 'no Docker engine answers'
  : !hasImage
    ? `no local image ${BASE}`
    : launcher === null
      ? 'no C compiler'
      : '';

const commands = [...linesOf(join(import.meta.dirname, 'dangerous.jsonl')), ...corpus()];
/** What the same road gives without a jail, so that silence means something. */
const controls = [
  'cat "$OKA/credentials.age"',
  'base64 "$OKA/credentials.age"',
  'echo x > "$OKA/new"; chmod 640 "$OKA/rules/POLICY.md"; rm "$OKA/new"',
  'touch -d 2000-01-01 /tmp/precious',
  'exec 3<>/dev/tcp/127.0.0.1/80; echo GET >&3; sleep 0.1',
  'echo x > /dev/udp/127.0.0.1/53; sleep 0.1',
  "node -e \"require('net').connect('/data/worker.sock').end('hello')\"; sleep 0.1",
  "tr '\\0' '\\n' < /proc/1/environ",
];

if (missing !== '') it.skip(`the jail is not tried: ${missing}`, () => undefined);

type Trial = { kind: Kind; cmd: string };
type About = { landlock: number; uid: number };

const users = [
  { who: 'an ordinary user', uid: 1000, limits: '--cap-drop ALL --security-opt no-new-privileges' },
  { who: 'root', uid: 0, limits: '' },
];

describe.skipIf(missing !== '').each(users)('in a container as $who, with the classifier switched off', (user) => {
  const about: About[] = [];
  const told: Told[] = [];

  beforeAll(async () => {
    const kinds: Kind[] = ['read', 'write_local'];
    const trials = kinds.flatMap((kind) => commands.map((cmd) => ({ kind, cmd })));
    const image = imageToUse();
    for (const lines of await Promise.all(
      Array.from({ length: CONTAINERS }, (_, index) =>
        container(image, user, [
          ...(index === 0 ? controls.map((cmd) => ({ kind: 'control' as const, cmd })) : []),
          ...trials.filter((_each, at) => at % CONTAINERS === index),
        ]),
      ),
    )) {
      about.push(lines[0] as About);
      told.push(...(lines.slice(1) as Told[]));
    }
    const landlock = about[0]?.landlock;
    process.stdout.write(
      `${commands.length} commands under ${kinds.length} classes as ${user.who}, Landlock ${landlock}\n`,
    );
  });

  it('every command was tried, as this user', () => {
    expect(about.map(({ uid }) => uid)).toEqual(Array.from({ length: CONTAINERS }, () => user.uid));
    expect(told).toHaveLength(controls.length + 2 * commands.length);
  });

  it('without the jail each road leads out', () => {
    const open = told.filter(({ kind }) => kind === 'control');
    expect(open.filter(({ leaked }) => leaked)).toHaveLength(3);
    expect(open.flatMap(({ heard }) => heard)).toEqual(['tcp 80', 'udp 53', 'unix /data/worker.sock']);
    expect(open.filter((each) => each.outside.length > 0)).toHaveLength(2);
  });

  describe.each(['read', 'write_local'] as const)('as %s', (kind) => {
    const where = (wrong: (each: Told) => boolean): Told[] => told.filter((each) => each.kind === kind && wrong(each));

    it('nothing outside the desk changed: no ledger, policy, approval, task, tool or file of the user', () => {
      expect(where((each) => each.outside.length > 0)).toEqual([]);
    });
    it('nobody was reached over the network or a socket', () => {
      expect(where(({ heard }) => heard.length > 0)).toEqual([]);
    });
    it('neither the vault nor anything else that is planted was read', () => {
      expect(where(({ leaked }) => leaked)).toEqual([]);
    });
    it('a second after a step none of its processes is alive', () => {
      expect(where(({ alive }) => alive.length > 0)).toEqual([]);
    });
  });

  it('a read left even the desk as it was', () => {
    expect(told.filter(({ desk }) => desk.length > 0)).toEqual([]);
  });
});

/** Hosts that commands name lead to the ears inside; nothing leads out. */
async function container(
  image: string,
  { uid, limits }: (typeof users)[number],
  trials: readonly Trial[],
): Promise<unknown[]> {
  const input = `${trials.map((each) => JSON.stringify(each)).join('\n')}\n`;
  const hosts = [
    ...new Set(
      input.match(/\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|example|test|invalid|sh|co|ru|xyz)\b/gi),
    ),
  ];
  const mounts = ['src', 'native', 'package.json', 'test/jail'].flatMap((path) => [
    '-v',
    `${join(root, path)}:/oka/${path}:ro`,
  ]);
  const tmpfs = ['/data', '/home/node', '/tmp', '/var/tmp'].flatMap((path) => [
    '--tmpfs',
    `${path}:exec,uid=${uid},mode=700,size=64m`,
  ]);
  const held = `run --rm -i --init --user ${uid}:${uid} --read-only --network none --pids-limit 400 --memory 1500m
    -e SECRET=${CANARY} ${limits}`;
  const named = hosts.slice(0, 300).flatMap((host) => ['--add-host', `${host}:127.0.0.1`]);
  const script = ['node', '/oka/test/jail/inside.ts'];
  const args = [...held.trim().split(/\s+/), ...named, ...mounts, ...tmpfs, image, ...script];
  const child = spawn('docker', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (child.exitCode !== 0) throw new Error(`the container failed: ${complained}\n${said.slice(-2000)}`);
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

function imageToUse(): string {
  const built = docker(['build', '-q', '-t', 'oka-jail-trial', import.meta.dirname]);
  return built.status === 0 ? 'oka-jail-trial' : BASE;
}

/** The labelled corpus, without what is harmless. */
function corpus(): string[] {
  const folder = join(root, 'test/fixture/commands');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => linesOf(join(folder, name), (line) => line.class !== 'read' && line.class !== 'write_local'));
}

function linesOf(file: string, wanted: (line: { cmd: string; class?: string }) => boolean = () => true): string[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .map((line) => JSON.parse(line) as { cmd: string; class?: string })
    .filter(wanted)
    .map(({ cmd }) => cmd);
}

function docker(args: readonly string[]) {
  return spawnSync('docker', args, { encoding: 'utf8' });
}
