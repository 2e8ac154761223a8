import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { launch } from '../../../src/kit/sandbox/launch.ts';
import { resultFile, temporaryName } from '../../../src/kit/sandbox/result-file.ts';
import { claimTicket, launchEnvironment, makeTicket } from '../../../src/kit/sandbox/launch-ticket.ts';
import { readWitness } from '../../../src/kit/sandbox/launch-witness.ts';
import { launcher as built } from '../../support/launcher.ts';

const dir = mkdtempSync(join(tmpdir(), 'oka-ticket-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const launcher = built ?? '';
const folder = join(dir, 'calls');
mkdirSync(folder);
const going = new AbortController().signal;
const NOT_BEGUN = { ended: { how: 'not-begun' } };
const ROUNDS = Number(process.env['OKA_TICKET_ROUNDS'] ?? 40);

describe.skipIf(built === null)('a launcher', () => {
  it('T1 starts nothing without its ticket', async () => {
    expect(await exitOf(started('without'))).toBe(70);
    expect(ran('without')).toBe(0);
  });

  it.each<[string, (ticket: string) => void]>([
    ['one that was used', (ticket) => writeFileSync(ticket, 'begun\n')],
    ['a link to an empty file', (ticket) => (writeFileSync(`${ticket}.to`, ''), symlinkSync(`${ticket}.to`, ticket))],
    ['a FIFO', (ticket) => void spawnSync('mkfifo', [ticket])],
    ['a folder', (ticket) => mkdirSync(ticket)],
  ])('T1 does not take for its ticket %s', async (_, place) => {
    const call = `bad-${readdirSync(folder).length}`;
    place(ticketOf(call));
    expect(await exitOf(started(call))).toBe(70);
    expect(ran(call)).toBe(0);
    expect(await makeTicket(launcher, resultFile(folder, call), going)).toEqual(
      _ === 'one that was used' ? null : expect.any(String),
    );
  });

  it('T1 marks it before the command starts', async () => {
    const child = await withTicket('marked', `cat ${ticketOf('marked')} > ${join(dir, 'mark')}`);
    expect(await exitOf(child)).toBe(0);
    expect(readFileSync(join(dir, 'mark'), 'utf8')).toBe('begun\n');
  });

  it('T1 does not start the command where the mark cannot be written, and nothing has begun', async () => {
    const environment = await currentEnvironment();
    await makeTicket(launcher, resultFile(folder, 'markless'), going);
    const line = 'ulimit -f 0; exec "$0" --result "$1" --open -- touch "$2"';
    const file = resultFile(folder, 'markless');
    expect(spawnSync('bash', ['-c', line, launcher, file, join(dir, 'ran-markless')]).status).toBe(70);
    expect(ran('markless')).toBe(0);
    expect(await readWitness(folder, 'markless', { launcher, patienceMs: 0, environment })).toMatchObject(NOT_BEGUN);
  });

  it('T2 that comes after its ticket was claimed starts nothing', async () => {
    await makeTicket(launcher, resultFile(folder, 'late'), going);
    expect(await claimTicket(launcher, resultFile(folder, 'late'), 0)).toBe('unbegun');
    expect(await exitOf(started('late'))).toBe(70);
    expect([ran('late'), existsSync(ticketOf('late'))]).toEqual([0, false]);
  });

  it('T2 and whoever claims its ticket at the same time agree on whether it began', { timeout: 120_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const call = `race-${round}`;
      const child = await withTicket(call, `echo ran >> ${join(dir, `ran-${call}`)}`);
      await sleep((round % 12) / 2);
      const claim = await claimTicket(launcher, resultFile(folder, call), 20_000);
      await exitOf(child);
      expect([claim, ran(call)]).toEqual([claim, claim === 'unbegun' ? 0 : 1]);
    }
  });

  it('T2 that is killed anywhere never leaves a ticket without a mark if the command started', {
    timeout: 120_000,
  }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const call = `dies-${round}`;
      const child = await withTicket(call, `echo ran >> ${join(dir, `ran-${call}`)}; seq 20000`);
      await sleep((round % 20) / 2);
      child.kill('SIGKILL');
      await exitOf(child);
      const claim = await claimTicket(launcher, resultFile(folder, call), 20_000);
      if (ran(call) > 0) expect(claim).toBe(existsSync(resultFile(folder, call)) ? 'none' : 'begun');
    }
  });
});

describe.skipIf(built === null)('after a crash', () => {
  const seen = async (call: string, environment: Parameters<typeof readWitness>[2]['environment']) =>
    readWitness(folder, call, { launcher, patienceMs: 0, environment: environment ?? null });

  it('T3 no ticket and no result mean that nothing began, in the environment the call was started in', async () => {
    const environment = await currentEnvironment();
    expect(await seen('never', environment)).toMatchObject(NOT_BEGUN);
    expect(await seen('never', environment)).toMatchObject(NOT_BEGUN);
  });

  it('T4 what is missing says nothing without that environment, or in another', async () => {
    for (const [index, other] of [null, `other${await currentEnvironment()}`].entries()) {
      expect(await seen('never', other)).toBeNull();
      await makeTicket(launcher, resultFile(folder, `empty-${index}`), going);
      expect(await seen(`empty-${index}`, other)).toBeNull();
    }
  });

  it('T2 a ticket without a mark means that nothing began, also when it is looked at twice', async () => {
    const environment = await currentEnvironment();
    await makeTicket(launcher, resultFile(folder, 'made'), going);
    expect(await seen('made', environment)).toMatchObject(NOT_BEGUN);
    expect(existsSync(ticketOf('made'))).toBe(false);
    expect(await seen('made', environment)).toMatchObject(NOT_BEGUN);
  });

  it('a ticket with the mark and without a result leaves it in doubt', async () => {
    writeFileSync(ticketOf('marked-only'), 'begun\n');
    expect(await seen('marked-only', await currentEnvironment())).toBeNull();
  });

  it('a result that cannot be read leaves it in doubt', async () => {
    writeFileSync(resultFile(folder, 'torn'), '');
    expect(await seen('torn', await currentEnvironment())).toBeNull();
  });

  it('T2 one of two that look at once claims the ticket, and both know', async () => {
    const environment = await currentEnvironment();
    await makeTicket(launcher, resultFile(folder, 'both'), going);
    const both = await Promise.all([seen('both', environment), seen('both', environment)]);
    for (const each of both) if (each !== 'running') expect(each).toMatchObject(NOT_BEGUN);
    expect(both).not.toEqual(['running', 'running']);
  });
});

