/** Offering to set up a model before the worker starts: once for a home, and only to a person at a terminal. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Dialog } from '../../kit/cli/dialog.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { errorText } from '../../kit/cli/error-text.ts';

type OfferingCall = Pick<Call<{ noSetup: boolean }>, 'home' | 'options' | 'notify' | 'openDialog' | 'rooms' | 'signal'>;

/** How long the first question waits: nobody may be there, and everything else works without an answer. */
const PATIENCE_MS = 60_000;

/** The function offers it at its first call only. A set-up that fails, or that nobody answers, does not prevent the start. */
export function offerSetup(call: OfferingCall, patienceMs = PATIENCE_MS): () => Promise<void> {
  let isOffered = call.options.noSetup;
  return async () => {
    if (isOffered || call.openDialog === null) return;
    isOffered = true;
    const { isSetupDue, putOffSetup } = await import('./model-setup.ts');
    if (!(await isSetupDue(call.home, call.rooms))) return;
    const unanswered = new AbortController();
    const opened = await call.openDialog(unanswered.signal);
    const giveUp = setTimeout(() => unanswered.abort(), patienceMs);
    const dialog: Dialog = {
      ...opened,
      ask: async (question) => {
        const answer = await opened.ask(question);
        clearTimeout(giveUp);
        return answer;
      },
    };
    dialog.print(INTRODUCTION);
    const { setUpModel } = await import('./setup-model.ts');
    const outcome = await setUpModel(call, dialog).catch((error: unknown) => {
      if (!(error instanceof OkaError)) throw error;
      call.notify(errorText(error).trimEnd());
      return null;
    });
    clearTimeout(giveUp);
    if (unanswered.signal.aborted) return dialog.print(UNANSWERED);
    if (outcome?.state === 'later') putOffSetup(call.home);
    if (outcome?.state !== 'set' && !call.signal.aborted) dialog.print(AFTERWARDS);
  };
}

const INTRODUCTION = `No language model is set. Runbooks work without one; tasks in plain prose need it.\n`;
const UNANSWERED = `Nobody answered, so oka starts without a model. You can set one at any time: oka model setup\n`;
const AFTERWARDS = `No model was set. You can do it at any time: oka model setup\n`;
