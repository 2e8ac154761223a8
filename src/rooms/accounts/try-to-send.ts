/** Owns: whether the server that an account sends by takes its login. Sends nothing. */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { MailRoute, MailServer } from '../../kit/mail/server-tls.ts';
import { tryLogin } from '../../kit/mail/smtp-client.ts';

export async function tryToSend(
  account: string,
  smtp: MailServer,
  route: MailRoute,
  signal: AbortSignal,
): Promise<void> {
  try {
    await tryLogin(smtp, route, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OkaError) throw error;
    throw new OkaError(
      'account-down',
      `${smtp.host} cannot be used to send from the account ${account}: ${messageOf(error).replace(/\.+$/, '')}`,
      {
        fix: `Nothing was sent. A person can look at "smtp" of this account in .oka/rules/accounts.json, and at its password: oka secrets set ${(smtp.password ?? 'NAME').replace('secret:', '')} --tool accounts.${account} --host ${smtp.host}`,
        cause: error,
      },
    );
  }
}
