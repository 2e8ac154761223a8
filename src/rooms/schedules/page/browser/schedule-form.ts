/** New and changed schedules: what is done, and when. Either is a task with its times, as a person could have dropped it. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { Dialog } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { postTask } from '../../../../kit/web/browser/tasks/post-task.ts';
import { WhenField } from '../../../../kit/web/browser/tasks/when-field.ts';
import { t } from '../../../../kit/web/browser/words.ts';

/** A schedule that is there already, with its file. */
type Edited = { title: string; file: string; text: string; every: string; timezone: string };

export function ScheduleForm({ edited, onClose }: { edited: Edited | null; onClose: () => void }): VNode {
  const text = useSignal(edited?.text ?? '');
  const every = useSignal(edited?.every ?? '');
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (text.value.trim() === '' || every.value.trim() === '') return;
    const given = { every: every.value, ...(edited === null ? {} : { timezone: edited.timezone }) };
    const isSaved = await attempt(async () => {
      const [added] =
        edited === null
          ? await postTask({ ...given, text: text.value, files: [] })
          : await postTask({
              ...given,
              text: '',
              files: [{ path: edited.file, file: new File([text.value], edited.file) }],
            });
      notice(t('Scheduled: {}. First: {}', added?.title ?? '', added?.next[0] ?? ''));
    });
    if (isSaved) onClose();
  };
  return html`<${Dialog} title=${edited === null ? t('New schedule') : t('Change {}', edited.title)} onClose=${onClose}>
    <form class="stack schedule-form" onSubmit=${save}>
      <label class="field" for="schedule-text">What should be done?</label>
      <textarea id="schedule-text" autofocus required rows=${edited === null ? 4 : 10} placeholder="Such as: Summarize the news about solar power on one page" value=${text.value} onInput=${(event: InputEvent) => (text.value = (event.target as HTMLTextAreaElement).value)}></textarea>
      <div class="row"><${WhenField} label="When?" every=${every} timezone=${edited?.timezone} /></div>
      <footer><button type="submit" class="primary">${edited === null ? t('Schedule it') : t('Save')}</button></footer>
    </form>
  <//>`;
}
