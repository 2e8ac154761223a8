/** Changing a conversation. What has changed is seen on the page; a message comes only when nothing can happen yet. */
import { submit } from '../../../../kit/web/browser/api.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import type { Intake } from '../../../../core/schema/intake.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export function change(intake: Intake): Promise<boolean> {
  return attempt(async () => {
    const { worker } = await submit(intake);
    if (!worker) notice(t('Saved. It is done when a worker runs: oka up'));
  });
}
