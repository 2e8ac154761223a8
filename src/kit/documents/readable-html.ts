/** Owns: the readable part of an HTML page as markdown. Pure, and slow on hostile pages: callers limit memory and time. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

export type PageSource = { html: string; url: string };
export type PageText = { title: string; text: string };

/** An article that is a smaller part of the page is a wrong guess: lists of links and tables are pages, too. */
const LEAST_SHARE = 0.25;
const NEVER_SHOWN =
  'script,style,noscript,template,svg,canvas,iframe,object,embed,form,input,button,select,head,link,meta';

export function readablePage({ html, url }: PageSource): PageText {
  const { document } = parseHTML(/<(?:html|body)[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  const title = document.title.replaceAll(/\s+/g, ' ').trim();
  resolveLinks(document, URL.parse(document.querySelector('base')?.getAttribute('href') ?? '', url)?.href ?? url);
  for (const element of document.querySelectorAll(NEVER_SHOWN)) if (element.tagName !== 'HEAD') element.remove();
  const whole = toMarkdown(document.body);
  const article = new Readability(document, {
    serializer: (node) => node,
  }).parse();
  const text = article?.content === undefined || article.content === null ? '' : toMarkdown(article.content);
  return { title: title || (article?.title ?? ''), text: text.length < whole.length * LEAST_SHARE ? whole : text };
}

/** Links are absolute, so that they can be followed; what is no web address loses its link. */
function resolveLinks(document: ReturnType<typeof parseHTML>['document'], base: string): void {
  for (const link of document.querySelectorAll('a')) {
    const url = URL.parse(link.getAttribute('href') ?? '', base);
    if (url !== null && /^https?:$/.test(url.protocol)) link.setAttribute('href', url.href);
    else link.removeAttribute('href');
    link.removeAttribute('title');
  }
}

/** Markdown of HTML, given as text or as a node of a document. */
export function toMarkdown(node: unknown): string {
  const markdown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  markdown.escape = (text) => text; // nobody renders it, and backslashes cost tokens
  markdown.addRule('image', { filter: 'img', replacement: (_, { alt }) => (alt ? `[image: ${alt}]` : '') });
  markdown.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (text) => `${text.trim().replaceAll(/\s*\n\s*/g, ' ')} | `,
  });
  markdown.addRule('row', { filter: 'tr', replacement: (text) => `\n| ${text.trim()}` });
  markdown.addRule('table', { filter: 'table', replacement: (text) => `\n\n${text.trim()}\n\n` });
  return markdown
    .turndown(node)
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
