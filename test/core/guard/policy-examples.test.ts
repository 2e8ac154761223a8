/** The examples of docs/POLICY.md are true. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { grantedBy, grantsOf } from '../../../src/core/guard/grants.ts';
import { foldFlow, whyRequestAsks } from '../../../src/core/guard/information-flow.ts';
import { TaskFile } from '../../../src/core/schema/task-file.ts';
import { callOf } from '../../support/engine-fakes.ts';

const page = readFileSync('docs/POLICY.md', 'utf8');
const examples = [...page.matchAll(/^\| `(.+?)` \| `(http.+?)` \| (asks|goes: .+) \|$/gm)].map(
  ([, task = '', url = '', result = '']) => ({ task, url, result }),
);

describe('the examples of docs/POLICY.md', () => {
  it('are ten', () => {
    expect(examples).toHaveLength(10);
  });

  it.each(examples)('$task: $url: $result', ({ task, url, result }) => {
    const front = task.startsWith('hosts:') ? TaskFile.parse(parse(task)) : null;
    const grants = grantsOf([
      { by: 'person', from: 'the task', text: front === null ? task : '', hosts: front?.hosts ?? [] },
    ]);
    const flow = foldFlow([], { grants, read: 'private.txt', isPublicFile: () => false, followsLinks: true });
    const call = callOf({ tool: 'http.get', author: 'model', input: { url, headers: {} } });
    const why = whyRequestAsks(call, flow, 'none');
    expect(why === null ? `goes: ${grantedBy(grants, url)}` : 'asks').toBe(result);
    if (why !== null) expect(why).toContain(`hosts: [{ host: '${new URL(url).host}', send: true }]`);
  });
});
