import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Step } from '../../../src/core/guard/command-rights.ts';
import { probeKernel } from '../../../src/kit/sandbox/probe-kernel.ts';
import { resolvePlaces, programFolders } from '../../../src/kit/sandbox/sandbox-places.ts';
import { launch, type Launched, type LaunchOptions } from '../../../src/kit/sandbox/launch.ts';
import { canJail, jailPlaces, landlock, launcher, rightsFor, whyNot } from '../../support/launcher.ts';

const places = jailPlaces();
afterAll(() => places[Symbol.dispose]());

const vault = join(places.oka, 'credentials.age');
const tool = join(places.tools, 'hammer');
const mine = join(places.desk, 'notes.txt');
writeFileSync(vault, 'the secret\n', { mode: 0o600 });
writeFileSync(tool, '#!/bin/sh\necho bang\n', { mode: 0o755 });
writeFileSync(mine, 'a note\n', { mode: 0o644 });
const tries = join(places.tools, 'tries');
if (canJail) execFileSync('cc', ['-O1', '-o', tries, join(import.meta.dirname, '../../native/tries.c')]);

const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const write: Partial<Step> = { class: 'write_local' };

async function run(line: string, step: Partial<Step> = {}, options: Partial<LaunchOptions> = {}): Promise<Launched> {
  return launch(
    { line },
    {
      cwd: places.desk,
      env: { PATH, HOME: places.desk },
      signal: new AbortController().signal,
      outputLimitBytes: 100_000,
      sandbox: { launcher: launcher ?? '', rights: rightsFor(places, step) },
      ...options,
    },
  );
}

const outputOf = ({ stdout }: Launched): string => Buffer.concat([stdout.head, stdout.tail]).toString();
const complaintOf = ({ stderr }: Launched): string => Buffer.concat([stderr.head, stderr.tail]).toString();

/** Everything that a change would show in. */
function looksOf(file: string): object {
  const { mode, uid, gid, size, nlink, mtimeMs, ctimeMs } = statSync(file);
  return { mode, uid, gid, size, nlink, mtimeMs, ctimeMs };
}

/** What the kernel answered to each attempt. */
async function tried(names: readonly string[], step: Partial<Step> = write, path = vault, port = 1): Promise<object> {
  const said = outputOf(await run(`exec ${tries} ${port} ${path} ${names.join(' ')}`, step));
  return Object.fromEntries(
    said
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  );
}

const all = (names: readonly string[], answer: string): object =>
  Object.fromEntries(names.map((name) => [name, answer]));

describe.skipIf(!canJail)(`R1 a read changes nothing${whyNot}`, () => {
  it('reads the desk and ordinary files of the system, and writes to /dev/null', async () => {
    const done = await run('cat notes.txt; head -c 5 /etc/passwd >/dev/null && ls /usr/bin >/dev/null && echo fine');
    expect(outputOf(done)).toBe('a note\nfine\n');
    expect(done).toMatchObject({ exit: 0, denied: false });
  });

  it.each([
    'echo x > new',
    'echo x >> notes.txt',
    'rm notes.txt',
    'mv notes.txt other',
    'mkdir folder',
    'ln -s a b',
    'ln notes.txt again',
    'mkfifo pipe',
    'touch notes.txt',
    'chmod 777 notes.txt',
    'truncate -s 0 notes.txt',
    'echo x > /tmp/oka-should-not-be-there',
    'cp notes.txt "$HOME/copy"',
  ])('is refused: %s', async (line) => {
    const before = looksOf(mine);
    expect(await run(`${line}; exit $?`)).toMatchObject({ denied: true });
    expect(looksOf(mine)).toEqual(before);
    expect(execFileSync('ls', ['-A', places.desk], { encoding: 'utf8' })).toBe('notes.txt\n');
  });

  it('has a folder for temporary files, and changes nothing else even so', async () => {
    const line = 'sort -n -S 32k --parallel=1 <(seq 20000 -1 1) | head -n 1; cat <<< "$(seq 100000)" | wc -l';
    const done = await run(`${line}; chmod 700 "$TMPDIR"`, {}, { scratch: places.scratch });
    expect([outputOf(done), complaintOf(done)]).toEqual(['1\n100000\n', '']);
    expect(execFileSync('ls', ['-A', places.scratch], { encoding: 'utf8' })).toBe('');
  });

  it('cannot execute what lies on the desk or was installed', async () => {
    expect(await run(`exec ${tool}`)).toMatchObject({ exit: 126, denied: true });
  });
});

