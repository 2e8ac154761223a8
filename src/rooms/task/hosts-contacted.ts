/** Every host that a task has asked for something: by a tool, through a redirect, or by a command. Pure. */
import type { Event } from '../../core/schema/event.ts';
import { jsonField } from '../../core/schema/json-field.ts';

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
