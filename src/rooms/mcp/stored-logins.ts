/**
 * Owns: logins at MCP servers, in the vault: mcp.<server>.login with the tokens beside it, so that redaction knows each.
 *
 * L1 A login is for one address: when the entry names another, there is none.
 */
import { problemOfValue, withoutSecret } from '../../kit/vault/vault-contents.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Credential } from '../../core/schema/ports.ts';
import type { Secret, VaultContents } from '../../core/schema/secret.ts';
import { Login } from './client/oauth-login.ts';
import { type SecretChange, vaultOf } from '../../kit/vault/home-vault.ts';

export type LoginStore = {
  find(server: string, url: URL): Promise<Login | null>;
  save(server: string, login: Login): Promise<SecretChange[]>;
  /** Returns nothing when there was no login. */
  remove(server: string): Promise<SecretChange[]>;
};

const Rest = Login.omit({ accessToken: true, refreshToken: true, clientSecret: true });
/** Values that redaction has to know, each a secret of its own. */
const PARTS = { access: 'accessToken', refresh: 'refreshToken', client: 'clientSecret' } as const;
/** An access token that was replaced long ago is expired, and need not be redacted for ever. */
const MOST_OLD = 5;

export function storedLogins(home: Home, find: (name: string) => Promise<Credential | null>): LoginStore {
  const valueOf = async (name: string): Promise<string | null> => (await find(name))?.value ?? null;
  return {
    async find(server, url) {
      const rest = await valueOf(`mcp.${server}.login`);
      const accessToken = await valueOf(`mcp.${server}.access`);
      if (rest === null || accessToken === null) return null;
      const read = Rest.safeParse(JSON.parse(rest));
      if (!read.success || read.data.url !== url.href) return null;
      const refreshToken = await valueOf(`mcp.${server}.refresh`);
      return { ...read.data, accessToken, refreshToken, clientSecret: await valueOf(`mcp.${server}.client`) };
    },
    async save(server, login) {
      const { accessToken: _a, refreshToken: _r, clientSecret: _c, ...rest } = login;
      const values = new Map<string, string | null>([[`mcp.${server}.login`, JSON.stringify(rest)]]);
      for (const [part, field] of Object.entries(PARTS)) values.set(`mcp.${server}.${part}`, login[field]);
      return changeVault(home, values, { tools: [`mcp.${server}`], hosts: [new URL(login.url).host] });
    },
    remove: (server) =>
      changeVault(home, new Map(['login', ...Object.keys(PARTS)].map((part) => [`mcp.${server}.${part}`, null])), {
        tools: [],
        hosts: [],
      }),
  };
}

/** Sets the values that differ; null removes one. */
async function changeVault(
  home: Home,
  values: ReadonlyMap<string, string | null>,
  rules: Pick<Secret, 'tools' | 'hosts'>,
): Promise<SecretChange[]> {
  const vault = await vaultOf(home);
  const isEmpty = [...values.values()].every((value) => value === null);
  if (isEmpty && (await vault.read()) === null) return [];
  const changes: SecretChange[] = [];
  await vault.change((before) => {
    let after = before;
    for (const [name, value] of values) {
      const secret = after.secrets[name];
      if ((secret?.value ?? null) === value) continue;
      assertRedactable(after, name, value);
      after = value === null ? withoutSecret(after, name, false) : withToken(after, name, value, rules);
      const change = value === null ? 'removed' : secret?.value == null ? 'set' : 'rotated';
      changes.push({ name, version: after.secrets[name]?.version ?? 1, change });
    }
    return after;
  });
  return changes;
}

/** A value that redaction would find in ordinary texts would make them unreadable. */
function assertRedactable({ secrets }: VaultContents, name: string, value: string | null): void {
  const problem = value === null ? null : problemOfValue(name, value, Object.keys(secrets));
  if (problem !== null)
    throw new OkaError('refused', `the authorization server gave a token that is none: ${problem.why}`);
}

function withToken(
  contents: VaultContents,
  name: string,
  value: string,
  rules: Pick<Secret, 'tools' | 'hosts'>,
): VaultContents {
  const before = contents.secrets[name];
  const version = before?.version ?? 0;
  const replaced = before === undefined || before.value === null ? [] : [{ version, value: before.value }];
  const old = name.endsWith('.login') ? [] : [...(before?.old ?? []), ...replaced].slice(-MOST_OLD);
  const secret: Secret = { value, version: version + 1, ...rules, set_at: new Date().toISOString(), old };
  return { ...contents, secrets: { ...contents.secrets, [name]: secret } };
}