describe.skipIf(!canJail)(`a local write stays on the desk${whyNot}`, () => {
  it('works there in every way that programs need', async () => {
    const done = await run(
      `set -e; mkdir -p d/e; echo 'echo hi' > d/s; chmod 755 d/s; sh d/s; touch -d 2001-01-01 d/s; cp -a d/s d/e/t
       ln d/s d/hard; ln -s s d/soft; chmod 700 d/soft; mv d/e/t d/t; mkfifo d/p; tar cf d.tar d; rm -r d; tar xpf d.tar
       stat -c '%a %Y' d/s d/t; cat <<< "$(seq 100000)" | wc -l; rm -rf d d.tar`,
      write,
      { scratch: places.scratch, env: { PATH, HOME: places.desk, TZ: 'UTC' } },
    );
    expect(complaintOf(done)).toBe('');
    expect(outputOf(done)).toBe('hi\n700 978307200\n755 978307200\n100000\n');
  });

  it('may execute tools, and use the scratch folder', async () => {
    expect(outputOf(await run(`${tool}; echo x > "$TMPDIR/y" && echo y`, write, { scratch: places.scratch }))).toBe(
      'bang\ny\n',
    );
  });

  it.each<[string, () => string]>([
    ['write to the vault', () => `echo x > ${vault}`],
    ['append to it', () => `echo x >> ${vault}`],
    ['read it', () => `cat ${vault}`],
    ['read it through a link', () => `ln -sf ${vault} l; cat l; rm l; cat ${vault}`],
    ['take it by a hard link', () => `ln ${vault} h`],
    ['move it', () => `mv ${vault} v`],
    ['remove it', () => `rm -f ${vault}`],
    ['list its folder', () => `ls ${places.oka}`],
    ['change its mode', () => `chmod 777 ${vault}`],
    ['change its mode through a link', () => `ln -sf ${vault} l; chmod 777 l; s=$?; rm l; exit $s`],
    ['change its mode through the working directory', () => `chmod 777 /proc/self/cwd/../../.oka/credentials.age`],
    ['change its time', () => `touch -d 2001-01-01 ${vault}`],
    ['write beside the desk', () => 'echo x > ../forged.md'],
    ['put a file beside the desk', () => 'echo x > f; mv f ../forged.md'],
    ['write to the tools', () => `echo x > ${join(places.tools, 'new')}`],
    ['change a tool', () => `chmod 777 ${tool}`],
    ['write into a folder of the system', () => 'echo x > /usr/local/oka-should-not-be-there'],
    ['read arguments of other processes', () => 'cat /proc/1/cmdline'],
    ['read their environment', () => 'cat /proc/1/environ'],
  ])('cannot %s', async (_, line) => {
    const before = [vault, tool].map(looksOf);
    expect((await run(line(), write)).exit).not.toBe(0);
    expect([vault, tool].map(looksOf)).toEqual(before);
    expect(readFileSync(vault, 'utf8')).toBe('the secret\n');
    expect(existsSync(join(places.desk, '../forged.md'))).toBe(false);
  });

  it('nor past a link on the desk that was there before', async () => {
    const link = join(places.desk, 'old-link');
    if (!existsSync(link)) symlinkSync(places.oka, link);
    expect((await run('cat old-link/credentials.age || echo x > old-link/new', write)).exit).not.toBe(0);
  });

  it('metadata goes by the file that is meant, not by its name', async () => {
    const names = ['chmod', 'chmod-path-only', 'chmod-2', 'chown', 'times', 'now'];
    expect(await tried([...names, 'truncate'])).toEqual(all([...names, 'truncate'], 'EACCES'));
    expect(await tried(['chmod-open-file'], write, tool)).toEqual({ 'chmod-open-file': 'EACCES' });
    expect(statSync(tool).mode & 0o777).toBe(0o755);
    chmodSync(mine, 0o600);
    expect(await tried([...names, 'chmod-open-file'], write, mine)).toEqual(all([...names, 'chmod-open-file'], 'OK'));
    expect(statSync(mine).mode & 0o777).toBe(0o777);
    expect(await tried(['give-away', 'attribute'], write, mine)).toEqual({
      'give-away': 'EPERM',
      attribute: 'EOPNOTSUPP',
    });
  });

  it('creates nothing that runs as somebody else', async () => {
    const refused = ['setuid', 'setgid', 'setuid-open-file', 'setuid-2', 'setuid-new', 'setgid-new'];
    const more = ['setuid-unnamed', 'setuid-node'];
    expect(await tried([...refused, ...more], write, mine)).toEqual(all([...refused, ...more], 'EPERM'));
    const allowed = ['sticky', 'plain-new', 'plain-unnamed', 'open-with-odd-mode'];
    expect(await tried(allowed, write, mine)).toEqual(all(allowed, 'OK'));
    const done = await run(
      `mkdir g && chmod 2755 g && cp /bin/true s && chmod 755 s; chmod u+s s; install -m 4755 /bin/true i
       cat > p.py <<< 'import os; os.close(os.open("o", os.O_CREAT | os.O_WRONLY, 0o6755))'; python3 p.py
       perl -e 'sysopen(F, "q", 0101, 06755)'; find . -perm /6000; rm -rf g s i o q p.py *.1755 *.755`,
      write,
    );
    expect(outputOf(done)).toBe('./g\n');
  });

  it('makes no device', async () => {
    expect(await tried(['device'], write, join(places.desk, 'dev'))).toEqual({ device: 'EACCES' });
  });
});

