/**
 * Owns: what a member may do at the servers, as a block of their configuration.
 *
 * P1 A member publishes as itself only: the last part of the subjects of runs, tasks and results is its name, and so is its
 *    key among the members and what they share. It reads what every member reads, and hears only what is sent to its own inbox.
 * P2 No member creates, changes, empties or deletes a stream: whoever sets the fleet up does that once. Nor does it delete a
 *    message, but a task in the queue, which every member can take out of it anyway.
 */
import { FILES, MEMBERS, MEMORY, ORDERS, RESULTS, RUNS, SHARED, TASKS, toToken } from './fleet-subjects.ts';

type Permissions = { publish: string[]; subscribe: string[] };

/** `operator`: it may also stop and drain others. */
export type MemberRole = 'member' | 'operator' | 'administrator';

const API = '$JS.API';

export const inboxOf = (member: string): string => `_INBOX_${toToken(member)}`;

function permissionsOf(member: string, role: MemberRole): Permissions {
  const name = toToken(member);
  const subscribe = [`${inboxOf(member)}.>`];
  if (role === 'administrator') return { publish: ['oka.>', '$JS.>', '$KV.oka_*.>', `$O.${FILES}.>`], subscribe };
  const own = [`oka.run.*.${name}`, `oka.task.*.${name}`, `oka.result.*.${name}`, `oka.shared.>`];
  const buckets = [
    `$KV.${MEMBERS}.${name}`,
    `$KV.${MEMORY}.${name}`,
    `$KV.${ORDERS}.${role === 'operator' ? '>' : `member.${name}`}`,
  ];
  return { publish: [...own, ...buckets, `$O.${FILES}.>`, ...readingOf(name)], subscribe };
}

function readingOf(name: string): string[] {
  const files = `OBJ_${FILES}`;
  const shared = [`KV_${MEMBERS}`, `KV_${ORDERS}`, `KV_${MEMORY}`, files];
  return [
    `${API}.INFO`,
    ...[RUNS, TASKS, RESULTS, SHARED, ...shared].map((stream) => `${API}.STREAM.INFO.${stream}`),
    ...[RUNS, TASKS, SHARED, ...shared].map((stream) => `${API}.STREAM.MSG.GET.${stream}`),
    ...shared.flatMap((stream) => [
      `${API}.DIRECT.GET.${stream}.>`,
      `${API}.DIRECT.GET.${stream}`,
      `${API}.CONSUMER.CREATE.${stream}.>`,
      `${API}.CONSUMER.MSG.NEXT.${stream}.>`,
      `${API}.CONSUMER.INFO.${stream}.>`,
      `${API}.CONSUMER.DELETE.${stream}.>`,
      `$JS.ACK.${stream}.>`,
    ]),
    `${API}.CONSUMER.LIST.${TASKS}`,
    `${API}.STREAM.MSG.DELETE.${TASKS}`,
    ...['CREATE', 'INFO', 'MSG.NEXT'].map((act) => `${API}.CONSUMER.${act}.${TASKS}.>`),
    `$JS.ACK.${TASKS}.>`,
    ...['CREATE', 'INFO', 'MSG.NEXT'].flatMap((act) => [
      `${API}.CONSUMER.${act}.${RESULTS}.home-${name}`,
      `${API}.CONSUMER.${act}.${RESULTS}.home-${name}.>`,
    ]),
    `$JS.ACK.${RESULTS}.home-${name}.>`,
    '$JS.FC.>',
  ];
}

/** An entry of `users` in the `authorization` block, or in an account, of every server. */
export function permissionsBlock(member: string, role: MemberRole): string {
  const { publish, subscribe } = permissionsOf(member, role);
  const list = (subjects: readonly string[]): string => subjects.map((each) => `      "${each}"`).join('\n');
  return `{
  user: "${member}", password: "$OKA_FLEET_PASSWORD"
  permissions: {
    publish: { allow: [
${list(publish)}
    ] }
    subscribe: { allow: [
${list(subscribe)}
    ] }
  }
}`;
}
