import { vaultOf } from '../../daemon/guard/home-vault.ts';
import { type Call, exits } from '../command.ts';
import { assertSetUp } from '../secret-changes.ts';
import { bold, dim } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  assertSetUp(call);
  const contents = await (await vaultOf(call.home)).read();
  const secrets = Object.entries(contents?.secrets ?? {})
    .filter(([, { value }]) => value !== null)
    .map(([name, { version, tools, hosts, set_at, old }]) => ({
      name,
      version,
      tools,
      hosts,
      set_at,
      old: old.length,
    }));
  if (call.json) call.out(`${JSON.stringify({ secrets })}\n`);
  else if (secrets.length === 0) call.out('There are no secrets yet. Put one in: oka secrets set NAME\n');
  else
    for (const { name, version, tools, hosts, set_at } of secrets)
      call.out(
        `${bold(name)}  version ${version}, ${dim(`set ${set_at.slice(0, 10)}`)}\n  tools  ${listOf(tools)}\n  hosts  ${listOf(hosts)}\n`,
      );
  return exits.ok;
}

const listOf = (names: readonly string[]): string => (names.length === 0 ? dim('none') : names.join(', '));
