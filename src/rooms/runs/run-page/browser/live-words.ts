/** What the worker does right now: the words of a model as they come, and the last lines of a command. */
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { html } from '../../../../kit/web/browser/html.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { onLive } from '../../../../kit/web/browser/live-events.ts';

type Step = { step: string; kind: 'output' | 'text'; text: string; tokens: number };

const MOST_TEXT = 4000;

export function LiveWords({ run }: { run: string }): VNode | null {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  useEffect(() => {
    setSteps([]);
    return onLive((message) => {
      if (message.run !== run && !message.run.startsWith(`${run}.`)) return;
      const step = message.step ?? '';
      setSteps((before) => {
        const others = before.filter((each) => each.step !== step);
        const known = before.find((each) => each.step === step) ?? { step, kind: 'text', text: '', tokens: 0 };
        if (message.kind === 'end') return others;
        if (message.kind === 'tokens') return [...others, { ...known, tokens: message.count }];
        return [...others, { ...known, kind: message.kind, text: (known.text + message.text).slice(-MOST_TEXT) }];
      });
    });
  }, [run]);
  if (steps.length === 0) return null;
  return html`<section class="card live no-print" aria-label="What it does now"><h2>Now</h2>${steps.map(
    ({ step, kind, text, tokens }) => html`<div key=${step}>
      <p class="soft">${step === '' ? '' : `${step}: `}${t(kind === 'output' ? 'a command writes' : 'the model writes')}${tokens > 0 ? `, ${countOf(tokens, 'token')}` : ''}</p>
      ${text !== '' && html`<${Following} text=${text} />`}
    </div>`,
  )}</section>`;
}

/** Stays at the latest line, until somebody scrolls up to read. */
function Following({ text }: { text: string }): VNode {
  const place = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }, [text]);
  const look = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = place.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  return html`<pre ref=${place} tabindex="0" role="log" aria-label="Output" aria-live="off" onScroll=${look}>${text}</pre>`;
}
