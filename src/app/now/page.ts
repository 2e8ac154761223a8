/** Now: what runs, what waits for you, what came lately, and the place where new work gets in. */
import { z } from 'zod';
import { previewSchedule } from '../web/tasks/preview-schedule.ts';
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
