/** Puts into a home what an ordinary week leaves there, so that its pages can be looked at. It needs no model. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { submit } from '../../src/kit/requests/submit-request.ts';
import type { Story } from './story.ts';

const runbook = (title: string, ...lines: string[]): string =>
  `# ${title}\n\n${lines.map((line) => `\`\`\`bash\n${line}\n\`\`\`\n`).join('\n')}`;

const BOUNDS = { timeout_seconds: 60, max_retries: 0 };

const GRAPH = {
  id: 'weekly-report',
  title: 'Weekly report',
  nodes: [
    { kind: 'tool', id: 'collect', tool: 'shell', input: { line: 'cat notes/*.md' }, ...BOUNDS },
    { kind: 'tool', id: 'count', tool: 'shell', input: { line: 'wc -l rates.csv' }, ...BOUNDS },
    {
      kind: 'wait',
      id: 'agree',
      needs: ['collect', 'count'],
      for: { kind: 'question', text: 'Send the report to the team?', options: ['send it', 'not this week'] },
    },
    {
      kind: 'tool',
      id: 'store',
      needs: ['agree'],
      tool: 'shell',
      input: { line: 'echo report > report.txt' },
      ...BOUNDS,
    },
  ],
};

const RATE = 'date,rate\n2026-11-02,0.92\n2026-11-09,0.93\n2026-11-16,0.91\n';

export async function fillHome(story: Story): Promise<void> {
  const { workspace, oka } = story.home;
  story.write('workspace/desk/notes/monday.md', '# Monday\n\n- Call the printer\n- Order labels\n');
  story.write('workspace/desk/rates.csv', RATE);
  story.write('workspace/graphs/weekly-report.json', JSON.stringify(GRAPH, null, 2));
  cpSync(join(import.meta.dirname, '../../share/welcome'), join(workspace, 'inbox', 'welcome'), { recursive: true });
  story.drop(
    'totals.md',
    runbook('Totals by month', 'printf "month,total\\n2026-09,640.10\\n2026-10,812.40\\n" > totals.csv'),
  );
  story.drop(
    'photos.md',
    runbook('Sort the photos by year', 'mkdir -p photos/2025 photos/2026', 'echo "2 folders made"'),
  );
  story.drop('rates.md', runbook('Fetch the exchange rates', 'echo "rates.example did not answer" >&2; exit 1'));
  await story.until('four results', async () => ((await story.eventsOf('run.ended')).length >= 4 ? true : undefined));
  story.drop('publish.md', runbook('Publish the notes', 'git push origin main'));
  submit(join(oka, 'intake'), { kind: 'run_graph', id: 'weekly-1', graph: 'weekly-report', input: {} });
  await story.asked('approval');
  await story.asked('question');
  await story.oka('memory', 'fact', 'add', 'Invoices go to Carla.', '--importance', '0.8');
  await story.oka(
    'memory',
    'fact',
    'add',
    'Reports are written in English, with metric units.',
    '--namespace',
    'standing',
  );
  await story.oka('schedule', 'add', 'Water the plants on the balcony', '--every', 'monday 08:00');
  story.drop('backup.md', runbook('Back up the desk', 'echo "copying notes"; while [ -e notes ]; do sleep 1; done'));
  await story.until('work', async () =>
    (await story.eventsOf('call.started')).some(({ data }) =>
      JSON.stringify(data.input).includes('while [ -e notes ]; do sleep 1; done'),
    )
      ? true
      : undefined,
  );
}
