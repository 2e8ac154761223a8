/** Who may use this dashboard, and ending one of them. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { post } from '../../../kit/web/browser/api.ts';
import { askConfirmation } from '../../../kit/web/browser/components/modal.ts';
import { attempt } from '../../../kit/web/browser/components/notices.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { Time } from '../../../kit/web/browser/components/time.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import { addressOf, start } from '../../../kit/web/browser/start.ts';
import type { SessionList } from '../../../kit/web/login/session-routes.ts';
import { t } from '../../../kit/web/browser/words.ts';

type Session = z.infer<typeof SessionList>['sessions'][number];

export function SessionsSection(): VNode {
  const [turn, setTurn] = useState(0);
  const found = useQuery<z.infer<typeof SessionList>>('sessions', {}, turn);
  const end = async (session: Session): Promise<void> => {
    const content = session.current ? t('You will be logged out.') : t('{} will have to log in again.', session.name);
    if (!(await askConfirmation({ title: t('End this session?'), content, yes: t('End it'), isDangerous: true })))
      return;
    if (!(await attempt(() => post('sessions/end', { id: session.id }), t('The session has ended.')))) return;
    if (session.current) location.assign(addressOf('/login'));
    else setTurn(turn + 1);
  };
  return html`<section class="card" aria-labelledby="sessions">
    <h2 id="sessions">Sessions of the dashboard</h2>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Reading…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<ul class="sessions">${found.data.sessions.map(
              (session) => html`<li key=${session.id}>
                <span><strong>${session.name}</strong> ${session.current ? html`<span class="tag">this browser</span>` : null} ${session.rights === 'read' ? html`<span class="tag">read only</span>` : null}
                  <br /><small>${session.kind === 'token' ? html`token, ` : null}<span>since <${Time} at=${session.created} />, last used <${Time} at=${session.used} /></span></small></span>
                ${start.rights === 'read' ? null : html`<button type="button" class="danger" aria-label=${t('End the session of {}', session.name)} onClick=${() => void end(session)}>End</button>`}
              </li>`,
            )}</ul>
            <p class="soft">A link for another browser: <code>oka web link</code></p>`
    }
  </section>`;
}
