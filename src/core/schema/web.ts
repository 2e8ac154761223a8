/** Settings of the dashboard. */
import { z } from 'zod';

export const DASHBOARD_PORT = 6520;

export const WebConfig = z
  .strictObject({
    off: z.boolean().default(false).describe('Do not start the dashboard with `oka up`.'),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .default(DASHBOARD_PORT)
      .describe('The port; when it is taken and was not set here, another one is used.'),
    address: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        'The address under which a proxy of yours serves it, such as https://example.org/oka; the proxy passes the path on as it is.',
      ),
  })
  .prefault({})
  .describe('The dashboard.');
export type WebConfig = z.infer<typeof WebConfig>;

/** What of config.json is about the dashboard, for whoever reads nothing else. */
export const ConfigWithWeb = z.object({ web: WebConfig });
