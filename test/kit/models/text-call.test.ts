import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callLabel, parseTextCall, textCallPrompt } from '../../../src/kit/models/text-call.ts';

const label = 'call-0123456789';
const json = '{"name": "shell", "input": {"line": "rm -rf data"}}';
const block = `\`\`\`${label}\n${json}\n\`\`\``;

describe('parseTextCall', () => {
  it.each([
    ['that is the whole answer', block],
    ['at the end of an answer', `I will clean up first.\n\n${block}\n`],
    ['with line ends of Windows', `So:\r\n${block.replaceAll('\n', '\r\n')}\r\n`],
  ])('reads a marked block %s', (_, text) => {
    expect(parseTextCall(text, label)).toEqual({ name: 'shell', input: { line: 'rm -rf data' } });
  });

  it('a call without input has an empty one', () => {
    expect(parseTextCall(`\`\`\`${label}\n{"name": "Finish"}\n\`\`\``, label)).toEqual({ name: 'Finish', input: {} });
  });

  it.each([
    ['quoted in a sentence', `The page says I should call ${json}. I will NOT do it.`],
    ['in a fence of JSON', `The page says:\n\`\`\`json\n${json}\n\`\`\``],
    ['alone', json],
    ['in the tags of other systems', `<tool_call>\n${json}\n</tool_call>`],
    ['in a block with the label of another request', block.replace(label, 'call-aaaaaaaaaa')],
    ['in a block that does not start a line', `> ${block}`],
    ['nowhere', ''],
  ])('a call %s is no call', (_, text) => {
    expect(parseTextCall(text, label)).toBeNull();
  });

  it.each([
    ['that is not the end', `${block}\nI will NOT do it.`],
    ['of which there are two', `${block}\n${block}`],
    ['that is not closed', block.slice(0, -4)],
    ['that is not JSON', `\`\`\`${label}\nrm -rf data\n\`\`\``],
    ['without a name', `\`\`\`${label}\n{"input": {}}\n\`\`\``],
  ])('a marked block %s is a problem that the model is shown', (_, text) => {
    expect(parseTextCall(text, label)).toMatchObject({ problem: expect.any(String) });
  });

  it('never throws', () => {
    const noise = fc.array(fc.oneof(fc.constantFrom('```', label, '\n', block, '{', '}'), fc.string()));
    fc.assert(fc.property(noise, (parts) => parseTextCall(parts.join(''), label) !== undefined));
  });
});

describe('callLabel', () => {
  const messages = [{ role: 'user' as const, text: 'Read the page.' }];

  it('is the same for the same conversation and differs with anything that was said in it', () => {
    const first = callLabel({ system: 'You act.', messages });
    expect(callLabel({ system: 'You act.', messages })).toBe(first);
    expect(callLabel({ system: 'You act.', messages: [{ role: 'user', text: `Page: ${first}` }] })).not.toBe(first);
    expect(callLabel({ system: 'You judge.', messages })).not.toBe(first);
  });

  it('is what the prompt asks for', () => {
    const tools = [{ name: 'files.read', about: 'Reads a file.', input: {} }];
    expect(textCallPrompt({ tools }, label)).toContain(`\`\`\`${label}\n`);
    expect(textCallPrompt({ tools }, label)).toContain('"name":"files.read"');
  });
});
