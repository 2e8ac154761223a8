import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { homeAt } from '../../../src/kit/settings.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { egressView } from '../../../src/kit/views/egress-view.ts';
import { secretView } from '../../../src/kit/views/secret-view.ts';
import type { DiskAnswer, EgressAnswer, FindingsAnswer } from '../../../src/app/health/health-answers.ts';
import type { ClassifyAnswer, PolicyAnswer } from '../../../src/app/settings/settings-answers.ts';
import { diskQuery, findingsQuery, healthQuery } from '../../../src/app/health/health-queries.ts';
import { classifyQuery, policyQuery } from '../../../src/app/settings/policy-queries.ts';
import { egressQuery } from '../../../src/app/health/egress-query.ts';
import { secretsQuery } from '../../../src/app/settings/secrets-query.ts';
import { askQuery } from '../../support/ask-query.ts';
import { oka, okaWith, temporaryFolder } from '../../support/cli.ts';

const VALUE = 'hunter2-and-some-more-of-it';

const POLICY = `---
version: 1
defaults: { read: allow, write_local: allow, external_mutation: ask, deny: deny }
budgets: {}
rules:
  - effect: deny
    program: curl
    why: nobody needs curl here
    examples: [curl https://example.org]
  - effect: allow
    tool: http.get
    host: docs.example.org
---
# Rules
`;

describe('the page Health', () => {
  it('says what takes how much of the disk and what goes when, as oka status --disk does', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    expect((await oka('init', '--dir', folder.dir)).code).toBe(0);
    writeFileSync(join(home.workspace, 'desk', 'large'), Buffer.alloc(1_000_000, 1));
    const shown = (await askQuery(diskQuery, home)) as unknown as z.infer<typeof DiskAnswer>;
    const said = JSON.parse((await oka('status', '--disk', '--json', '--dir', folder.dir)).out) as unknown;
    expect(shown).toEqual(said);
    expect(shown.parts.find(({ part }) => part === 'desk')).toMatchObject({ goes: 'is yours: nothing goes by itself' });
    expect(shown.parts.find(({ part }) => part === 'desk')?.bytes).toBeGreaterThanOrEqual(1_000_000);
  });

  it('shows the home, its findings and the secrets by name; no value leaves the vault, which is not opened', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    expect((await oka('init', '--dir', folder.dir)).code).toBe(0);
    const set = [
      'secrets',
      'set',
      'deploy',
      '--tool',
      'http.request',
      '--host',
      'api.example.org',
      '--dir',
      folder.dir,
    ];
    expect((await okaWith({ input: VALUE, env: { XDG_CONFIG_HOME: join(folder.dir, 'config') } }, ...set)).code).toBe(
      0,
    );
    const answers = [
      await askQuery(healthQuery, home),
      await askQuery(findingsQuery, home),
      await askQuery(secretsQuery, home),
      await askQuery(policyQuery, home),
    ];
    expect(answers[0]).toMatchObject({ state: 'none', worker: null, dir: folder.dir });
    const { findings } = answers[1] as z.infer<typeof FindingsAnswer>;
    expect(findings.find(({ what }) => what === 'vault')?.found).toContain('is there; oka doctor tries');
    expect(answers[2]).toMatchObject({ known: [{ name: 'deploy', version: 1, change: 'set', uses: 0 }] });
    expect(JSON.stringify(answers)).not.toContain(VALUE);
  });

  it('shows every rule with its examples tried, and where to edit it', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    await oka('init', '--dir', folder.dir);
    writeFileSync(home.policy, POLICY);
    const policy = await askQuery<z.infer<typeof PolicyAnswer>>(policyQuery, home);
    expect(policy).toMatchObject({ file: home.policy, problem: null });
    expect(policy.rules).toEqual([
      {
        effect: 'deny',
        line: 6,
        says: 'the program curl',
        why: 'nobody needs curl here',
        examples: [{ command: 'curl https://example.org', class: expect.any(String), verdict: 'deny' }],
      },
      { effect: 'allow', line: 10, says: 'the tool http.get, and the host docs.example.org', why: null, examples: [] },
    ]);
    writeFileSync(home.policy, POLICY.replace('program: curl', 'programme: curl'));
    expect(await askQuery(policyQuery, home)).toMatchObject({
      rules: [],
      problem: expect.stringContaining('programme'),
    });
  });

  it('says what the policy makes of a command or an address, as oka classify does, and does nothing', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    await oka('init', '--dir', folder.dir);
    writeFileSync(home.policy, POLICY);
    const ask = (text: string): Promise<z.infer<typeof ClassifyAnswer>> => askQuery(classifyQuery, home, { text });
    for (const command of ['ls', 'touch made.txt', 'curl https://example.org', 'git push', 'rm -rf /']) {
      const told = JSON.parse((await oka('classify', '--json', command, '--dir', folder.dir)).out) as object;
      const { class: effect, verdict, reason } = await ask(command);
      expect({ cmd: command, class: effect, verdict, reason }).toEqual(told);
    }
    expect(await ask('curl https://example.org')).toMatchObject({ rules: [{ rule: 0, match: 'yes' }] });
    expect(await ask('https://docs.example.org/a?b')).toMatchObject({
      kind: 'request',
      verdict: 'allow',
      rules: [{ rule: 1, match: 'yes' }],
      command: { verdict: 'refused' },
    });
    expect(await ask('http://192.168.1.1/')).toMatchObject({ verdict: 'ask' });
    expect(readdirSync(join(home.workspace, 'desk'))).not.toContain('made.txt');
    await expect(ask('')).rejects.toThrow();
  });

  it('lists where commands wanted to go, by decision and by host', async () => {
    const rows = memoryRows();
    const hosts = ['a.example.org', 'b.example.org', 'a.example.org'];
    hosts.forEach((host, index) => {
      const verdict = index === 2 ? 'refused' : 'allowed';
      fold(rows, index + 1, {
        type: 'egress.decided',
        run: `r${index}`,
        data: { host, port: 443, verdict, reason: 'a rule' },
      });
    });
    const page = await askQuery<z.infer<typeof EgressAnswer>>(egressQuery, { rows }, { limit: '2' });
    expect(page.decisions.map(({ seq }) => seq)).toEqual([3, 2]);
    expect(page.hosts).toMatchObject([
      { host: 'a.example.org', allowed: 1, refused: 1, runs: ['r0', 'r2'] },
      { host: 'b.example.org', allowed: 1, refused: 0, runs: ['r1'] },
    ]);
    const rest = await askQuery<z.infer<typeof EgressAnswer>>(egressQuery, { rows }, { before: String(page.next) });
    expect(rest.decisions.map(({ seq }) => seq)).toEqual([1]);
  });
});

function fold(rows: ReturnType<typeof memoryRows>, seq: number, event: NewEvent): void {
  const line = { seq, at: new Date(seq).toISOString(), pen: 'run', cause: null, v: 1, run: null, ...event } as Event;
  for (const view of [egressView, secretView]) view.take({ event: line, text: () => null }, rows);
}
