/** What can be done with a conversation: pause and resume, stop replies, pin, delete. */
import type { VNode } from 'preact';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import type { ConversationEntry } from '../../../../core/schema/chat-answers.ts';
import { change } from './change-conversation.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export function ThreadActs({ conversation }: { conversation: ConversationEntry }): VNode {
  const { id, name, state, pinned, queue } = conversation;
  const isPaused = state === 'paused';
  const switchPause = (): Promise<boolean> =>
    isPaused
      ? change({ kind: 'chat_resume', conversations: [id] })
      : change({ kind: 'chat_pause', conversations: [id] });
  const remove = async (): Promise<void> => {
    const isSure = await askConfirmation({
      title: t('Delete {}?', name),
      content: html`<p>Its ${conversation.messages} messages are gone from every view. This cannot be undone here.</p>`,
      yes: t('Delete'),
      isDangerous: true,
    });
    if (!isSure) return;
    navigate('/chat'); // before it is gone, so that nobody asks for it any more
    await change({ kind: 'chat_delete', conversation: id });
  };
  return html`<div class="row">
    ${queue.length > 0 && html`<button type="button" onClick=${() => change({ kind: 'chat_stop', conversation: id })}>Stop all replies</button>`}
    <button type="button" id="pause-chat" aria-pressed=${isPaused} onClick=${switchPause}>${isPaused ? t('Resume') : t('Pause')}</button>
    <button type="button" aria-pressed=${pinned} onClick=${() => change({ kind: 'chat_change', conversation: id, pinned: !pinned })}>${pinned ? t('Unpin') : t('Pin')}</button>
    <button type="button" class="danger" onClick=${remove}>Delete…</button>
  </div>`;
}
