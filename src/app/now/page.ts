/** Now: what runs, what waits for you, what came lately, and the place where new work gets in. */
import { z } from 'zod';
import { Instant } from '../../core/schema/names.ts';
import { previewSchedule } from '../web/tasks/preview-schedule.ts';
import { understandSentence } from '../web/tasks/understand-sentence.ts';
import { definePage, defineQuery } from '../../kit/web/page.ts';
import { findQuery } from './find-query.ts';
import { nowQuery } from './now-query.ts';

export const nowPage = definePage({
  name: 'now',
  path: '/',
  title: 'Now',
  nav: { order: 10, key: 'n', icon: 'M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z', isOnPhone: true },
  query: nowQuery,
  queries: {
    find: findQuery,
    understand: defineQuery({
      params: z.object({
        text: z.string().max(20_000).describe('A sentence, as a person types it.'),
        timezone: z.string().max(100).optional().describe('The time zone of the reader; else that of the machine.'),
      }),
      answer: z
        .discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('task'), text: z.string().describe('What is done, once.') }),
          z.strictObject({
            kind: z.literal('schedule'),
            text: z.string().describe('What is done.'),
            every: z.string().describe('When, in the words of the sentence.'),
            next: z.array(Instant).describe('The next three times.'),
          }),
        ])
        .describe('What a sentence would become.'),
      read: ({ params: { text, timezone } }) => Promise.resolve(understandSentence(text, timezone, Date.now())),
    }),
    schedule_preview: defineQuery({
      params: z.object({
        every: z.string().max(200).describe('When, in words or as a cron expression: every Monday 08:00.'),
        timezone: z.string().max(100).optional().describe('The time zone of the reader; else that of the machine.'),
      }),
      answer: z
        .strictObject({
          every: z.string().nullable().describe('The rule as it was given.'),
          timezone: z.string().describe('The time zone of its times.'),
          next: z.array(z.string()).describe('The next three times.'),
        })
        .describe('When a task would be done.'),
      read: ({ params }) => Promise.resolve(previewSchedule(params, Date.now())),
    }),
  },
  intakes: ['answer', 'resolve', 'cancel', 'pause', 'resume'],
  view: new URL('./browser/now-view.ts', import.meta.url),
  styles: [new URL('./browser/now.css', import.meta.url)],
});
