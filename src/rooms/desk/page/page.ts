/** The page Files: the desk as folders and files, which run made or changed each, and what can be done with one. */
import { definePage } from '../../../kit/web/page.ts';
import { fileText, filesFound, filesQuery } from './file-queries.ts';

export const filesPage = definePage({
  name: 'files',
  path: '/desk',
  title: 'Files',
  nav: {
    order: 27,
    key: 'd',
    icon: 'M3 7a1 1 0 0 1 1-1h5l2 2h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z',
  },
  query: filesQuery,
  queries: { 'files-found': filesFound, 'file-text': fileText },
  intakes: ['undo'],
  view: new URL('./browser/files-view.ts', import.meta.url),
  styles: [new URL('./browser/files.css', import.meta.url)],
});
