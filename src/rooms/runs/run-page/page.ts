/** The page of one run. A step and an event of it have addresses of their own, which open the same page at that place. */
import { definePage, type Page } from '../../../kit/web/page.ts';
import { runCall, runCalls, runEvents, runTimeline } from './run-queries.ts';
import { runDiff, runFiles } from './changed-files.ts';
import { runGraph } from './run-picture.ts';
import { runHead } from './run-head.ts';

const shared = {
  title: 'Run',
  query: runHead,
  intakes: ['answer', 'resolve', 'note', 'cancel', 'pause', 'resume', 'undo', 'write_graph'],
  view: new URL('./browser/run-page-view.ts', import.meta.url),
  styles: [new URL('./browser/run-page.css', import.meta.url)],
} as const satisfies Partial<Page>;

export const runPages: readonly Page[] = [
  definePage({
    ...shared,
    name: 'run',
    path: '/runs/:run',
    queries: {
      'run-calls': runCalls,
      'run-call': runCall,
      'run-timeline': runTimeline,
      'run-events': runEvents,
      'run-files': runFiles,
      'run-diff': runDiff,
      'run-graph': runGraph,
    },
  }),
  definePage({ ...shared, name: 'run-step', path: '/runs/:run/steps/:node' }),
  definePage({ ...shared, name: 'run-event', path: '/runs/:run/events/:seq' }),
];
