/** One conversation: its messages, who answers, what is asked of you, and the box to write in. */
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { Markdown } from '../../../../kit/web/browser/components/markdown.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { setParams } from '../../../../kit/web/browser/router.ts';
import { addressWithTicket } from '../../../../kit/web/browser/session-key.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { ChatMessage } from '../../../../core/schema/chat-answers.ts';
import { WaitingCard } from '../../../../kit/web/browser/answers/waiting-card.ts';
import type { ChatData } from './chat-data.ts';
import { MessageBox } from './message-box.ts';
import { OpenReplies } from './open-replies.ts';
import { ThreadActs } from './thread-acts.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Open = NonNullable<ChatData['open']>;

const MORE = 200;

export function ConversationThread({ open, agents }: { open: Open; agents: ChatData['agents'] }): VNode {
  const { conversation, page, waiting, delays } = open;
  const end = useStayAtEnd(page.messages.at(-1)?.id ?? '');
  return html`<section class="thread" aria-labelledby="thread-name">
    <header>
      <a class="back" href=${addressOf('/chat')}>All conversations</a>
      <div class="row apart"><h2 id="thread-name">${conversation.name}</h2><${ThreadActs} conversation=${conversation} /></div>
      <p class="soft">${conversation.members.length === 0 ? t('Nobody has joined yet; mention an agent to ask it.') : t('With {}', conversation.members.map((name) => `@${name}`).join(', '))}</p>
      ${conversation.state === 'paused' && html`<p class="warning">Paused: what is asked is queued, and nothing answers until you resume it.</p>`}
    </header>
    ${page.earlier && html`<p><button type="button" class="quiet" onClick=${() => setParams({ limit: Math.min(2000, page.messages.length + MORE) })}>Show earlier messages</button></p>`}
    <div role="log" aria-label="Messages">
      <ol class="messages">${page.messages.map((message) => html`<${Message} key=${message.id} message=${message} />`)}</ol>
    </div>
    <${OpenReplies} conversation=${conversation} delays=${delays} />
    ${waiting.map((wait) => html`<${WaitingCard} key=${wait.wait} wait=${wait} canAct=${true} />`)}
    <div ref=${end}></div>
    <${MessageBox} conversation=${conversation} agents=${agents} />
  </section>`;
}

function Message({ message }: { message: ChatMessage }): VNode {
  const { id, from, kind, content, at, run, body, status, limit, model, cost } = message;
  if (kind === 'system')
    return html`<li id=${`message-${id}`} class="message system"><p class="plain"><small>${content} · <${Time} at=${at} /></small></p></li>`;
  const isBad = status !== undefined && status !== 'done';
  return html`<li id=${`message-${id}`} class=${`message ${kind}`}>
    <p class="row"><strong>${kind === 'person' ? t('You') : from}</strong><small><${Time} at=${at} /></small>
      ${isBad && html`<span class="tag warn">${t(status)}${limit === undefined ? '' : `: ${limit}`}</span>`}</p>
    ${kind === 'agent' ? html`<${Markdown} text=${content} isHtmlShown=${true} />` : html`<p class="plain">${content}</p>`}
    ${body !== undefined && run !== null && html`<p><a href=${addressWithTicket(`/artifacts/${encodeURIComponent(run)}/${body}`)}>The complete text</a></p>`}
    ${
      run !== null &&
      html`<p><small><a href=${addressOf(`/runs/${encodeURIComponent(run)}`)}>How it was answered</a>${model === undefined ? '' : ` · ${model}`}${cost === undefined || cost.usd === 0 ? '' : ` · ${formatMoney(cost.usd)}`}</small></p>`
    }
  </li>`;
}

/** Scrolls to the end when a message comes, unless the reader is further up. */
function useStayAtEnd(last: string): { current: HTMLDivElement | null } {
  const end = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    const below = document.documentElement.scrollHeight - innerHeight - scrollY;
    if (isFirst.current || below < innerHeight) scrollTo(0, document.documentElement.scrollHeight);
    isFirst.current = false;
  }, [last]);
  return end;
}
