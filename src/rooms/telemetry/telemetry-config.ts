import { z } from 'zod';

/** The part of config.json about telemetry. */
export const TelemetryConfig = z
  .strictObject({
    otlp: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .describe(
        'Where traces and logs are sent by OTLP over HTTP, such as http://127.0.0.1:4318; nothing is sent without it.',
      ),
    texts: z
      .boolean()
      .default(false)
      .describe('Whether logs have the sentences that `oka watch` prints; without it only what happened to which run.'),
  })
  .prefault({})
  .describe('OpenTelemetry: runs as traces, events of interest as logs. Never inputs or outputs of calls.');
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;
