/** Owns: POST /api/v1/presence: a page that is visible and in use says so, and messages are not sent meanwhile. */
import type { Hono } from 'hono';
import { presenceFile } from '../../../rooms/channels/presence.ts';
import { replaceFile } from '../../../core/ledger/disk.ts';
import type { Home } from '../../../core/schema/home.ts';

export function addPresenceRoute(app: Hono, home: Home): void {
  app.post('/api/v1/presence', (context) => {
    replaceFile(presenceFile(home), '', { mode: 0o600 });
    return context.json({ ok: true });
  });
}
