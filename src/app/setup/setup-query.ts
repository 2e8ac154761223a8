/** Owns: what the set-up page shows: which models can be chosen, how the last try ended, and the welcome task. */
import { z } from 'zod';
import { readHomeStatus, workerStateOf } from '../status/home-status.ts';
import { isSetupPutOff, offeredProviders, usualAddress } from '../../rooms/models/model-setup.ts';
import { readModelSetup } from '../../rooms/models/set-model.ts';
import { Instant } from '../../core/schema/names.ts';
import { RunSummary } from '../../core/schema/view-answers.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { type RunRow, rowsPrefix } from '../../kit/views/run-rows.ts';
import { defineQuery } from '../../kit/web/page.ts';

const SetupAnswer = z
  .strictObject({
    worker: z.enum(['running', 'paused', 'stopped', 'silent', 'none']).describe('How the worker stands.'),
    model: z.string().nullable().describe('The model that is set; null when there is none.'),
    put_off: z.boolean().describe('Whether a person has chosen "not now".'),
    providers: z
      .array(
        z
          .strictObject({
            name: z.string().describe('The word before the colon in provider:model.'),
            label: z.string().describe('What it is called.'),
            asks_address: z.boolean().describe('Whether it is a server of your own.'),
            address: z.string().nullable().describe('Its usual address.'),
            takes_key: z.boolean().describe('Whether a key can be given.'),
            example: z.string().describe('A model that it usually has.'),
          })
          .describe('A provider of models.'),
      )
      .describe('What can be chosen.'),
    last: z
      .strictObject({
        request: z.string().nullable().describe('The name that the request had.'),
        at: Instant.describe('When it ended.'),
        model: z.string().nullable().describe('The model that was to be set.'),
        outcome: z
          .enum(['set', 'no-answer', 'read-only', 'refused', 'later'])
          .describe('How it ended; read-only: the text has to be put into config.json by hand.'),
        message: z.string().describe('What to know about it.'),
        fix: z.string().nullable().describe('What to do.'),
        text: z.string().nullable().describe('What belongs into .oka/rules/config.json.'),
      })
      .nullable()
      .describe('How the last request to set a model ended.'),
    welcome: RunSummary.pick({ run: true, title: true, status: true })
      .nullable()
      .describe('The first task of a new home, which shows what oka does.'),
  })
  .describe('Setting up a model.');
type SetupAnswer = z.infer<typeof SetupAnswer>;

export const setupQuery = defineQuery({
  params: z.object({}),
  answer: SetupAnswer,
  read: async ({ home, views }): Promise<SetupAnswer> => {
    const [status, providers, welcome] = await Promise.all([
      readHomeStatus(home),
      offeredProviders(),
      views(findWelcome),
    ]);
    return {
      worker: workerStateOf(status),
      model: status.model,
      put_off: isSetupPutOff(home),
      providers: providers.map((provider) => ({
        name: provider.name,
        label: provider.setup.label,
        asks_address: provider.setup.asksAddress,
        address: usualAddress(provider),
        takes_key: provider.keyName !== null,
        example: provider.setup.example,
      })),
      last: readModelSetup(home),
      welcome,
    };
  },
});

/** `oka up` puts it into the inbox of a new home, so it is among the first runs. */
const SEARCHED = 20;
const WELCOME = 'Welcome to oka';

function findWelcome(rows: Rows): SetupAnswer['welcome'] {
  for (const [, { run, title, status }] of rows.each<RunRow>(rowsPrefix, { limit: SEARCHED }))
    if (title === WELCOME) return { run, title, status };
  return null;
}
