/** The check of the chain: the hashes are recomputed here, in the browser. How far it came is remembered by the browser. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { z } from 'zod';
import { countOf, formatBytes, formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { useQuery } from '../../../../kit/web/browser/query-data.ts';
import { sessionKey } from '../../../../kit/web/browser/session-key.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { LedgerHeadAnswer } from '../ledger-answers.ts';
import { CHAIN_START, type ChainPosition } from './chain-check.ts';
import type { ChainReport, ChainRequest } from './chain-worker.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Head = z.infer<typeof LedgerHeadAnswer>;
type Pen = 'run' | 'maintenance';
type Remembered = { position: ChainPosition; at: string };

export function ChainPanel({ pen }: { pen: Pen }): VNode {
  const { report, remembered, check } = useChainCheck(pen);
  const head = useQuery<Head>('ledger-head', { pen }, remembered?.position.seq ?? 0);
  const isChecking = report !== null && !report.isOver;
  const data = head.state === 'read' ? head.data : null;
  return html`<section class="card chain" aria-label="Chain of hashes">
    <div class="row apart">
      <div>
        <h2>Chain of hashes</h2>
        <p class="soft">${data === null ? t('Reading…') : describeHead(data)}</p>
      </div>
      <span class="row">
        <button type="button" disabled=${isChecking || !canHash} onClick=${() => check(remembered?.position ?? CHAIN_START)}>
          ${remembered === null ? t('Check in this browser') : t('Check what is new')}
        </button>
        ${remembered === null ? null : html`<button type="button" class="quiet" disabled=${isChecking} onClick=${() => check(CHAIN_START)}>Check all again</button>`}
      </span>
    </div>
    ${canHash ? null : html`<p class="warning">This browser computes hashes only over https, or on the machine itself.</p>`}
    <div role="status" aria-live="polite">${describeProgress(pen, report, remembered, data)}</div>
    ${data?.anchor.state === 'broken' ? html`<p class="problem">${data.anchor.reason}</p>` : null}
    ${data !== null && data.background.damaged.length > 0 ? html`<p class="problem">The worker found damage at event ${data.background.damaged.join(', ')}: see oka doctor</p>` : null}
  </section>`;
}

/** Not in a page that came over plain http from another machine. */
const canHash = globalThis.isSecureContext;

function useChainCheck(pen: Pen): {
  report: ChainReport | null;
  remembered: Remembered | null;
  check: (from: ChainPosition) => void;
} {
  const [report, setReport] = useState<ChainReport | null>(null);
  const [remembered, setRemembered] = useState<Remembered | null>(() => recall(pen));
  const worker = useRef<Worker | null>(null);
  const stop = (): void => {
    worker.current?.terminate();
    worker.current = null;
  };
  useEffect(() => {
    setReport(null);
    setRemembered(recall(pen));
    return stop;
  }, [pen]);
  const check = (from: ChainPosition): void => {
    stop();
    const started = new Worker(new URL('./chain-worker.ts', import.meta.url), { type: 'module' });
    worker.current = started;
    setReport({ position: from, size: 0, fault: null, isOver: false, problem: null });
    started.addEventListener('message', ({ data }: MessageEvent<ChainReport>) => {
      setReport(data);
      if (!data.isOver) return;
      setRemembered(data.fault === null && data.problem === null ? remember(pen, data.position) : forget(pen));
      stop();
    });
    const request: ChainRequest = {
      address: new URL(addressOf('/api/v1/ledger-lines'), location.href).href,
      key: sessionKey(),
      pen,
      from,
    };
    started.postMessage(request);
  };
  return { report, remembered, check };
}

function describeHead({ events, bytes, archived, anchor }: Head): string {
  const stored = archived.events === 0 ? '' : t(', {} of them archived', formatCount(archived.events));
  const noted =
    anchor.state === 'matches'
      ? t(anchor.signed ? '; event {} is signed apart from it' : '; event {} is noted apart from it', anchor.seq)
      : '';
  return `${countOf(events, 'event')}, ${formatBytes(bytes)}${stored}${noted}`;
}

function describeProgress(
  pen: Pen,
  report: ChainReport | null,
  remembered: Remembered | null,
  head: Head | null,
): VNode | null {
  if (report?.problem !== null && report?.problem !== undefined)
    return html`<p class="problem">${t(report.problem)}</p>`;
  if (report?.fault != null) {
    const { seq, reason, line, offset } = report.fault;
    return html`<div class="problem"><p><strong>Bad line: event ${seq}</strong> at byte ${offset}: ${t(reason)}. Everything before it is verified.</p><pre>${line.slice(0, 2000)}</pre></div>`;
  }
  if (report !== null && !report.isOver)
    return html`<p><progress value=${report.position.offset} max=${Math.max(1, report.size)}></progress> <span class="number">verified up to event ${formatCount(report.position.seq)}</span></p>`;
  if (remembered === null) return null;
  const { seq, hash } = remembered.position;
  return html`<p class="verified">✓ Verified up to here: <a href=${addressOf(`/ledger?pen=${pen}&seq=${Math.max(1, seq)}`)}>event ${formatCount(seq)}</a>, <${Time} at=${remembered.at} />
    ${anchorAgrees(remembered, head)}<br /><code class="hash">${hash}</code></p>`;
}

/** What was noted apart from the ledger names the same event with the same hash; older ones are covered by the chain. */
function anchorAgrees({ position }: Remembered, head: Head | null): string | null {
  if (head?.anchor.state !== 'matches') return null;
  if (head.anchor.seq !== position.seq) return null;
  return head.anchor.hash === position.hash ? t(', as its anchor says') : t(', but its anchor says otherwise');
}

const keyOf = (pen: Pen): string => `oka chain ${start.base} ${pen}`;

function recall(pen: Pen): Remembered | null {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(pen)) ?? 'null') as Remembered | null;
    return typeof stored?.position.seq === 'number' && stored.position.seq > 0 ? stored : null;
  } catch {
    return null;
  }
}

function remember(pen: Pen, position: ChainPosition): Remembered {
  const remembered = { position, at: new Date().toISOString() };
  try {
    localStorage.setItem(keyOf(pen), JSON.stringify(remembered));
  } catch {
    // a browser that stores nothing checks everything again
  }
  return remembered;
}

function forget(pen: Pen): null {
  localStorage.removeItem(keyOf(pen));
  return null;
}
