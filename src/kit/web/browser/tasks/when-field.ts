/** A field for when something is done again, with its next times while it is typed, or what is wrong with it. */
import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiError, get } from '../api.ts';
import { html } from '../html.ts';
import { t } from '../words.ts';

type Preview = { timezone: string; next: string[] };
const PAUSE_MS = 300;
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

type Props = { label: string; every: Signal<string>; timezone?: string };

export function WhenField({ label, every, timezone = ownZone }: Props): VNode {
  const preview = useSignal<Preview | ApiError | null>(null);
  const given = every.value.trim();
  useEffect(() => {
    preview.value = null;
    if (given === '') return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void get<Preview>('schedule_preview', { every: given, timezone }, stop.signal).then(
        (shown) => (preview.value = shown),
        (error: unknown) => (error instanceof ApiError ? (preview.value = error) : undefined),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [given]);
  return html`<label class="schedule">${label} <input aria-describedby="schedule-preview" placeholder="every Monday 08:00" value=${every.value} onInput=${(event: InputEvent) => (every.value = (event.target as HTMLInputElement).value)} /></label>
    <small id="schedule-preview" class="schedule-preview" aria-live="polite">${describePreview(preview.value)}</small>`;
}

function describePreview(preview: Preview | ApiError | null): string {
  if (preview === null) return '';
  if (preview instanceof ApiError) return `${preview.message}. ${preview.fix ?? ''}`;
  return t('Next: {} ({})', preview.next.join(' · '), preview.timezone);
}
