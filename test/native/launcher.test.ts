import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { canJail, landlock, launcher, whyNot } from '../support/launcher.ts';

const folder = mkdtempSync(join(tmpdir(), 'oka-native-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const result = join(folder, 'result');
const run = (...args: string[]) => {
  writeFileSync(`${result}.tmp`, '', { mode: 0o600 });
  return spawnSync(launcher ?? '', args, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
};

describe.skipIf(launcher === null)(`the launcher is told what it cannot do${whyNot}`, () => {
  it.each<[string, string[]]>([
    ['nothing at all', []],
    ['no command', ['--result', result, '--open']],
    ['no result', ['--open', '--', 'true']],
    ['an unknown option', ['--result', result, '--root', '/', '--', 'true']],
    ['a path that is not absolute', ['--result', result, '--read', 'etc', '--', 'true']],
    ['a port that is none', ['--result', result, '--port', '70000', '--', 'true']],
    ['a number that is none', ['--result', result, '--open', '--timeout-ms', '1s', '--', 'true']],
    ['a negative number', ['--result', result, '--open', '--processes', '-1', '--', 'true']],
    [
      'too many paths',
      ['--result', result, ...Array.from({ length: 300 }, () => ['--read', '/usr']).flat(), '--', 'true'],
    ],
  ])('%s', (_, args) => {
    const done = run(...args);
    expect(done.status).toBe(64);
    expect(done.stderr).toMatch(/^\S*oka-launch: /);
    expect(existsSync(result)).toBe(false);
  });

  it('a folder for the result that is not there', () => {
    const done = run('--result', '/no/such/folder/result', '--open', '--', 'true');
    expect(done).toMatchObject({
      status: 70,
      stderr: 'oka-launch: /no/such/folder/result.tmp: No such file or directory\n',
    });
  });

  it('a writable folder that is not there, so that the command does not start', () => {
    if (!canJail) return;
    expect(run('--result', result, '--write', '/no/such/folder', '--run', '/usr', '--', 'true').status).toBe(0);
    expect(JSON.parse(readFileSync(result, 'utf8'))).toMatchObject({ ended: 'unstarted', problem: 2 });
  });
});

describe.skipIf(launcher === null)(`the result${whyNot}`, () => {
  it('is readable by nobody else, and options of the command are its own', () => {
    expect(run('--result', result, '--open', '--', 'echo', '--result', 'x').status).toBe(0);
    const [header, ...body] = readFileSync(result, 'utf8').split('\n');
    expect(JSON.parse(header ?? '')).toMatchObject({ v: 1, ended: 'itself', exit: 0, stdout: [11, 0, 0] });
    expect(body.join('\n')).toBe('--result x\n');
    expect(statSync(result).mode & 0o777).toBe(0o600);
  });
});

describe.skipIf(launcher === null)(`where memory runs out${whyNot}`, () => {
  const score = '/proc/self/oom_score_adj';
  const said = (...rights: string[]): string => {
    const script = `cat ${score}; (echo 0 > ${score}) 2>/dev/null; cat ${score}`;
    expect(run('--result', result, ...rights, '--', 'sh', '-c', script).status).toBe(0);
    return readFileSync(result, 'utf8').split('\n').slice(1).join(' ');
  };

  it('it is the command that is ended before all others', () => {
    expect(said('--open')).toMatch(/^1000 /);
  });

  it.skipIf(!canJail)('and in the jail it cannot change that', () => {
    const programs = ['/usr', '/bin', '/lib'].flatMap((path) => ['--run', path]);
    expect(said(...programs, '--read', '/proc', '--device', '/dev/null')).toBe('1000 1000 ');
  });
});

describe.skipIf(!canJail || landlock < 4)(`a connection is made for the command${whyNot}`, () => {
  const programs = ['/usr', '/bin', '/lib', '/lib64', dirname(dirname(process.execPath))].flatMap((path) => [
    '--run',
    path,
  ]);
  const around = [...programs, '--read', '/etc', '--read', '/proc', '--device', '/dev/null'];

  /** What a command printed that may connect to `peer`, with servers on two loopback addresses under one port. */
  async function connectFrom(command: (port: number) => string[], peer: (port: number) => string): Promise<string> {
    const reached: string[] = [];
    const listen = (host: string, at: number): Promise<Server> => {
      const server = createServer((socket) => {
        reached.push(host);
        socket.end(`from ${host}\n`);
      });
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(at, host, () => resolve(server));
      });
    };
    const near = await listen('127.0.0.1', 0);
    const { port } = near.address() as { port: number };
    const far = await listen('127.0.0.2', port);
    try {
      writeFileSync(`${result}.tmp`, '', { mode: 0o600 });
      const args = ['--result', result, '--connect', peer(port), ...around, '--', ...command(port)];
      await promisify(execFile)(launcher ?? '', args, { env: { PATH: '/usr/bin:/bin' } });
      const printed = readFileSync(result, 'utf8').split('\n').slice(1).join('\n').trim();
      return `${printed} | ${reached.join(' ')}`.trim();
    } finally {
      near.close();
      far.close();
    }
  }
  const node = (script: string): string[] => [process.execPath, '-e', script];
  const nodeTo =
    (host: string, more = 0) =>
    (port: number) =>
      node(
        `const s = require('net').connect(${port + more}, '${host}'); s.on('error', (e) => console.log(e.code)); s.pipe(process.stdout)`,
      );
  const bashTo = (host: string) => (port: number) => ['bash', '-c', `cat < /dev/tcp/${host}/${port}`];
  const perlTo = (host: string) => (port: number) => [
    'perl',
    '-e',
    `use IO::Socket::INET; my $s = IO::Socket::INET->new(PeerAddr => "${host}:${port}") or print $!; print <$s> if $s`,
  ];
  const here = (port: number): string => `127.0.0.1:${port}`;

  it.each([
    ['bash', bashTo('127.0.0.1')],
    ['node, which does not wait for it', nodeTo('127.0.0.1')],
    ['node, by the mapped address', nodeTo('::ffff:127.0.0.1')],
    ['perl', perlTo('127.0.0.1')],
  ])('to the address that was given: %s', async (_, command) => {
    expect(await connectFrom(command, here)).toBe('from 127.0.0.1 | 127.0.0.1');
  });

  it('to the same port elsewhere it is refused, and nobody there hears of it', async () => {
    expect(await connectFrom(nodeTo('127.0.0.2'), here)).toBe('EACCES |');
    expect(await connectFrom(perlTo('127.0.0.2'), here)).toBe('Permission denied |');
    expect(await connectFrom(nodeTo('::1'), here)).toBe('EACCES |');
    expect(await connectFrom(nodeTo('127.0.0.1'), (port) => `127.0.0.2:${port}`)).toBe('EACCES |');
    expect(await connectFrom(nodeTo('127.0.0.1', 1), here)).toBe('EACCES |');
  });

  it('an address that is none is refused at the start', () => {
    for (const peer of ['127.0.0.1', '127.0.0.1:0', 'localhost:80', '127.0.0.1:80x', '[::1:80', '300.0.0.1:80'])
      expect(run('--result', result, '--connect', peer, '--', 'true').status).toBe(64);
  });
});

describe.skipIf(!canJail)(`signals reach nobody else, whatever Landlock knows of them${whyNot}`, () => {
  const around = ['/usr', '/bin', '/lib', '/lib64', dirname(dirname(process.execPath))].flatMap((path) => [
    '--run',
    path,
  ]);
  const inSandbox = async (version: number, script: string): Promise<string> => {
    const bystander = spawn('sleep', ['30'], { stdio: 'ignore', detached: true });
    try {
      writeFileSync(`${result}.tmp`, '', { mode: 0o600 });
      const limit = [
        '--landlock-at-most',
        String(version),
        '--read',
        '/proc',
        '--read',
        '/etc',
        '--device',
        '/dev/null',
      ];
      const command = ['bash', '-c', script, 'bash', String(bystander.pid)];
      await promisify(execFile)(launcher ?? '', ['--result', result, ...limit, ...around, '--', ...command], {
        env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
      });
      const printed = readFileSync(result, 'utf8').split('\n').slice(1).join(' ').trim();
      return `${printed}${bystander.exitCode === null && bystander.signalCode === null ? '' : ', and the bystander is gone'}`;
    } finally {
      bystander.kill('SIGKILL');
    }
  };
  const outcome = (line: string): string => `${line} 2>/dev/null && echo sent || echo refused`;

  it.each([1, 3, 5, 6].filter((version) => version <= landlock))('with version %i', async (version) => {
    expect(await inSandbox(version, outcome('kill -9 $1'))).toBe('refused');
    expect(await inSandbox(version, outcome('kill -9 -- -$1'))).toBe('refused');
    expect(await inSandbox(version, outcome('kill -0 $PPID'))).toBe('refused');
    expect(await inSandbox(version, outcome(`perl -e 'exit(kill(9, $ARGV[0]) ? 0 : 1)' $1`))).toBe('refused');
    expect(await inSandbox(version, 'sleep 20 & kill $!; wait $!; echo $?')).toBe('143');
    expect(await inSandbox(version, 'setsid sleep 20 & sleep 0.2; kill -- -$!; wait $!; echo $?')).toBe('143');
    expect(await inSandbox(version, 'trap "echo caught" USR1; kill -USR1 $$; kill -USR1 0; echo on')).toBe(
      'caught caught on',
    );
    expect(await inSandbox(version, '(setsid sleep 20 & echo $! > /dev/null; kill $!) ; echo over')).toBe('over');
    expect(await inSandbox(version, `exec 2>/dev/null; perl -e 'use POSIX; POSIX::raise(10)'; echo $?`)).toBe('138');
    expect(
      await inSandbox(
        version,
        `exec 2>/dev/null; node -e 'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 5000)'; echo $?`,
      ),
    ).toBe('143');
  });

  it.each([1, 5].filter((version) => version <= landlock))(
    'everybody at once is refused with version %i',
    async (version) => {
      expect(await inSandbox(version, outcome('kill -0 -1'))).toBe('refused');
    },
  );
});

describe.skipIf(launcher === null)(`a command that takes too much is ended${whyNot}`, () => {
  const MB = 1024 * 1024;
  const endOf = (limits: string[], ...command: string[]): object => {
    expect(run('--result', result, '--open', ...limits, '--', ...command).status).toBe(0);
    const { ended, exit, signal } = JSON.parse(readFileSync(result, 'utf8').split('\n', 1)[0] ?? '') as Record<
      string,
      unknown
    >;
    return { ended, exit, signal };
  };
  const memory = ['--memory-bytes', String(200 * MB)];
  const hold = (bytes: number, more = ''): string =>
    `const all = []; const fill = () => { for (let n = 0; n < ${bytes / MB}; n += 1) all.push(Buffer.alloc(${MB}, 1)); ${more} }; fill()`;

  it('memory of one process', () => {
    expect(endOf(memory, process.execPath, '-e', hold(300 * MB, 'setTimeout(() => {}, 20000)'))).toMatchObject({
      ended: 'out-of-memory',
      signal: 9,
    });
  });

  it('memory of many processes, each of them modest', () => {
    const each = `${process.execPath} -e '${hold(60 * MB, 'setTimeout(() => {}, 20000)')}'`;
    expect(endOf(memory, 'bash', '-c', `for n in 1 2 3 4 5; do ${each} & done; wait`)).toMatchObject({
      ended: 'out-of-memory',
    });
  });

  it('memory of processes that a thread has started', () => {
    const child = `${process.execPath} -e '${hold(300 * MB, 'setTimeout(() => {}, 20000)')}'`;
    const script = `import subprocess, threading, time
t = threading.Thread(target=lambda: subprocess.run(["bash", "-c", ${JSON.stringify(child)}])); t.start(); t.join()`;
    expect(endOf(memory, 'python3', '-c', script)).toMatchObject({ ended: 'out-of-memory' });
  });

  it('what stays within its limits ends by itself, also when processes share their pages', () => {
    expect(endOf(memory, process.execPath, '-e', hold(50 * MB, 'setTimeout(() => {}, 400)'))).toMatchObject({
      ended: 'itself',
      exit: 0,
    });
    const forks = 'my $s = "x" x (60 * 1024 * 1024); for (1..5) { if (!fork) { sleep 1; exit } } 1 while wait > 0';
    expect(endOf(memory, 'perl', '-e', forks)).toMatchObject({ ended: 'itself', exit: 0 });
  });

  it('a flood of processes', () => {
    const flood = 'for n in $(seq 60); do sleep 20 & done; wait';
    expect(endOf([...memory, '--processes', '50'], 'bash', '-c', flood)).toMatchObject({ ended: 'too-many-processes' });
  });
});

describe('building', () => {
  it('without a compiler says what is missing', () => {
    const script = join(import.meta.dirname, '../../native/build.js');
    const done = spawnSync(process.execPath, [script], { encoding: 'utf8', env: { PATH: folder } });
    expect(done).toMatchObject({ status: 1, stderr: expect.stringMatching(/no C compiler \(cc, gcc, clang\)/) });
  });
});
