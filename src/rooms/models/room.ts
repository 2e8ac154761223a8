/** What the network of a home contributes: the routes by which anything leaves the machine, and the models behind them. */
import type { Config } from '../../core/schema/config.ts';
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, config, ledger, vault, policy, providers, fleet, egress, models } = ports;

export const network = defineRoom({
  name: 'rooms/models',
  events: ['egress.decided'],
  findings: async (at, { loadConfig, loadProviders }) => {
    const settings = await (loadConfig() as Promise<Config>).catch(() => null); // an invalid config is a finding of its own
    if (settings === null) return [];
    return (await import('./model-findings.ts')).modelFindings(at, settings, await loadProviders());
  },
  needs: { home, config, ledger, vault, policy, providers, fleet },
  gives: { egress, models },
  open: async (needed) => {
    const {
      home: at,
      config: set,
      ledger: written,
      vault: secrets,
      policy: active,
      providers: known,
      fleet: member,
    } = needed;
    const [{ egressRoutes }, { egressEvent }, { modelsOf }] = await Promise.all([
      import('../../kit/egress/egress-routes.ts'),
      import('./egress-event.ts'),
      import('../../kit/models/home-models.ts'),
    ]);
    const routes = egressRoutes({
      home: at,
      policy: () => active().policy,
      decided: (decided) => void written.stage(egressEvent(decided)),
      clock: Date.now,
      claims: member?.claims,
    });
    return {
      gives: { egress: routes, models: modelsOf(at, set, secrets, known, routes.models) },
      intakes: {
        model: async (intake) => (await import('./set-model.ts')).setModel(at, routes.models, intake),
      },
      close: () => routes.steps[Symbol.asyncDispose](),
    };
  },
});
