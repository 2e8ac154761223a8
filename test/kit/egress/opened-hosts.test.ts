import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../src/core/schema/tool.ts';
import { openedHosts } from '../../../src/kit/egress/opened-hosts.ts';

const call = (about: Partial<ToolCall>): ToolCall =>
  ({ author: 'model', approval: null, origins: () => ({}), ...about }) as ToolCall;
const URL = 'http://nas.local:8123/light';

describe('machines of the own network that are open to a call', () => {
  it('are none for a model that nobody has answered', () => {
    expect(openedHosts(call({}), URL)('nas.local', 8123)).toBe(false);
  });

  it('are the one of the address that was approved, on its port, and not where it redirects to', () => {
    const isOpened = openedHosts(call({ approval: 'b' }), URL);
    expect(isOpened('nas.local', 8123)).toBe(true);
    expect(isOpened('nas.local', 22)).toBe(false);
    expect(isOpened('router.local', 8123)).toBe(false);
  });

  it('are those that a rule names, and none of a rule with a wildcard', () => {
    const isOpened = openedHosts(call({ approvedHosts: ['nas.local:8123', 'web.example.org'] }), URL);
    expect(isOpened('nas.local', 8123)).toBe(true);
    expect(isOpened('web.example.org', 443)).toBe(false);
  });

  it('are those that the operator wrote, unless a tool has filled in the address', () => {
    const own = call({ author: 'operator', origins: () => ({ url: 'task' }) });
    expect(openedHosts(own, URL)('nas.local', 8123)).toBe(true);
    const filled = call({ author: 'operator', origins: () => ({ url: 'tool' }) });
    expect(openedHosts(filled, URL)('nas.local', 8123)).toBe(false);
  });
});
