/**
 * Owns: a page or a drawing that a task made, as a copy that leads nowhere. A policy keeps a browser from fetching and
 * running, but not from connecting or resolving a name because of `<link rel=preconnect>` and the like, and that alone can
 * tell somebody something.
 *
 * 1. The copy is written from a list of harmless tags and attributes: what is not on it is left out, whatever it is.
 * 2. Every `<` of the copy begins a tag of the list, so that no browser reads anything else into it.
 * 3. No address is left but those within the page (`#…`) and pictures that it brings along (`data:`).
 */

const TAGS = new Set(
  `a abbr address article aside b bdi bdo blockquote body br caption center cite code col colgroup dd del details dfn div dl dt
  em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img ins kbd li main mark nav ol p pre q rp rt
  ruby s samp section small span strike strong style sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr
  svg g path rect circle ellipse line polyline polygon text tspan textpath defs symbol use marker pattern mask clippath
  lineargradient radialgradient stop filter fegaussianblur feoffset feblend fecolormatrix fecomposite feflood femerge
  femergenode desc image`.split(/\s+/),
);
/** What stands between their tags is for programs. */
const LEFT_OUT_WHOLE = new Set(
  'script iframe object embed applet template noscript noembed noframes title textarea select xmp plaintext foreignobject frameset video audio math'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  `class id style dir lang title alt width height colspan rowspan span scope headers align valign bgcolor border cellpadding
  cellspacing color face size start type value open datetime role hidden nowrap viewbox preserveaspectratio x y x1 x2 y1 y2 cx
  cy r rx ry fx fy dx dy d points transform fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin
  stroke-dasharray stroke-dashoffset stroke-opacity stroke-miterlimit opacity offset stop-color stop-opacity gradientunits
  gradienttransform spreadmethod patternunits patterntransform patterncontentunits markerwidth markerheight markerunits
  marker-start marker-mid marker-end refx refy orient clip-path clip-rule clippathunits mask maskunits maskcontentunits filter
  filterunits in in2 result stddeviation values mode operator k1 k2 k3 k4 flood-color flood-opacity text-anchor
  dominant-baseline alignment-baseline baseline-shift font-family font-size font-style font-weight letter-spacing word-spacing
  text-decoration textlength lengthadjust startoffset rotate display visibility overflow vector-effect paint-order pathlength
  version`.split(/\s+/),
);
const ADDRESSES = new Set(['href', 'xlink:href', 'src']);
/** Their values are shown or only named; those of others may be references. */
const TEXTS = /^(title|alt|class|id|value|lang|(aria|data)-.*)$/;
const WITHIN = /^#[\w.:-]*$/;
const BROUGHT_ALONG = /^data:image\/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]*$/;

/** A tag with its attributes; a comment, a declaration or an instruction matches without a name. */
const MARKUP =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[|\]\]>|<[!?][^>]*(?:>|$)|<(\/?)([a-zA-Z][^\s/>]*)((?:[^>"']+|"[^"]*(?:"|$)|'[^']*(?:'|$))*)(?:>|$)/g;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

/** HTML of the page or drawing `text`. */
export function cleanMarkup(text: string): string {
  const parts = ['<!doctype html>'];
  let at = 0;
  MARKUP.lastIndex = 0;
  for (let found = MARKUP.exec(text); found !== null; found = MARKUP.exec(text)) {
    parts.push(plain(text.slice(at, found.index)));
    at = MARKUP.lastIndex;
    const [, slash = '', name = '', attributes = ''] = found;
    const tag = name.toLowerCase().replace(/^svg:/, '');
    if (slash === '' && LEFT_OUT_WHOLE.has(tag) && !attributes.endsWith('/')) at = endOf(text, tag, at).after;
    else if (TAGS.has(tag)) parts.push(slash === '' ? openTag(tag, name, attributes) : `</${name}>`);
    if (slash === '' && tag === 'style' && !attributes.endsWith('/')) {
      const { before, after } = endOf(text, 'style', at);
      parts.push(cleanStyle(text.slice(at, before)), `</${name}>`);
      at = after;
    }
    MARKUP.lastIndex = at;
  }
  parts.push(plain(text.slice(at)));
  return parts.join('');
}

/** Where the end tag of an element begins and ends; the end of the text when it has none. */
function endOf(text: string, tag: string, from: number): { before: number; after: number } {
  const end = new RegExp(`</(?:svg:)?${tag}[^>]*(?:>|$)`, 'gi');
  end.lastIndex = from;
  const found = end.exec(text);
  return found === null ? { before: text.length, after: text.length } : { before: found.index, after: end.lastIndex };
}

function openTag(tag: string, name: string, attributes: string): string {
  const kept = [...attributes.matchAll(ATTRIBUTE)].flatMap(([, given = '', double, single, bare]) => {
    const value = double ?? single ?? bare ?? '';
    const known = given.toLowerCase();
    if (!isHarmless(tag, known, value)) return [];
    const shown = known === 'style' ? cleanStyle(value) : value;
    return [` ${given}="${shown.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`];
  });
  return `<${name}${kept.join('')}${attributes.endsWith('/') ? '/' : ''}>`;
}

function isHarmless(tag: string, attribute: string, value: string): boolean {
  if (ADDRESSES.has(attribute))
    return WITHIN.test(value) || ((tag === 'img' || tag === 'image') && BROUGHT_ALONG.test(value));
  if (attribute === 'style') return true;
  if (!ATTRIBUTES.has(attribute) && !/^(aria|data)-[\w-]+$/.test(attribute)) return false;
  return TEXTS.test(attribute) || !/&|\\|url\s*\(\s*["']?\s*[^#"'\s]/i.test(value);
}

/** Rules of style without what they would fetch; an escape could hide one, so there is none left. */
function cleanStyle(text: string): string {
  return text
    .replaceAll(/<!\[CDATA\[|\]\]>/g, '')
    .replaceAll(/[\\<]|&[#\w]+;?/g, ' ')
    .replaceAll(/@import[^;}]*[;}]?/gi, '')
    .replaceAll(
      /\b(url|src|image|image-set|cross-fade)\s*\((?!\s*["']?(#|data:image\/(png|jpeg|gif|webp)))/gi,
      'none(',
    );
}

/** Text between tags; entities stay as they are. */
const plain = (text: string): string => text.replaceAll('<', '&lt;');