describe.skipIf(built === null)('a ticket', () => {
  it('is nobody else’s to read, and so is the result that it becomes', async () => {
    const sandbox = { launcher, rights: null, state: { folder, call: 'own' } };
    await makeTicket(launcher, resultFile(folder, 'mode'), going);
    const env = { PATH: '/usr/bin:/bin' };
    await launch({ argv: ['true'] }, { cwd: dir, env, signal: going, outputLimitBytes: 1000, sandbox });
    for (const file of [ticketOf('mode'), resultFile(folder, 'own')]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('of an attempt under the same name is replaced, unless its command runs', async () => {
    for (const left of ['', 'begun\n']) {
      writeFileSync(ticketOf('same'), left);
      expect(await makeTicket(launcher, resultFile(folder, 'same'), going)).toBeNull();
      expect(readFileSync(ticketOf('same'), 'utf8')).toBe('');
    }
    const child = await withTicket('busy', `touch ${join(dir, 'ran-busy')}; exec sleep 1000`);
    while (!existsSync(join(dir, 'ran-busy'))) await sleep(5);
    expect(await makeTicket(launcher, resultFile(folder, 'busy'), going)).toMatch(/running/);
    child.kill('SIGTERM');
    await exitOf(child);
  });

  it('comes with no result of an attempt under the same name, also when no launcher can be started', async () => {
    const options = { cwd: dir, env: { PATH: '/usr/bin:/bin' }, signal: going, outputLimitBytes: 1000 };
    const launched = (by: string) =>
      launch(
        { argv: ['true'] },
        { ...options, sandbox: { launcher: by, rights: null, state: { folder, call: 'twice' } } },
      );
    expect(await launched(launcher)).toMatchObject({ ended: { how: 'itself' }, exit: 0 });
    expect(await launched(join(dir, 'no-launcher'))).toMatchObject({ ended: { how: 'unstarted', problem: 'ENOENT' } });
  });

  it('cannot be made where there is no folder, and that is said', async () => {
    expect(await makeTicket(launcher, join(dir, 'nowhere/x.result'), going)).toBe('ENOENT');
  });
});

describe('the environment', () => {
  it('T4 is the same for as long as the folder and the machine are', async () => {
    const here = join(dir, 'environment');
    const first = launchEnvironment(here);
    expect(first).toMatch(/^[0-9a-f-]{36} [0-9a-f-]{36}$/);
    expect(launchEnvironment(here)).toBe(first);
    rmSync(here, { recursive: true });
    expect(launchEnvironment(here)).not.toBe(first);
  });

  it('T4 with a name that was torn gets another', async () => {
    const here = join(dir, 'torn');
    const first = launchEnvironment(here);
    writeFileSync(join(here, 'ground'), first?.slice(40) ?? '');
    expect(launchEnvironment(here)).toMatch(/^[0-9a-f-]{36} [0-9a-f-]{36}$/);
    expect(launchEnvironment(here)).not.toBe(first);
  });

  it.each<[string, (file: string) => void]>([
    ['a link', (file) => symlinkSync(join(dir, 'elsewhere'), file)],
    ['a FIFO', (file) => void spawnSync('mkfifo', [file])],
    ['a folder', (file) => mkdirSync(file)],
  ])('T4 is unknown where its name is %s', async (what, place) => {
    const here = join(dir, `odd ${what}`);
    mkdirSync(here);
    place(join(here, 'ground'));
    expect(launchEnvironment(here)).toBeNull();
    expect(existsSync(join(dir, 'elsewhere'))).toBe(false);
  });
});

async function currentEnvironment(): Promise<string> {
  const environment = launchEnvironment(folder);
  if (environment === null) throw new Error('this machine has no boot id');
  return environment;
}

async function withTicket(call: string, line: string): Promise<ChildProcess> {
  expect(await makeTicket(launcher, resultFile(folder, call), going)).toBeNull();
  return started(call, line);
}

function started(call: string, line = `echo ran >> ${join(dir, `ran-${call}`)}`): ChildProcess {
  const args = ['--result', resultFile(folder, call), '--open', '--', 'sh', '-c', line];
  return spawn(launcher, args, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
}

/** How often the command of this call has run. */
function ran(call: string): number {
  const file = join(dir, `ran-${call}`);
  return existsSync(file) ? Math.max(1, readFileSync(file, 'utf8').split('\n').length - 1) : 0;
}

function ticketOf(call: string): string {
  return temporaryName(resultFile(folder, call));
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  return new Promise((resolve) => child.once('exit', resolve));
}
