/** Secrets by name and use, and where commands wanted to go. Names come from the ledger; the vault is not opened. */
import { z } from 'zod';
import { loadConfig } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { egressHosts, listEgress } from '../../kit/views/egress-view.ts';
import { knownSecrets, secretUse } from '../../kit/views/secret-view.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { EgressAnswer, SecretsAnswer } from './health-answers.ts';

const MOST_USES = 50;
const MOST_HOSTS = 500;

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

export const egressQuery = defineQuery({
  params: z.strictObject({
    before: z.coerce.number().int().positive().optional().describe('Only decisions before this event: the next page.'),
    limit: z.coerce.number().int().positive().max(200).default(50).describe('At most so many.'),
  }),
  answer: EgressAnswer,
  read: ({ params, views }) =>
    views((rows) => {
      const decisions = listEgress(rows, params);
      const next = decisions.length === params.limit ? (decisions.at(-1)?.seq ?? null) : null;
      return { decisions, next, hosts: egressHosts(rows, MOST_HOSTS) };
    }),
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
