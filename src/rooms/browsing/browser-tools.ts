/** Owns: the tools of the browser: what they take, what they do, and what they give back. */
import { z } from 'zod';
import type { BrowserConfig } from '../../core/schema/browser.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { defineTool } from '../../kit/define-tool.ts';
import { BrowserActs } from './browser-acts.ts';
import type { Sessions } from './browser-sessions.ts';

const On = z
  .union([z.int().min(1), z.string().min(1).max(200)])
  .describe('The element: its number, or its name, such as "Add to cart" or "field Name".');

const Output = z.strictObject({
  url: z.string().describe('The address of the page.'),
  title: z.string().describe('Its title.'),
  text: z
    .string()
    .describe('The page, or of one that was shown before only what has changed. [n] marks what can be used.'),
  next: z.int().optional().describe('There is more: look from this line.'),
  hidden: z.int().optional().describe('Characters on the page that nobody can see; they are left out.'),
  held: z
    .array(z.string())
    .optional()
    .describe('What the page wants to send and was not sent. Each begins with its number for browser.send.'),
  notes: z.array(z.string()).optional().describe('What happened by itself.'),
});

/** None that writes: what is entered has to be known. */
const KEYS = /^(?:Enter|Tab|Escape|Space|Home|End|Backspace|Delete|Page(?:Up|Down)|Arrow(?:Up|Down|Left|Right))$/;

const READ = { read_only: true, idempotent: false, risk: 'medium' } as const;

export function browserTools(sessions: Sessions, settings: BrowserConfig): Tool[] {
  const acts = new BrowserActs(sessions, settings);
  return [...pageTools(acts), ...actTools(acts), ...sendTools(acts)];
}

function pageTools(acts: BrowserActs): Tool[] {
  return [
    defineTool({
      name: 'browser.open',
      about:
        'Opens a web page in a real browser, for pages that need scripts or forms. Others read faster by other tools.',
      input: z.strictObject({ url: z.string().min(1).max(8000).describe('An http or https address.') }),
      output: Output,
      annotations: READ,
      targets: ['url'],
      class: 'read',
      act: ({ url }, call) => acts.open(url, call),
    }),
    defineTool({
      name: 'browser.look',
      about: 'Shows the page that is open in the browser.',
      input: z.strictObject({ from: z.int().min(0).default(0).describe('The line to begin at; 0 for all.') }),
      output: Output,
      annotations: READ,
      targets: [],
      class: 'read',
      act: ({ from }, call) => acts.look(from, call),
    }),
    defineTool({
      name: 'browser.wait',
      about: 'Waits until the page shows a text, or for some seconds.',
      input: z.strictObject({
        text: z.string().max(200).optional().describe('The text to wait for.'),
        seconds: z.number().min(0.1).max(60).default(10).describe('At most this long.'),
      }),
      output: Output,
      annotations: READ,
      targets: [],
      class: 'read',
      act: ({ text, seconds }, call) => acts.wait(text ?? null, seconds, call),
    }),
    defineTool({
      name: 'browser.back',
      about: 'Goes back to the page before.',
      input: z.strictObject({}),
      output: Output,
      annotations: READ,
      targets: [],
      class: 'read',
      act: (_, call) => acts.back(call),
    }),
  ];
}

function actTools(acts: BrowserActs): Tool[] {
  return [
    defineTool({
      name: 'browser.click',
      about: 'Clicks. What the page then wants to send is withheld, and listed.',
      input: z.strictObject({ on: On }),
      output: Output,
      annotations: READ,
      targets: [],
      class: 'read',
      act: ({ on }, call) => acts.click(on, call),
    }),
    defineTool({
      name: 'browser.type',
      about: 'Replaces what is in a field of the page.',
      input: z.strictObject({ on: On, text: z.string().max(20_000).describe('The text.') }),
      output: Output,
      annotations: READ,
      targets: [],
      class: 'read',
      act: ({ on, text }, call) => acts.type(on, text, call),
    }),
    defineTool({
      name: 'browser.choose',
      about: 'Chooses an option of a choice.',
      input: z.strictObject({ on: On, option: z.string().max(300).describe('The option, as it is shown.') }),
      output: Output,
      annotations: READ,
      targets: [],
      class: 'read',
      act: ({ on, option }, call) => acts.choose(on, option, call),
    }),
    defineTool({
      name: 'browser.press',
      about: 'Presses a key, such as Enter, Tab, Escape, PageDown or ArrowDown.',
      input: z.strictObject({
        key: z.string().regex(KEYS).describe('The key.'),
      }),
      output: Output,
      annotations: READ,
      targets: [],
      class: 'read',
      act: ({ key }, call) => acts.press(key, call),
    }),
  ];
}

const Site = z.string().min(1).max(500).describe('Scheme, host and port, such as https://shop.example.');

function sendTools(acts: BrowserActs): Tool[] {
  return [
    defineTool({
      name: 'browser.send',
      about: 'Sends what a page wanted to send and was withheld. A person is asked unless a rule allows it.',
      input: z.strictObject({
        request: z.string().max(20).optional().describe('Its number, such as r3; not needed where there is only one.'),
        site: Site.optional().describe('Sends it only if it goes there.'),
      }),
      output: Output,
      annotations: { destructive: true, risk: 'high' },
      targets: [],
      // It has no rights of its own: the request is judged as browser.request. But it is never done twice by itself.
      class: 'read',
      judgedClass: () => 'external_mutation',
      act: ({ request, site }, call) => acts.send(request ?? null, site ?? null, call),
    }),
    defineTool({
      name: 'browser.request',
      about: 'The request that a page wanted to send.',
      input: z.strictObject({
        site: Site,
        request: z.string().max(20).describe('Its number.'),
        page: z.string().max(8000).describe('The page that wants to send it.'),
        method: z.string().max(20).describe('Its method.'),
        url: z.string().max(20_000).describe('Its address.'),
        fields: z
          .array(z.strictObject({ name: z.string(), value: z.string() }))
          .optional()
          .describe('What it sends, by field.'),
        text: z.string().optional().describe('What it sends, where that has no fields.'),
        bytes: z.int().describe('Length of its body.'),
        sha256: z.string().describe('Hash of its body.'),
      }),
      output: z.strictObject({ status: z.int().describe('HTTP status of the answer.') }),
      annotations: { destructive: true, risk: 'high' },
      targets: ['site'],
      internal: true,
      class: 'external_mutation',
      act: ({ request, sha256, url }, call) => acts.request({ id: request, sha256, url }, call),
    }),
    defineTool({
      name: 'browser.follow',
      about: 'The browser goes to another site, or does something on its page.',
      input: z.strictObject({
        url: z.string().max(20_000).describe('Where it goes, or is.'),
        of: z.int().min(1).describe('Among how many things this was chosen.'),
        stays: z.literal(true).optional().describe('It is there already: something on the page is done.'),
      }),
      output: z.strictObject({}),
      annotations: READ,
      targets: ['url'],
      internal: true,
      class: 'read',
      act: ({ url }, call) => acts.follow(url, call),
    }),
  ];
}
