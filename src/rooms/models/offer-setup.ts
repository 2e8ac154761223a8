/** Offering to set up a model before the worker starts: once for a home, and only to a person at a terminal. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { errorText } from '../../kit/cli/error-text.ts';

type OfferingCall = Pick<Call<{ noSetup: boolean }>, 'home' | 'options' | 'notify' | 'openDialog' | 'rooms' | 'signal'>;

/** The function offers it at its first call only. A set-up that fails does not prevent the start. */
export function offerSetup(call: OfferingCall): () => Promise<void> {
  let isOffered = call.options.noSetup;
  return async () => {
    if (isOffered || call.openDialog === null) return;
    isOffered = true;
    const { isSetupDue, putOffSetup } = await import('./model-setup.ts');
    if (!(await isSetupDue(call.home, call.rooms))) return;
    const dialog = await call.openDialog();
    dialog.print(INTRODUCTION);
    const { setUpModel } = await import('./setup-model.ts');
    const outcome = await setUpModel(call, dialog).catch((error: unknown) => {
      if (!(error instanceof OkaError)) throw error;
      call.notify(errorText(error).trimEnd());
      return null;
    });
    if (outcome?.state === 'later') putOffSetup(call.home);
    if (outcome?.state !== 'set' && !call.signal.aborted) dialog.print(AFTERWARDS);
  };
}

const INTRODUCTION = `No language model is set. Runbooks work without one; tasks in plain prose need it.\n`;
const AFTERWARDS = `No model was set. You can do it at any time: oka model setup\n`;
