import { z } from 'zod';

/** The part of config.json about the browser; unless it is on, the assistant has no tool for it. */
export const BrowserConfig = z
  .strictObject({
    on: z.boolean().default(false).describe('Whether tasks have a browser.'),
    program: z
      .string()
      .max(4000)
      .regex(/^\//)
      .optional()
      .describe('The Chromium to start, as an absolute path; found on this machine when left out.'),
    idle_minutes: z
      .number()
      .min(1)
      .max(1440)
      .default(60)
      .describe('A page that nobody has used for this long is closed; what it wanted to send is not sent.'),
  })
  .describe('A browser for tasks: pages are read, and nothing that could change something outside is sent unasked.');
export type BrowserConfig = z.infer<typeof BrowserConfig>;

/** What of config.json is about the browser, for whoever reads nothing else. */
export const ConfigWithBrowser = z.object({ browser: BrowserConfig.prefault({}) });
