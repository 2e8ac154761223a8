/**
 * Markdown of tasks and models, which is untrusted: turned into HTML, then reduced to what is harmless. Nothing in it runs,
 * and nothing is fetched from elsewhere. The libraries are loaded when the first text is shown.
 */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.ts';

const ALLOWED = {
  ALLOWED_TAGS:
    'h1 h2 h3 h4 h5 h6 p br hr ul ol li blockquote pre code em strong del s a img table thead tbody tr th td sup sub kbd details summary'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'title', 'alt', 'align', 'start', 'open'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
};

/** Where a picture that the text names can be read; null for one that is not ours to show. */
export type PictureOf = (path: string) => Promise<string> | null;

type Props = { text: string; isHtmlShown?: boolean; pictureOf?: PictureOf };

/** The text itself is shown until the libraries are there. `isHtmlShown`: tags in it are shown as text, not left out. */
export function Markdown({ text, isHtmlShown = false, pictureOf }: Props): VNode {
  const [rendered, setRendered] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void toHtml(text, isHtmlShown, pictureOf).then((result) => (isCurrent ? setRendered(result) : undefined));
    return () => void (isCurrent = false);
  }, [text, isHtmlShown]);
  if (rendered === null) return html`<div class="markdown plain">${text}</div>`;
  return html`<div class="markdown" dangerouslySetInnerHTML=${{ __html: rendered }}></div>`;
}

async function toHtml(text: string, isHtmlShown: boolean, pictureOf: PictureOf = () => null): Promise<string> {
  const [{ Marked }, { default: purifier }] = await Promise.all([import('marked'), import('dompurify')]);
  const marked = new Marked({
    renderer: {
      ...(isHtmlShown ? { html: (token) => escapeTags(token.text) } : {}),
      image: ({ href, text: alt }) => `<img title="${escapeQuotes(href)}" alt="${escapeQuotes(alt)}">`,
    },
  });
  const clean = purifier.sanitize(await marked.parse(text, { gfm: true }), ALLOWED);
  const holder = document.createElement('template');
  holder.innerHTML = clean;
  for (const link of holder.content.querySelectorAll('a')) {
    link.rel = 'noopener noreferrer nofollow';
    link.target = '_blank';
  }
  await Promise.all([...holder.content.querySelectorAll('img')].map((image) => show(image, pictureOf)));
  return holder.innerHTML;
}

/** No picture arrives here with an address: it names one of ours, or its words stand in its place. */
async function show(image: HTMLImageElement, pictureOf: PictureOf): Promise<void> {
  const address = await pictureOf(image.title)?.catch(() => null);
  if (address == null) return image.replaceWith(image.alt);
  image.removeAttribute('title');
  image.src = address;
}

const escapeQuotes = (text: string): string => escapeTags(text).replaceAll('"', '&quot;');

const escapeTags = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
