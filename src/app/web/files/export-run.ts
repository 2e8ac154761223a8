/**
 * Owns: a run as one file, for a bug report: everything that its page shows, without any secret, and without a script.
 *
 * 1. Every text in it is redacted with what the vault knows now: a secret that was added after the run is removed, too.
 * 2. The HTML is complete in itself: nothing is fetched, and every text is escaped.
 */
import { openHomeVault } from '../../../kit/vault/home-vault.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { Redact } from '../../../core/schema/ports.ts';
import { foldCalls, type RunCall } from '../../../kit/views/run-calls.ts';
import type { QueryRequest } from '../../../kit/web/page.ts';
import { describeRun } from '../../../rooms/runs/run-page/run-head.ts';
import { readRunTree } from '../../../rooms/runs/run-page/run-tree.ts';
import type { Line } from '../../../core/schema/event.ts';
import type { RunAnswer } from '../../../rooms/runs/run-page/run-answer.ts';

type ExportedRun = { run: RunAnswer; calls: RunCall[]; events: Line[] };

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:13px}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #8884;font-variant-numeric:tabular-nums}`;

const section = (title: string, body: string): string => (body === '' ? '' : `<h2>${title}</h2>\n${body}`);

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => ESCAPES[each] ?? each);

const MOST_EVENTS = 20_000;
const LONGEST_TEXT = 20_000;

export async function exportRun(
  request: Pick<QueryRequest<unknown>, 'home' | 'views'>,
  run: string,
  form: 'html' | 'json',
): Promise<string> {
  const tree = await readRunTree(request, run);
  const redact = await openRedact(request.home);
  const exported = {
    oka: 'run-export 1',
    run: await describeRun(request, tree),
    calls: foldCalls(tree.all),
    events: tree.all.slice(-MOST_EVENTS),
  };
  const clean = cleanJson(JSON.parse(JSON.stringify(exported)) as Json, redact);
  return form === 'json' ? `${JSON.stringify(clean, null, 1)}\n` : renderExport(clean as unknown as ExportedRun);
}

async function openRedact(home: Home): Promise<Redact> {
  try {
    return (await openHomeVault(home)).redact;
  } catch (error) {
    throw new OkaError(
      'refused',
      `the run cannot be exported, since its secrets cannot be removed: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

function cleanJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') {
    const text = redact(value);
    return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, redact));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [redact(name), cleanJson(each, redact)]));
}

/** A run as one HTML document without scripts. Every value is escaped. */
function renderExport({ run, calls, events }: ExportedRun): string {
  const { title, verdict, reason, started, ended, answer, steps, criteria, cost, egress, waits } = run;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)}</h1>
<p><strong>${escapeHtml(verdict)}</strong>${reason === '' ? '' : `: ${escapeHtml(reason)}`}</p>
<p>Run ${escapeHtml(run.run)}, ${escapeHtml(started ?? 'not started')} to ${escapeHtml(ended ?? 'now')}; ${cost.calls} calls, ${cost.tokens} tokens, $${cost.usd}</p>
${section('Answer', answer === null ? '' : `<pre>${escapeHtml(answer)}</pre>`)}
${section('Task', run.task === null ? '' : `<pre>${escapeHtml(run.task)}</pre>`)}
${section('Waits for', table(waits.map(({ wait, for: awaited }) => [wait, JSON.stringify(awaited)])))}
${section('Steps', table(steps.map((step) => [step.status, step.title, step.started ?? '', step.ended ?? '', step.reason])))}
${section('Criteria', table(criteria.map(({ holds, text, evidence, by }) => [holds ? 'met' : 'not met', text, evidence, by])))}
${section('Network', table(egress.map(({ host, verdict: decided, count }) => [host, decided, String(count)])))}
${section('Calls', calls.map(renderCall).join('\n'))}
${section('Events', `<pre>${events.map((event) => escapeHtml(JSON.stringify(event))).join('\n')}</pre>`)}
</body></html>
`;
}

function renderCall({ tool, node, status, started, ms, rationale, error, input, output }: RunCall): string {
  const head = [status, tool, node ?? '', started, ms === null ? '' : `${ms} ms`]
    .filter((part) => part !== '')
    .join(' · ');
  const parts = [
    rationale,
    error ?? '',
    `input ${JSON.stringify(input, null, 1)}`,
    `output ${JSON.stringify(output, null, 1)}`,
  ];
  return `<details><summary>${escapeHtml(head)}</summary><pre>${escapeHtml(parts.filter((part) => part !== '').join('\n\n'))}</pre></details>`;
}

function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  return `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`).join('\n')}</table>`;
}
