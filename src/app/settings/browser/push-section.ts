/** Notifications on this device: subscribing this browser to Web Push. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { submit } from '../../../kit/web/browser/api.ts';
import { attempt } from '../../../kit/web/browser/components/notices.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import { addressOf, start } from '../../../kit/web/browser/start.ts';
import type { PushAnswer } from '../push-query.ts';
import { t } from '../../../kit/web/browser/words.ts';

const WORKER = new URL('../../../kit/web/browser/push-worker.ts', import.meta.url);

export function PushSection(): VNode {
  const [isOn, setOn] = useState(false);
  const found = useQuery<z.infer<typeof PushAnswer>>('push', {}, isOn ? 1 : 0);
  return html`<section class="card" aria-labelledby="push">
    <h2 id="push">Notifications on this device</h2>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Reading…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<${Subscribing} channel=${found.data.channel} publicKey=${found.data.key} isOn=${isOn} onDone=${() => setOn(true)} />`
    }
  </section>`;
}

type Props = { channel: string | null; publicKey: string | null; isOn: boolean; onDone: () => void };

function Subscribing({ channel, publicKey, isOn, onDone }: Props): VNode {
  if (channel === null)
    return html`<p class="soft">Not set up. Add a channel: <code>oka channels add push --kind push --contact mailto:you@example.org</code></p>`;
  if (publicKey === null)
    return html`<p class="soft">The worker has not made its key yet. Start it: <code>oka up</code></p>`;
  if (!isSecureContext || !('serviceWorker' in navigator) || !('PushManager' in globalThis))
    return html`<p class="soft">This browser cannot be notified here: it needs the dashboard over HTTPS, and a push service.</p>`;
  if (isOn) return html`<p>This browser is notified.</p>`;
  const subscribe = async (): Promise<void> => {
    if (await attempt(() => subscribeHere(channel, publicKey), t('This browser is notified from now on.'))) onDone();
  };
  return html`<p>Messages go through the push service of your browser, encrypted: it cannot read them.</p>
    ${start.rights === 'read' ? null : html`<button type="button" onClick=${() => void subscribe()}>Notify this browser</button>`}`;
}

async function subscribeHere(channel: string, publicKey: string): Promise<unknown> {
  const registration = await navigator.serviceWorker.register(WORKER, { type: 'module', scope: addressOf('/') });
  await navigator.serviceWorker.ready;
  const found = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint = '', keys = {} } = found.toJSON();
  const subscription = { endpoint, keys: { p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' } };
  return submit({ kind: 'push', channel, subscription: { ...subscription, about: navigator.userAgent.slice(0, 200) } });
}
