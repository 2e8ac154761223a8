/** Something that waits for a person: an approval, a question, something to install, or a model. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { type Submitted, submit } from '../api.ts';
import { attempt, notice } from '../components/notices.ts';
import { Time } from '../components/time.ts';
import { html } from '../html.ts';
import { addressOf } from '../start.ts';
import type { Intake } from '../../../../core/schema/intake.ts';
import type { WaitFor } from '../../../../core/schema/wait.ts';
import { effectOf, openDecision } from './decision-dialog.ts';
import { type Awaited, chosenId } from './chosen-wait.ts';
import { t } from '../words.ts';

type Props = { wait: Awaited; canAct: boolean };

/** On the page of its run, the title stands above it already. */
export function WaitingCard({ wait, canAct, isOnItsRun = false }: Props & { isOnItsRun?: boolean }): VNode {
  const link = html`<a href=${addressOf(`/runs/${encodeURIComponent(wait.run)}`)}>${wait.title}</a>`;
  const swipe = useSwipe((isRight) => canAct && openDecision(wait, isRight ? 'approved' : 'denied'));
  return html`<article class="card attention" ...${wait.for.kind === 'approval' ? swipe : {}} id=${`item-${wait.wait}`} aria-current=${chosenId.value === wait.wait ? 'true' : null}>
    <header class="row apart"><h3>${isOnItsRun ? t('It waits for you') : link}</h3><small>since <${Time} at=${wait.opened} /></small></header>
    <${Body} wait=${wait} canAct=${canAct} />
  </article>`;
}

/** So far, in pixels, and hardly up or down, so that scrolling is none. */
const FAR = 90;
const STRAIGHT = 45;

/** A finger that goes right or left over a card opens the decision; nothing is answered by it alone. */
function useSwipe(act: (isRight: boolean) => void): Record<string, (event: TouchEvent) => void> {
  const from = useRef<{ x: number; y: number } | null>(null);
  return {
    onTouchStart: ({ touches: [first, second] }) => {
      from.current = first === undefined || second !== undefined ? null : { x: first.clientX, y: first.clientY };
    },
    onTouchEnd: ({ changedTouches: [last] }) => {
      if (from.current === null || last === undefined) return;
      const [x, y] = [last.clientX - from.current.x, last.clientY - from.current.y];
      from.current = null;
      if (Math.abs(x) > FAR && Math.abs(y) < STRAIGHT) act(x > 0);
    },
  };
}

function Body({ wait, canAct }: Props): VNode {
  const { for: awaited } = wait;
  if (wait.model)
    return html`<p>It is written in plain words and needs a language model. <a class="button" href=${addressOf('/setup')}>Set one up</a></p>`;
  switch (awaited.kind) {
    case 'approval':
      return html`<${Approval} wait=${wait} asked=${awaited} canAct=${canAct} />`;
    case 'question':
      return html`<${Question} wait=${wait} question=${awaited} canAct=${canAct} />`;
    case 'requirement':
      return html`<${Requirement} wait=${wait} name=${awaited.name} canAct=${canAct} />`;
    case 'message':
    case 'child':
    case 'timer':
    case 'turn':
      return html`<p>It waits for a reply.</p>`;
  }
}

function Approval({
  wait,
  asked: { asked, text },
  canAct,
}: Props & { asked: Extract<WaitFor, { kind: 'approval' }> }): VNode {
  return html`<p>${asked === undefined ? t('May it go on?') : `${effectOf(asked)}.`}</p>
    ${asked?.task === undefined ? null : html`<p><strong>${asked.task}</strong></p>`}
    <pre class="brief">${asked?.command ?? text}</pre>
    ${asked === undefined ? null : html`<p class="soft">You are asked because ${asked.why}.</p>`}
    ${
      canAct
        ? html`<div class="row"><button type="button" class="primary" onClick=${() => openDecision(wait, 'approved')}>Review and approve…</button>
            <button type="button" onClick=${() => openDecision(wait, 'denied')}>Deny…</button></div>`
        : null
    }`;
}

function Question({
  wait,
  question: { text, options },
  canAct,
}: Props & { question: Extract<WaitFor, { kind: 'question' }> }): VNode {
  const typed = useSignal('');
  const answer = (given: string): Promise<boolean> =>
    send({ kind: 'answer', wait: wait.wait, answer: { verdict: 'answered', text: given } }, t('Answered.'));
  const submitTyped = (event: Event): void => {
    event.preventDefault();
    if (typed.value.trim() !== '') void answer(typed.value.trim());
  };
  return html`<p class="question">${text}</p>
    ${
      canAct && options !== undefined && options.length > 0
        ? html`<div class="row">${options.map((option) => html`<button key=${option} type="button" onClick=${() => answer(option)}>${option}</button>`)}</div>`
        : null
    }
    ${
      canAct && (options === undefined || options.length === 0)
        ? html`<form class="row" onSubmit=${submitTyped}><input aria-label="Your answer" placeholder="Your answer" value=${typed.value} onInput=${(event: InputEvent) => (typed.value = (event.target as HTMLInputElement).value)} /><button type="submit">Answer</button></form>`
        : null
    }`;
}

function Requirement({ wait: { requirement }, name, canAct }: Props & { name: string }): VNode {
  return html`<p>It needs <strong>${name}</strong>${requirement === null ? '' : `: ${requirement.reason}`}</p>
    ${requirement?.command == null ? null : html`<pre>${requirement.command}</pre>`}
    ${requirement === null || requirement.command !== null || requirement.snippet === '' ? null : html`<p class="soft">For the Dockerfile:</p><pre>${requirement.snippet}</pre>`}
    ${requirement?.note == null ? null : html`<p class="soft">Last check: ${requirement.note}</p>`}
    ${canAct ? html`<button type="button" onClick=${() => send({ kind: 'resolve', name }, t('oka checks whether it is there.'))}>It is installed now</button>` : null}`;
}

/** Says what came of it, also when no worker is there to do it. */
function send(intake: Intake, done: string): Promise<boolean> {
  return attempt(async () => {
    const { worker }: Submitted = await submit(intake);
    notice(worker ? done : t('Saved. It is done when a worker runs: oka up'));
  });
}
