import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { renderMetrics } from '../../src/app/web/api/metrics-route.ts';
import { oka, temporaryFolder } from '../support/cli.ts';
import { openWebClient } from '../support/web-client.ts';

const TASK = '# Count\n\n```sh\necho 3 > count.txt\n```\n\n- [ ] file count.txt exists\n';

describe('/metrics', () => {
  it('is read with a read-only token, and has what the ledger says', async () => {
    using folder = temporaryFolder();
    expect((await oka('run', TASK, '--dir', folder.dir)).code).toBe(0);
    const client = await openWebClient({ home: homeAt(folder.dir) });
    try {
      expect((await client.send('/metrics')).status).toBe(401);
      const answer = await client.send('/metrics', { headers: { authorization: `Bearer ${client.token('read')}` } });
      expect(answer.headers['content-type']).toContain('text/plain; version=0.0.4');
      const { samples, types } = parsePrometheus(answer.text);
      expect(samples.get('oka_runs_ended_total{status="done"}')).toBe(1);
      expect(samples.get('oka_runs_ended_total{status="failed"}')).toBe(0);
      expect(samples.get('oka_worker_up')).toBe(0);
      expect(samples.get('oka_events_total{ledger="run"}')).toBeGreaterThan(10);
      expect(samples.get('oka_ledger_bytes{ledger="run"}')).toBeGreaterThan(1000);
      expect(samples.get('oka_waits_open{kind="approval"}')).toBe(0);
      expect(samples.get('oka_spend_today_usd')).toBe(0);
      expect(types.get('oka_events_total')).toBe('counter');
      expect(types.get('oka_runs_open')).toBe('gauge');
    } finally {
      await client.close();
    }
  });

  it('has every series that the page of Grafana and the alerts ask for', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    expect((await oka('init', '--dir', folder.dir)).code).toBe(0);
    writeFileSync(home.policy, readFileSync(home.policy, 'utf8').replace(/^---\n/, '---\nday_budget: { usd: 5 }\n'));
    expect((await oka('run', TASK, '--dir', folder.dir)).code).toBe(0); // the limits are those that a worker goes by
    const client = await openWebClient({ home });
    try {
      const headers = { authorization: `Bearer ${client.token('read')}` };
      const { types } = parsePrometheus((await client.send('/metrics', { headers })).text);
      for (const file of ['grafana.json', 'alerts.yml']) {
        const asked = readFileSync(join(import.meta.dirname, '../../share/monitoring', file), 'utf8').match(
          /\boka_\w+/g,
        );
        expect(asked?.length).toBeGreaterThan(5);
        expect(asked?.filter((name) => !types.has(name))).toEqual([]);
      }
    } finally {
      await client.close();
    }
  });

  it('survives names that somebody chose to break it', () => {
    const model = 'a"} 1\nevil{b="\\';
    const text = renderMetrics([
      { name: 'model_usd', help: 'One\nline \\ only.', type: 'counter', samples: [{ labels: { model }, value: 0.25 }] },
    ]);
    const { samples } = parsePrometheus(text);
    expect([...samples]).toEqual([[`oka_model_usd_total{model=${JSON.stringify(model)}}`, 0.25]]);
  });
});

/** Reads the text format strictly, as its specification says; labels come back as JSON strings. */
function parsePrometheus(text: string): { samples: Map<string, number>; types: Map<string, string> } {
  const [samples, types, helps] = [new Map<string, number>(), new Map<string, string>(), new Set<string>()];
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) ([a-z_]\w*) (.+)$/.exec(line);
    if (comment !== null) {
      const [, kind, name = '', rest = ''] = comment;
      if (kind === 'HELP' ? helps.has(name) : types.has(name)) throw new Error(`${kind} of ${name} is there twice`);
      if (kind === 'HELP') helps.add(name);
      else if (/^(?:counter|gauge)$/.test(rest)) types.set(name, rest);
      else throw new Error(`${rest} is no type`);
      continue;
    }
    const found =
      /^([a-z_]\w*)(?:\{((?:[a-z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|\+Inf)$/.exec(
        line,
      );
    if (found === null) throw new Error(`not a sample: ${line}`);
    const [, name = '', labels, value] = found;
    if (!types.has(name)) throw new Error(`${name} has no type before it`);
    if (types.get(name) === 'counter' && !name.endsWith('_total')) throw new Error(`${name} should end in _total`);
    const key = labels === undefined ? name : `${name}{${labels}}`;
    if (samples.has(key)) throw new Error(`${key} is there twice`);
    samples.set(key, Number(value));
  }
  return { samples, types };
}
