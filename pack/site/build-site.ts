/**
 * Owns: the site of the documents. A link that leads nowhere is a problem, and so is a document that no page shows.
 * A link to a file of the source leads to a copy of that file, so that the site is whole by itself.
 */
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { chapters } from './site-pages.ts';
import { settingsPage } from './settings-page.ts';

type Page = { file: string; title: string; chapter: string; to: string; text: string };
type Entry = { page: string; title: string; at: string; text: string };
type Rendered = { html: string; headings: { depth: number; text: string; id: string }[] };
type Built = { pages: number; problems: string[]; dir: string };

const HERE = import.meta.dirname;
/** Of a part of a page, what is searched beside its heading. */
const SEARCHED_CHARACTERS = 1500;

export function buildSite(top: string, target: string): Built {
  const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as { version: string };
  const dir = join(target, version);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const pages = chapters.flatMap(({ title: chapter, pages: listed }) =>
    listed.map(({ file, title }) => ({ file, title, chapter, to: pageName(file), text: readPage(top, file) })),
  );
  const links = linkChecker(top, dir, pages);
  const entries: Entry[] = [];
  for (const page of pages) {
    const rendered = render(page, links.resolve);
    links.addTargets(page, rendered);
    entries.push(...entriesOf(page));
    writeFileSync(join(dir, page.to), pageHtml(page, rendered, pages, version));
  }
  for (const name of ['site.css', 'search.js']) cpSync(join(HERE, name), join(dir, name));
  writeFileSync(join(dir, 'search-index.js'), `globalThis.okaPages = ${JSON.stringify(entries)};\n`);
  writeFileSync(join(target, 'index.html'), versionsHtml(versionsIn(target)));
  return { pages: pages.length, problems: [...links.problems(), ...missingIn(top, pages)], dir };
}

function pageName(file: string): string {
  if (file === 'README.md') return 'index.html';
  return `${basename(file, extname(file)).replace('config.schema', 'settings').toLowerCase()}.html`;
}

function readPage(top: string, file: string): string {
  const text = readFileSync(join(top, file), 'utf8');
  return file.endsWith('.json') ? settingsPage(JSON.parse(text) as object) : text;
}

function missingIn(top: string, pages: readonly Page[]): string[] {
  const shown = new Set(pages.map(({ file }) => file));
  const missing = globSync('docs/*.md', { cwd: top }).filter((file) => !shown.has(file));
  return missing.map((file) => `${file} is on no page: name it in pack/site/site-pages.ts`);
}

type Resolve = (from: Page, href: string) => string;

function linkChecker(top: string, dir: string, pages: readonly Page[]) {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const wanted: { from: string; page: string; id: string }[] = [];
  const targets = new Set<string>();
  const broken: string[] = [];

  const resolve: Resolve = (from, href) => {
    if (/^(?:https?|mailto):/.test(href)) return href;
    const [path = '', id = ''] = href.split('#', 2);
    const file = path === '' ? from.file : normalize(join(dirname(from.file), path));
    const page = byFile.get(file);
    if (page !== undefined) {
      if (id !== '') wanted.push({ from: from.file, page: page.to, id });
      return `${page === from && id !== '' ? '' : page.to}${id === '' ? '' : `#${id}`}`;
    }
    const source = join(top, file);
    if (!existsSync(source) || file.startsWith('..')) {
      broken.push(`${from.file} links to ${href}, which is not there`);
      return href;
    }
    return copied(source, file);
  };

  /** Text is shown by every browser under this name; of a folder, its files are listed. */
  function copied(source: string, file: string): string {
    const isFolder = statSync(source).isDirectory();
    const isText = !isFolder && !/\.(?:png|svg)$/.test(file);
    const to = join('files', isFolder || isText ? `${file.replace(/\/$/, '')}.txt` : file);
    mkdirSync(dirname(join(dir, to)), { recursive: true });
    if (isFolder) writeFileSync(join(dir, to), `${readdirSync(source).toSorted().join('\n')}\n`);
    else cpSync(source, join(dir, to));
    return to;
  }

  return {
    resolve,
    addTargets: ({ to }: Page, { headings }: Rendered): void => {
      for (const { id } of headings) targets.add(`${to}#${id}`);
    },
    problems: (): string[] => [
      ...broken,
      ...wanted
        .filter(({ page, id }) => !targets.has(`${page}#${id}`))
        .map(({ from, page, id }) => `${from} links to "${id}" on ${page}, where no heading has that name`),
    ],
  };
}

