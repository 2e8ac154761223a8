/** Every host that a task has asked for something: by a tool, through a redirect, or by a command; and who opened it. Pure. */
import { grantedBy, grantsOf } from '../../core/guard/grants.ts';
import type { Event } from '../../core/schema/event.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import { TaskGiven } from '../../core/schema/task-run.ts';

export function hostsContacted(events: readonly Event[]): string[] {
  const hosts = new Set<string>();
  const asked = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'egress.decided' && event.data.verdict === 'allowed') hosts.add(event.data.host);
    if (event.type === 'call.started' && /^(?:http|web)\./.test(event.data.tool)) {
      const url = jsonField(event.data.input, 'url');
      asked.set(event.data.call, (typeof url === 'string' ? URL.parse(url)?.host : undefined) ?? '');
    }
    const host = event.type === 'call.ended' ? asked.get(event.data.call) : undefined;
    if (event.type !== 'call.ended' || host === undefined || /^(denied|waiting)$/.test(event.data.status)) continue;
    const via = jsonField(event.data.output, 'via');
    for (const each of [host, ...(Array.isArray(via) ? via.map(String) : [])]) hosts.add(each);
  }
  hosts.delete('');
  return [...hosts];
}

/** Who opened a host, in words: the task or an approval. Hosts that nobody had to open are not among them. */
export function hostAuthors(events: readonly Event[], hosts: readonly string[]): Record<string, string> {
  const asked = new Map<string, readonly string[]>();
  const approved = new Set<string>();
  const given: TaskGiven[] = [];
  for (const { type, data } of events) {
    const task = type === 'run.started' ? TaskGiven.safeParse(data.input).data : undefined;
    if (task !== undefined && task.fields.from_chat === undefined) given.push(task);
    if (type === 'wait.opened' && data.for.kind === 'approval')
      asked.set(data.wait, data.for.asked?.grant?.hosts ?? []);
    if (type === 'wait.closed' && data.answer.verdict === 'approved')
      for (const host of [...(asked.get(data.wait) ?? []), ...(data.answer.hosts ?? [])]) approved.add(host);
  }
  const grants = grantsOf(
    given.map(({ fields }) => ({ by: 'person', from: 'the task', text: '', hosts: fields.hosts ?? [] })),
  );
  const authorOf = (host: string): string | null =>
    grantedBy(grants, `http://${host}/`) ?? (approved.has(host) ? 'your approval' : null);
  return Object.fromEntries(
    hosts.flatMap((host) => (authorOf(host) === null ? [] : [[host, `from ${authorOf(host)}`]])),
  );
}
