/** Owns: the web tools of a home: its search server, the key for it, and the routes that requests take. */
import { mayRedirectTo } from '../../core/guard/egress-rule.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { Home } from '../../core/schema/home.ts';
import { ConfigWithSearch, type SearchConfig } from '../../core/schema/search.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { searchProvider } from './search-providers.ts';
import { webReadTool } from './web-read.ts';
import { webSearchTool } from './web-search.ts';
import type { HomeVault } from '../../kit/vault/home-vault.ts';
import type { LoadedPolicy } from '../../kit/policy/policy-file.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import { parseConfig } from '../../kit/settings.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';

type WebToolPorts = {
  search: SearchConfig;
  artifacts: ArtifactStore;
  egress: EgressRoutes;
  policy: () => LoadedPolicy;
  vault: Pick<HomeVault, 'find'>;
};

export function webTools({ search, artifacts, egress, policy, vault }: WebToolPorts): Tool[] {
  const provider = searchProvider(search);
  if (provider === null) return [];
  return [
    webSearchTool({
      provider,
      // The operator named this server, as that of a model, so it may be on the operator's own network.
      fetch: egress.models.fetch ?? globalThis.fetch,
      keyFor: (host) => keyFor(vault, search.key, host),
    }),
    webReadTool({
      ...egress.tools,
      artifacts,
      // The host that a call names is judged with the call; one that a server names is judged here.
      allowHost: (host, { hop }) => hop === 'asked' || mayRedirectTo(policy().policy, host, 'web.read'),
    }),
  ];
}

/** For a simulation, which has them where the operator has named a server. */
export async function simulatedWebTools(home: Home): Promise<Tool[]> {
  const { search } = await parseConfig(home, ConfigWithSearch);
  return search.provider === 'none' ? [] : [webSearchTool(unusedPorts), webReadTool(unusedPorts)];
}

async function keyFor(vault: Pick<HomeVault, 'find'>, name: string, host: string): Promise<string> {
  const secret = await vault.find(name);
  const fix = `A person can set it: oka secrets set ${name} --tool web.search --host ${host}`;
  if (secret === null)
    throw new OkaError('not-set-up', `there is no secret "${name}" with the key for ${host}`, { fix });
  if (!secret.tools.includes('web.search') || !secret.hosts.includes(host))
    throw new OkaError('not-set-up', `the secret ${name} may not be given to web.search for ${host}`, { fix });
  return secret.value;
}
