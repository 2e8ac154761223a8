/** Secrets by name and use. Names come from the ledger; the vault is not opened. */
import { z } from 'zod';
import { loadConfig } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { knownSecrets, secretUse } from '../../kit/views/secret-view.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { SecretsAnswer } from './settings-answers.ts';

const MOST_USES = 50;

export const secretsQuery = defineQuery({
  params: z.strictObject({}),
  answer: SecretsAnswer,
  read: async ({ home, views }) => {
    const configured = await configuredSecrets(home);
    return views((rows) => ({
      known: knownSecrets(rows),
      configured,
      uses: secretUse(rows, { limit: MOST_USES }).toReversed(),
    }));
  },
});

/** A config that cannot be read is a finding of its own. */
async function configuredSecrets(home: Home): Promise<z.input<typeof SecretsAnswer>['configured']> {
  const credentials = await loadConfig(home).then(
    (config) => config.credentials,
    () => ({}),
  );
  return Object.entries(credentials).map(([name, { env, command, hosts, tools }]) => ({
    name,
    from: env === undefined ? `the command ${command?.[0] ?? ''}` : `the variable ${env}`,
    hosts: [...hosts],
    tools: [...tools],
  }));
}
