/** Where the browser starts. */
import { render } from 'preact';
import { html } from './html.ts';
import { openStream } from './live-events.ts';
import { showPages } from './page-data.ts';
import { reportPresence } from './presence-beat.ts';
import { followLinks } from './router.ts';
import { openTickets, sessionKey } from './session-key.ts';
import { addressOf } from './start.ts';
import { Shell } from './app-shell.ts';

const app = document.getElementById('app');
if (sessionKey() === '') location.replace(addressOf('/login'));
else if (app !== null) {
  void openTickets();
  followLinks();
  showPages();
  render(html`<${Shell} />`, app);
  openStream();
  reportPresence();
}
