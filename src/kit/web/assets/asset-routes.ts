/** Owns: files for the browser over HTTP, kept by it for ever, and the manifest for a phone. */
import type { Hono } from 'hono';
import type { BrowserFiles } from './browser-files.ts';

const ICON = new URL('../browser/icon.svg', import.meta.url);

/** What a worker may do is what the answer with its script says. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'";

export function addAssetRoutes(app: Hono, files: BrowserFiles, base: string): void {
  app.get(`/assets/${files.version}/*`, (context) => {
    const marker = `/assets/${files.version}/`;
    const path = context.req.path.slice(context.req.path.indexOf(marker) + marker.length);
    const file = files.find(path);
    if (file === null) return context.notFound();
    const isGzip = (context.req.header('accept-encoding') ?? '').includes('gzip');
    return new Response(new Uint8Array(isGzip ? file.gzipped : file.body), {
      headers: {
        'Content-Type': file.type,
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
        'Service-Worker-Allowed': base, // the worker that shows notifications is for the whole dashboard
        'Content-Security-Policy': POLICY,
        ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
      },
    });
  });
  app.get('/manifest.webmanifest', (context) =>
    context.json(
      {
        name: 'oka',
        short_name: 'oka',
        start_url: base,
        scope: base,
        display: 'standalone',
        background_color: '#ffffff',
        theme_color: '#ffffff',
        icons: [{ src: base + files.addressOf(ICON), sizes: 'any', type: 'image/svg+xml' }],
      },
      200,
      { 'Content-Type': 'application/manifest+json' },
    ),
  );
}