describe.skipIf(!canJail)(`R2 only the installer writes to the tools${whyNot}`, () => {
  it('and it does', async () => {
    const done = await run(
      `mkdir -p ${places.tools}/bin && echo x > ${places.tools}/bin/new && chmod 755 ${places.tools}/bin/new`,
      {
        ...write,
        installer: true,
      },
    );
    expect(done).toMatchObject({ exit: 0 });
    expect(statSync(join(places.tools, 'bin/new')).mode & 0o777).toBe(0o755);
  });
});

describe.skipIf(!canJail)(`system calls${whyNot}`, () => {
  const harmless = ['fork', 'pipe', 'socketpair', 'memfd', 'own-limit', 'renice-self', 'io-priority-self'];
  const refused = `
    ptrace read-memory pidfd-getfd io-uring keyctl add-key bpf perf userfaultfd mount fsopen unshare setns chroot
    clone-namespace kexec module shm queue type-for-others limit-parent renice-parent renice-group renice-own-group
    renice-user io-priority-parent io-priority-group io-priority-user affinity-parent scheduler-parent param-parent
    attr-parent write-memory advise-parent move-pages migrate-pages compare release-memory io-uring-enter handle
    request-key
    ${landlock >= 6 ? 'signal-parent' : ''}`
    .trim()
    .split(/\s+/);

  it('that programs need go through', async () => {
    expect(await tried(harmless)).toEqual(all(harmless, 'OK'));
  });

  it('that lead out are refused', async () => {
    const absent = ['clone3', 'openat2'];
    expect(await tried([...refused, ...absent])).toEqual({ ...all(refused, 'EPERM'), ...all(absent, 'ENOSYS') });
  });
});

describe.skipIf(!canJail)(`R3 the network is one address or nothing${whyNot}`, () => {
  const families = ['udp', 'raw', 'mptcp', 'unix', 'netlink', 'packet', 'vsock', 'datagram-pair', 'raw-pair'];

  it('without the network there are no sockets', async () => {
    const names = [...families, 'tcp', 'tcp6', 'connect', 'fast-open', 'listen', 'bind'];
    expect(await tried(names)).toEqual(all(names, 'EACCES'));
  });

  it('with it there is TCP to the address of the proxy alone', async () => {
    const heard: string[] = [];
    const server = createServer((socket) => heard.push(String(socket.remotePort)) && socket.end());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const net = { ...write, net: `127.0.0.1:${port}` };
    expect(await tried(families, net)).toEqual(all(families, 'EACCES'));
    expect(await tried(['connect', 'tcp6'], net, vault, port)).toEqual({ connect: 'OK', tcp6: 'OK' });
    const elsewhere = { ...write, net: `127.0.0.2:${port}` };
    const opened = ['fast-open', 'fast-open-message', 'fast-open-messages', 'listen'];
    expect(await tried(['connect', 'bind', ...opened], elsewhere, vault, port)).toEqual({
      ...all(opened, 'EPERM'),
      connect: 'EACCES',
      bind: 'EACCES',
    });
    server.close();
    expect(heard).toHaveLength(1);
  });
});

describe.skipIf(!canJail)(`W3 nothing outlives its step${whyNot}`, () => {
  const note = `echo $BASHPID >> pids`;
  it.each([
    ['a session of its own', `setsid bash -c '${note}; exec sleep 1000' &`],
    ['a double fork', `(bash -c '${note}; exec sleep 1000' >/dev/null 2>&1 </dev/null &) &`],
    ['nohup', `nohup bash -c '${note}; exec sleep 1000' >/dev/null 2>&1 &`],
    [
      'deaf to SIGTERM, with children',
      `setsid bash -c 'trap "" TERM HUP INT; ${note}; (${note}; while :; do sleep 1; done) & while :; do sleep 1; done' >/dev/null 2>&1 &`,
    ],
    ['stopped', `bash -c '${note}; kill -STOP $BASHPID' >/dev/null 2>&1 &`],
    [
      'one that always forks anew',
      `setsid bash -c 'trap "" TERM; f() { ${note}; sleep 0.01; f & }; f; wait' >/dev/null 2>&1 &`,
    ],
  ])('%s', async (_, line) => {
    const pids = join(places.desk, 'pids');
    writeFileSync(pids, '');
    const done = await run(`${line} while [ ! -s pids ]; do sleep 0.01; done; echo over`, write);
    expect(outputOf(done)).toBe('over\n');
    const left = readFileSync(pids, 'utf8')
      .trim()
      .split('\n')
      .filter((pid) => existsSync(`/proc/${pid}`));
    expect(left).toEqual([]);
  });
});

