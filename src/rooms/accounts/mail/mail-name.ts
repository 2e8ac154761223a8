/** Owns: how a mail of an account is named between calls: `account/validity.number/folder`. Pure. */

type MailName = { account: string; validity: string; uid: number; folder: string };

export const mailName = ({ account, validity, uid, folder }: MailName): string =>
  `${account}/${validity}.${uid}/${folder}`;

/** Null for words that are no such name. */
export function parseMailName(name: string): MailName | null {
  const [, account, validity, uid, folder] = /^([a-z0-9_-]+)\/(\d+)\.(\d+)\/([^]+)$/.exec(name) ?? [];
  if (account === undefined || validity === undefined || uid === undefined || folder === undefined) return null;
  return { account, validity, uid: Number(uid), folder };
}
