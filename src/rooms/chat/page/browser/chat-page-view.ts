/** Conversations: all of them at the side, and the one that is open; on a phone one or the other. */
import type { VNode } from 'preact';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { OpenDecision } from '../../../../kit/web/browser/answers/decision-dialog.ts';
import type { ChatData } from './chat-data.ts';
import { ConversationList } from './conversation-list.ts';
import { ConversationThread } from './conversation-thread.ts';
import { BOX_ID } from './message-box.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export default function ChatPageView({ data, params, reload }: ViewProps<ChatData>): VNode {
  const { conversations, agents, open } = data;
  const missing = params['conversation'];
  const state =
    open !== null ? 'has-thread' : missing !== undefined ? 'is-missing' : conversations.length === 0 ? 'is-empty' : '';
  return html`<div class=${`chat ${state}`}>
    <${ConversationList} conversations=${conversations} openId=${open?.conversation.id ?? null} />
    ${
      open === null
        ? html`<div class="thread"><${Empty} title=${missing !== undefined ? t('There is no conversation {}.', missing) : conversations.length === 0 ? t('There is no conversation yet.') : t('No conversation is open.')}>
            <p>${conversations.length === 0 ? t('Give the first one a name and begin it.') : t('Choose one from the list, or begin another one.')} Agents answer when you mention them, such as @oka.</p>
          <//></div>`
        : html`<${ConversationThread} key=${open.conversation.id} open=${open} agents=${agents} />`
    }
    <${OpenDecision} onDone=${reload} />
  </div>`;
}

/** Also what replies do: it changes who is thinking. */
export const isChangedBy = ({ type, run }: LedgerEvent): boolean =>
  /^(?:chat|message|notice)\./.test(type) || (run?.startsWith('chat-') ?? false);

const focus = (id: string): void => document.getElementById(id)?.focus();

export const keys: readonly Key[] = [
  { key: 'w', does: t('Write a message'), run: () => focus(BOX_ID) },
  { key: 'n', does: t('Begin a conversation'), run: () => focus('new-conversation') },
  { key: 'p', does: t('Pause or resume the conversation'), run: () => document.getElementById('pause-chat')?.click() },
];
