/** All conversations, and the place where another one begins. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { type Submitted, submit } from '../../../../kit/web/browser/api.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { ConversationEntry } from '../../../../core/schema/chat-answers.ts';
import { newMessageId } from './chat-message-id.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

type Props = { conversations: readonly ConversationEntry[]; openId: string | null };

export function ConversationList({ conversations, openId }: Props): VNode {
  return html`<nav class="conversations" aria-label="Conversations">
    <h1>Conversations</h1>
    <${NewConversation} />
    <ul>${conversations.map((each) => html`<${Entry} key=${each.id} entry=${each} isOpen=${each.id === openId} />`)}</ul>
  </nav>`;
}

function Entry({ entry, isOpen }: { entry: ConversationEntry; isOpen: boolean }): VNode {
  const { name, state, pinned, messages, last, unread, queue } = entry;
  return html`<li>
    <a href=${conversationAddress(name)} aria-current=${isOpen ? 'page' : null}>
      <span class="row apart"><strong class="one-line">${pinned ? '★ ' : ''}${name}</strong>${last === null ? null : html`<small><${Time} at=${last.at} /></small>`}</span>
      <span class="soft one-line">${last === null ? t('Nothing written yet') : `${last.from}: ${last.content}`}</span>
      <span class="row">
        <small class="number">${countOf(messages, 'message')}</small>
        ${unread.count > 0 && !isOpen && html`<span class="tag">${unread.count} new</span>`}
        ${state === 'paused' && html`<span class="tag warn">paused</span>`}
        ${queue.length > 0 && html`<span class="tag">${queue.length === 1 ? t('1 reply to come') : t('{} replies to come', queue.length)}</span>`}
      </span>
    </a>
  </li>`;
}

function NewConversation(): VNode {
  const name = useSignal('');
  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    const wanted = name.value.trim();
    if (wanted === '') return;
    await attempt(async () => {
      const { worker, done }: Submitted = await submit({
        kind: 'chat_open',
        conversation: newMessageId(),
        name: wanted,
      });
      name.value = '';
      if (worker && done !== undefined) navigate(`/chat/${encodeURIComponent(wanted)}`);
      else notice(t('Saved. It begins when a worker runs: oka up'));
    });
  };
  return html`<form class="row" onSubmit=${open}>
    <input id="new-conversation" aria-label="Name of a new conversation" placeholder="A new conversation" maxlength="80" pattern="[A-Za-z0-9][A-Za-z0-9_.\\-]*" title="Letters, digits, dot, dash and underscore" value=${name.value} onInput=${(event: InputEvent) => (name.value = (event.target as HTMLInputElement).value)} />
    <button type="submit">Begin</button>
  </form>`;
}

const conversationAddress = (name: string): string => addressOf(`/chat/${encodeURIComponent(name)}`);
