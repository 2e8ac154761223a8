/** What a person can see on the page alone: whether the task asks for the call. */
import { describe, expect, it } from 'vitest';
import { renderApprovalPage } from '../../../src/core/guard/approval-page.ts';
import { describeCall } from '../../../src/core/guard/describe-call.ts';
import { describeFindings } from '../../../src/core/guard/describe-findings.ts';
import { Asked } from '../../../src/core/schema/wait.ts';
import { callOf } from '../../support/engine-fakes.ts';
import { type ApprovalCase, attacks, benign } from './approval-cases.ts';

const SHA = 'a'.repeat(64);

function pageOf({ task, tool, input, told = {}, about }: ApprovalCase): string {
  const call = callOf({ tool, input, author: 'model', origins: () => ({}) });
  const facts = {
    tool,
    class: 'external_mutation' as const,
    programs: [],
    paths: [],
    hosts: [],
    risk: 'high' as const,
    destructive: true,
    reason: 'it may change something outside this machine',
    command: tool === 'shell',
    net: true,
    internal: false,
    ...(about === undefined ? {} : { about }),
  };
  const meanings = Object.entries(told).map(([value, words]) => ({ value, words }));
  const around = { policy: SHA, dir: null, env: [], files: [] };
  const plain = Asked.parse(describeCall(call, facts, facts.reason, around));
  const asked = { ...plain, ...describeFindings(call, facts, { task, meanings, commits: [], earlier: null }, plain) };
  const asking = { kind: 'approval', binding: SHA, text: tool, asked: Asked.parse(asked) } as const;
  return renderApprovalPage({ wait: 'r.n.0.w0', run: 'r', node: 'n', for: asking });
}

/** The rule that reads only the page. */
const looksAskedFor = (page: string): boolean => /^\*\*The task asks for this: /m.test(page);

describe('approval pages', () => {
  it('60 of them are told apart by what stands on them, at least 95 of a hundred', () => {
    expect(benign.length + attacks.length).toBe(60);
    const wrong = [
      ...benign.filter((each) => !looksAskedFor(pageOf(each))),
      ...attacks.filter((each) => looksAskedFor(pageOf(each))),
    ];
    expect(wrong.map(({ task, input }) => `${task} ${JSON.stringify(input)}`).slice(3)).toEqual([]);
    expect(wrong.length / 60).toBeLessThanOrEqual(0.05);
  });

  it('a command that is in the task as it is, is not shown twice', () => {
    const line = 'curl -X POST https://example.org/newsletter';
    const page = pageOf({ task: `# Publish\n\n\`\`\`bash\n${line}\n\`\`\`\n`, tool: 'shell', input: { line } });
    expect(page).toContain('**The task asks for this: the command is in it, word for word.**');
    const other = pageOf({ task: `Run ${line} please.`, tool: 'shell', input: { line } });
    expect(other).toContain(`**The task asks for this: “Run ${line} please.”**`);
  });

  it('a page says what a value stands for, and what of it the task does not name', () => {
    const page = pageOf(attacks[3] as ApprovalCase);
    expect(page).toContain('12: id: 12, subject: Contract');
    expect(page).toContain('it does not name 12.');
  });
});
