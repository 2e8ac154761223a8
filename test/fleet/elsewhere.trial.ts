/** Tasks that another home does: where a secret is, under the policy of that home, and with its files back on the desk. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { startCounter } from '../support/call-counter.ts';
import { eventsAt, type FleetHome, setPolicy, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const VALUE = 'kept-where-it-is-4711';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a task that another home does', () => {
  it('runs where its secret is, under the policy of that home, and never overwrites the desk at home', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using counter = await startCounter();
    const host = counter.url.slice('http://'.length);
    await using homes = await startFleetHomes(cluster, ['h0', 'h1'], {
      variables: { TRIAL_TOKEN: VALUE },
      variablesOf: (name) => ({ OKA_FLEET_LABELS: name === 'h1' ? 'gpu,secret:token' : '' }),
      prepare: (home, name) => {
        setPolicy(home, `rules:\n  - { effect: ${name === 'h0' ? 'allow' : 'deny'}, host: '${host}' }`);
        if (name === 'h0') return;
        const config = JSON.parse(readFileSync(home.config, 'utf8')) as object;
        writeFileSync(home.config, JSON.stringify({ ...config, credentials: { token: { env: 'TRIAL_TOKEN' } } }));
      },
    });
    const [here, there] = homes.list;
    if (here === undefined || there === undefined) throw new Error('two homes are needed');
    await until(homes.list, 'both homes are members', () =>
      homes.list.every(({ log }) => log().includes('member of the fleet')),
    );
    const own = join(here.home.workspace, 'desk', 'conflict');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'a.txt'), 'mine\n');
    const add = (id: string, script: string, more: object = {}): void =>
      void addTask(join(here.home.workspace, 'inbox'), { text: `# ${id}\n\n${script}`, fields: { id, ...more } });
    add('conflict', fence('echo theirs > a.txt\nln -s a.txt b.txt'), { needs: ['gpu'] });
    add('denied', fence(`curl -fsS -X POST ${counter.url}/denied`, ` net:${host}`), { needs: ['gpu'] });
    prepareMerge(here);
    await until(homes.list, 'three results', async () => Object.keys(await returnedAt(here)).length === 3);
    add('at-home', fence('echo stays-here-4712 | tee at-home.txt'), { dir: '.' });
    await until(homes.list, 'the one at home', () => existsSync(join(here.home.workspace, 'outbox/at-home/RESULT.md')));
    add('with-secret', fence('# for secret:token\necho done > done.txt'));
    await until(homes.list, 'four results', async () => Object.keys(await returnedAt(here)).length === 4);

    const returned = await returnedAt(here);
    expect(Object.values(returned).map(({ worker }) => worker)).toEqual(['h1', 'h1', 'h1', 'h1']);
    expect(returned['with-secret']).toEqual({ worker: 'h1', status: 'done' });
    expect(() => execFileSync('grep', ['-rqF', VALUE, here.home.dir])).toThrow();
    expect(() => execFileSync('grep', ['-rqF', VALUE, there.home.dir])).toThrow();
    expect(() => execFileSync('grep', ['-rqF', VALUE, cluster.storeOf(0)])).toThrow();
    const isAtServers = (text: string): boolean => spawnSync('grep', ['-rqF', text, cluster.storeOf(0)]).status === 0;
    expect(['stays-here-4712', 'echo theirs'].map(isAtServers)).toEqual([false, true]);

    expect(returned['denied']?.status).not.toBe('done');
    expect(counter.counts.size).toBe(0);

    expect(readFileSync(join(own, 'a.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(own, 'a.result.txt'), 'utf8')).toBe('theirs\n');
    const result = readFileSync(join(here.home.workspace, 'outbox', 'conflict', 'RESULT.md'), 'utf8');
    expect(result).toMatch(/## Conflicts\n\n.*`desk\/conflict`.*\n\n- `a.txt`: .*`desk\/conflict\/a.result.txt`/);
    expect(result).toMatch(/## Not sent\n\n.*`h1`.*\n\n- `b.txt`: a symbolic link/);

    const merged = join(here.home.workspace, 'desk', 'merged');
    const files = readdirSync(merged).map((name) => [name, readFileSync(join(merged, name), 'utf8')]);
    expect(Object.fromEntries(files)).toEqual({
      'both.md': 'mine\n',
      'both.result.md': 'theirs\n',
      'edited.md': 'theirs\n',
      'mine.md': 'mine\n',
      'own.md': 'mine\n',
      'same.md': 'base\n',
    });
    const page = readFileSync(join(here.home.workspace, 'outbox', 'merged', 'RESULT.md'), 'utf8');
    expect(page.match(/^- `.*: it was .*$/gm)).toEqual([
      '- `both.md`: it was changed by the task and here; the version of this task is `desk/merged/both.result.md`',
    ]);
  });
});

/** A task with files, and a folder of its name on the desk in which a person has changed some of them. */
function prepareMerge({ home }: FleetHome): void {
  const names = ['same.md', 'edited.md', 'gone.md', 'mine.md', 'both.md'];
  const [task, desk] = [join(home.workspace, 'merged'), join(home.workspace, 'desk', 'merged')];
  for (const folder of [task, desk]) {
    mkdirSync(folder);
    for (const name of names) writeFileSync(join(folder, name), 'base\n');
  }
  for (const name of ['mine.md', 'both.md', 'own.md']) writeFileSync(join(desk, name), 'mine\n');
  const script = fence('echo theirs | tee edited.md > both.md\nrm gone.md');
  writeFileSync(join(task, 'TASK.md'), `---\nid: merged\nneeds: [gpu]\n---\n# merged\n\n${script}`);
  renameSync(task, join(home.workspace, 'inbox', 'merged'));
}

const fence = (script: string, more = ''): string => `\`\`\`bash${more}\n${script}\n\`\`\`\n`;

async function returnedAt(home: FleetHome): Promise<Record<string, { worker: string; status: string }>> {
  const found: Record<string, { worker: string; status: string }> = {};
  for (const { type, run, data } of await eventsAt(home))
    if (type === 'task.returned' && run !== null) found[run] = { worker: data.worker, status: data.status };
  return found;
}
