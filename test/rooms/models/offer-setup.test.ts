import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Dialog, DialogLeft } from '../../../src/kit/cli/dialog.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { offerSetup } from '../../../src/rooms/models/offer-setup.ts';
import { temporaryFolder } from '../../support/cli.ts';

// Where CI or OKA_NO_SETUP is set, nothing is offered.
beforeEach(() => void vi.stubEnv('CI', '').stubEnv('OKA_NO_SETUP', ''));
afterEach(() => void vi.unstubAllEnvs());

/** A dialog at which a person answers, or nobody does. */
function dialogWith(answer: string | null, printed: string[]) {
  return async (until?: AbortSignal): Promise<Dialog> => ({
    print: (text) => void printed.push(text),
    ask: () =>
      answer === null
        ? new Promise((_, reject) => until?.addEventListener('abort', () => reject(new DialogLeft())))
        : Promise.resolve(answer),
    askHidden: () => Promise.reject(new DialogLeft()),
    during: (work) => work(new AbortController().signal),
  });
}

it.each([
  ['that nobody answers does not prevent the start', null, 'Nobody answered'],
  ['that a person puts off does not either', '', 'No model was set'],
])('an offer %s', async (_, answer, last) => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const printed: string[] = [];
  const openDialog = dialogWith(answer, printed);
  const signal = new AbortController().signal;
  const call = { home, options: { noSetup: false }, notify: () => undefined, openDialog, rooms: undefined, signal };
  await offerSetup(call, answer === null ? 10 : 60_000)();
  expect(printed.at(-1)).toContain(last);
});