function render(page: Page, resolve: Resolve): Rendered {
  const headings: Rendered['headings'] = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const text = plain(tokens);
        const id = uniqueId(text, headings);
        headings.push({ depth, text, id });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} <a class="here" href="#${id}" aria-label="Link to ${escaped(text)}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        return `<a href="${escaped(resolve(page, href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      code({ text }: Tokens.Code): string {
        return `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`; // who has no mouse scrolls it, too
      },
      image({ href, text }: Tokens.Image): string {
        return `<img src="${escaped(resolve(page, href))}" alt="${escaped(text)}" loading="lazy">`;
      },
      table(token: Tokens.Table): string {
        const cell = (of: Tokens.TableCell, tag: string): string =>
          `<${tag}${of.align === null ? '' : ` style="text-align: ${of.align}"`}>${this.parser.parseInline(of.tokens)}</${tag}>`;
        const row = (cells: Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((each) => cell(each, tag)).join('')}</tr>`;
        const hasHead = token.header.some(({ text }) => text !== '');
        const head = hasHead ? `<thead>${row(token.header, 'th')}</thead>` : '';
        return `<div class="wide" tabindex="0"><table>${head}<tbody>${token.rows.map((each) => row(each, 'td')).join('')}</tbody></table></div>\n`;
      },
    },
  });
  return { html: marked.parse(page.text, { async: false }), headings };
}

/** As the forges make them, so that links work in both places. */
function uniqueId(text: string, taken: readonly { id: string }[]): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const same = taken.filter((each) => each.id === id || each.id.startsWith(`${id}-`)).length;
  return same > 0 && taken.some((each) => each.id === id) ? `${id}-${same}` : id;
}

function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined
        ? plain(token.tokens)
        : 'text' in token
          ? (token.text as string)
          : '',
    )
    .join('');
}

/** Each part of a page below a heading is found by its own words. */
function entriesOf(page: Page): Entry[] {
  const entries: Entry[] = [];
  const ids: { id: string }[] = [];
  for (const token of new Marked().lexer(page.text)) {
    if (token.type === 'heading') {
      const title = plain((token as Tokens.Heading).tokens);
      const id = uniqueId(title, ids);
      ids.push({ id });
      entries.push({ page: page.title, title, at: `${page.to}#${id}`, text: '' });
      continue;
    }
    const last = entries.at(-1);
    if (last !== undefined && last.text.length < SEARCHED_CHARACTERS)
      last.text += ` ${token.raw.replaceAll(/[\s|`*]+/g, ' ')}`.slice(0, SEARCHED_CHARACTERS);
  }
  return entries;
}

function pageHtml(page: Page, { html, headings }: Rendered, pages: readonly Page[], version: string): string {
  const at = pages.indexOf(page);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  const parts = headings.filter(({ depth }) => depth === 2);
  const menu = chapters
    .map(
      ({ title }) =>
        `<h2>${title}</h2><ul>${pages
          .filter(({ chapter }) => chapter === title)
          .map(
            ({ to, title: name }) =>
              `<li><a href="${to}"${to === page.to ? ' aria-current="page"' : ''}>${name}</a></li>`,
          )
          .join('')}</ul>`,
    )
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · oka ${version}</title>
<link rel="stylesheet" href="site.css">
<script defer src="search-index.js"></script>
<script defer src="search.js"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="index.html">oka</a>
<a class="version" href="../index.html" title="Other versions">${version}</a>
<div class="search"><input type="search" id="search" placeholder="Search" aria-label="Search the documents" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found"><ol id="found" role="listbox" aria-label="What was found" hidden></ol></div>
</header>
<div class="columns">
<details class="menu" open><summary>All pages</summary><nav aria-label="Pages">${menu}</nav></details>
<main id="text">
${html}
<footer>
${before === undefined ? '' : `<a rel="prev" href="${before.to}">← ${before.title}</a>`}
${after === undefined ? '' : `<a rel="next" href="${after.to}">${after.title} →</a>`}
</footer>
</main>
${parts.length < 2 ? '' : `<nav class="parts" aria-label="On this page"><h2>On this page</h2><ul>${parts.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('')}</ul></nav>`}
</div>
</body>
</html>
`;
}

/** The latest first. */
function versionsIn(target: string): string[] {
  return readdirSync(target, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(target, entry.name, 'search-index.js')))
    .map(({ name }) => name)
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
}

function versionsHtml(versions: readonly string[]): string {
  const [latest = ''] = versions;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>oka: documents</title>
<link rel="stylesheet" href="${latest}/site.css">
</head>
<body>
<main class="versions">
<h1>oka</h1>
<p>The documents of ${versions.length === 1 ? 'one version' : `${versions.length} versions`}:</p>
<ul>${versions.map((each) => `<li><a href="${each}/index.html">${each}</a>${each === latest ? ', the latest' : ''}</li>`).join('')}</ul>
</main>
</body>
</html>
`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