describe.skipIf(!canJail)(`what a command gets${whyNot}`, () => {
  it('no descriptor but its three', async () => {
    expect(outputOf(await run('exec ls -l /proc/self/fd | grep -c -e " [0-9]* -> "'))).not.toBe('');
    const listed = outputOf(await run('exec ls /proc/self/fd'))
      .trim()
      .split('\n');
    expect(listed).toEqual(['0', '1', '2', '3']); // 3 is the folder that ls reads
  });

  it('a limit on memory', async () => {
    const rights = rightsFor(places, write);
    const small = { ...rights, limits: { ...rights.limits, memoryBytes: 150 * 1024 * 1024 } };
    const line = `perl -e '$s = "x" x (250 * 1024 * 1024); sleep 20'`;
    const done = await run(line, write, { sandbox: { launcher: launcher ?? '', rights: small } });
    expect(done.ended).toEqual({ how: 'exceeded', limit: 'memory' });
  });

  it('limits on files and no core', async () => {
    const limits = { fileBytes: 4096, cpuSeconds: 60, openFiles: 64, processes: 100, memoryBytes: 1e9 };
    const rights = { ...rightsFor(places, write), limits };
    const line = 'ulimit -c; ulimit -n; ulimit -t; head -c 10000 /dev/zero > big; stat -c %s big; rm big';
    const done = await run(line, write, { sandbox: { launcher: launcher ?? '', rights } });
    expect(outputOf(done)).toBe('0\n64\n60\n4096\n');
  });

  it.each([
    ['node', "node -e \"console.log(require('node:child_process').execSync('echo sub').toString().trim())\"", 'sub\n'],
    ['node, threads', "node -e \"new (require('node:worker_threads').Worker)('console.log(1)', {eval: true})\"", '1\n'],
    ['npm', 'npm --version > /dev/null && echo yes', 'yes\n'],
    [
      'python3',
      "python3 -c \"import subprocess, threading, ssl, json; print(subprocess.check_output(['echo', 'a']))\"",
      "b'a\\n'\n",
    ],
    [
      'git',
      'git init -q g && cd g && git -c user.name=a -c user.email=b@c commit -q --allow-empty -m m && git gc -q && git log --format=%s; cd ..; rm -rf g',
      'm\n',
    ],
    ['bash', 'diff <(echo a) <(echo a) && cat < <(printf "x%s\\n" y) > >(cat)', 'xy\n'],
    ['perl', 'perl -MPOSIX -e "print 6*7, qq(\\n)"', '42\n'],
  ])('an environment in which %s works', async (name, line, output) => {
    const program = name.split(',')[0] ?? '';
    const found = await run(`command -v ${program}`);
    if (found.exit !== 0) return;
    const done = await run(line, write, { scratch: places.scratch });
    expect({ output: outputOf(done), complaint: complaintOf(done) }).toEqual({ output, complaint: '' });
  });

  it('nothing but limits and an end when it is open', async () => {
    const done = await run(
      `cat ${vault}; setsid sleep 1000 & echo $!`,
      {},
      { sandbox: { launcher: launcher ?? '', rights: null } },
    );
    const [secret, pid] = outputOf(done).trim().split('\n');
    expect(secret).toBe('the secret');
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});

describe('what there is to hold commands with', () => {
  it.skipIf(launcher === null)('is told by the launcher', async () => {
    expect(await probeKernel(launcher ?? '')).toEqual({ launcher: true, landlock, seccomp: true });
  });

  it('is nothing without one', async () => {
    const nothing = { launcher: false, landlock: 0, seccomp: false };
    expect(await probeKernel('/no/such/launcher')).toEqual(nothing);
    mkdirSync(join(places.dir, 'folder'), { recursive: true });
    expect(await probeKernel(join(places.dir, 'folder'))).toEqual(nothing);
  });
});

it('the folders of the jail are real ones, and those of Node do not take a home along', async () => {
  const link = join(places.dir, 'desk-link');
  symlinkSync(places.desk, link);
  const found = resolvePlaces({ ...places, desk: link, scratch: join(places.dir, 'new/scratch') });
  expect(found).toMatchObject({ desk: places.desk, scratch: join(places.dir, 'new/scratch') });
  expect(statSync(found.scratch ?? '').isDirectory()).toBe(true);
  expect(programFolders('/home/me/bin/node')).toEqual(['/home/me/bin', '/home/me/lib/node_modules']);
});
