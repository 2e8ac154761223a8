/**
 * Owns: what a person would see of one document, as lines of text with numbered elements. It runs inside the page.
 *
 * Text that nobody can see (hidden, tiny, transparent, in the colour of its background, beside the screen) is left out and
 * counted. Elements have their number for as long as their document lives.
 */
import type { Line, ReadLines } from '../page-lines.ts';

type Reader = {
  /** `next` is the number of the first element that has none yet. */
  read: (next: number) => ReadLines;
  element: (number: number) => Element | null;
  /** Whether a person sees an element, such as a frame. */
  isSeen: (element: Element) => boolean;
};

type Numbers = { of: WeakMap<Element, number>; elements: Map<number, WeakRef<Element>>; next: number };
/** What the elements around a text do to it. */
type Around = { isClear: boolean; isCut: boolean; isLabel: boolean };
type Page = { lines: Line[]; open: string; hidden: number; numbers: Numbers };

const UNREAD = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'HEAD', 'IFRAME', 'OBJECT', 'EMBED']);
const LONGEST_NAME = 120;
const LEAST_FONT = 5;
const LEAST_OPACITY = 0.1;

function openReader(): Reader {
  const numbers: Numbers = { of: new WeakMap(), elements: new Map(), next: 1 };
  return {
    read: (next) => {
      numbers.next = Math.max(numbers.next, next);
      const page: Page = { lines: [], open: '', hidden: 0, numbers };
      visit(document.body ?? document.documentElement, { isClear: true, isCut: false, isLabel: false }, page);
      endLine(page);
      return { lines: page.lines, hidden: page.hidden, next: numbers.next };
    },
    element: (number) => {
      const element = numbers.elements.get(number)?.deref() ?? null;
      return element?.isConnected === true ? element : null;
    },
    isSeen: (element) => isOnPage(element.getBoundingClientRect()) && isShown(element),
  };
}

function visit(node: Node, around: Around, page: Page): void {
  if (node instanceof Text) return addText(node, around, page);
  if (!(node instanceof Element) || UNREAD.has(node.tagName)) return;
  const style = getComputedStyle(node);
  if (style.display === 'none') return hide(node.textContent, page);
  const within: Around = {
    isClear: around.isClear && Number(style.opacity) >= LEAST_OPACITY,
    isCut: around.isCut || isCutAway(node, style),
    isLabel: around.isLabel || (node instanceof HTMLLabelElement && node.control !== null),
  };
  const isBlock = !/^(?:inline|contents)/.test(style.display);
  if (isBlock) endLine(page);
  const kind = kindOf(node, style);
  if (kind === null) visitChildren(node, within, page);
  else addElement(node, kind, style, within, page);
  if (isBlock || node.tagName === 'BR') endLine(page);
  else if (/^T[DH]$/.test(node.tagName)) page.open += ' | ';
}

function visitChildren(element: Element, around: Around, page: Page): void {
  const level = /^H([1-6])$/.exec(element.tagName)?.[1];
  if (level !== undefined) page.open += `${'#'.repeat(Number(level))} `;
  if (element.tagName === 'LI') page.open += '- ';
  const picture = element.tagName === 'IMG' ? element.getAttribute('alt')?.trim() : '';
  if (picture !== undefined && picture !== '')
    if (around.isClear && !around.isCut && isOnPage(element.getBoundingClientRect()))
      page.open += ` (picture: ${picture}) `;
    else hide(picture, page);
  const children = element instanceof HTMLSlotElement ? element.assignedNodes({ flatten: true }) : [];
  const inside = element.shadowRoot ?? element;
  for (const child of children.length > 0 ? children : inside.childNodes) visit(child, around, page);
  if (/^T[DH]$/.test(element.tagName)) page.open += ' | ';
}

function addText(text: Text, around: Around, page: Page): void {
  const words = text.data.replaceAll(/\s+/g, ' ');
  if (words.trim() === '') {
    if (page.open !== '') page.open += ' ';
    return;
  }
  const parent = text.parentElement ?? (text.getRootNode() as ShadowRoot).host;
  const range = document.createRange();
  range.selectNodeContents(text);
  if (around.isLabel) return; // its field has it as a name
  const isSeen = around.isClear && !around.isCut && isOnPage(range.getBoundingClientRect()) && isLegible(parent);
  if (isSeen) page.open += words;
  else hide(words, page);
}

function addElement(element: Element, kind: string, style: CSSStyleDeclaration, around: Around, page: Page): void {
  const rect = element.getBoundingClientRect();
  const name = nameOf(element);
  // A tick box is often drawn by its label, and is itself transparent.
  const isSeen =
    style.visibility === 'visible' &&
    (around.isClear || /^(?:tick box|option)$/.test(kind)) &&
    !around.isCut &&
    isOnPage(rect);
  if (!isSeen) return hide(name, page);
  const number = numberOf(element, page.numbers);
  endLine(page);
  const text = `[${number}] ${kind}${name === '' ? '' : ` "${name}"`}${stateOf(element)}`;
  page.lines.push({ text, number, kind, name });
}

function numberOf(element: Element, numbers: Numbers): number {
  const known = numbers.of.get(element);
  if (known !== undefined) return known;
  const number = numbers.next;
  numbers.next += 1;
  numbers.of.set(element, number);
  numbers.elements.set(number, new WeakRef(element));
  return number;
}

function endLine(page: Page): void {
  const text = page.open.replaceAll(/\s+/g, ' ').trim().replace(/ \|$/, '');
  page.open = '';
  if (/[^#\s|-]/.test(text)) page.lines.push({ text });
}

function hide(text: string | null, page: Page): void {
  page.hidden += (text ?? '').replaceAll(/\s+/g, ' ').trim().length;
}

const ROLES: Readonly<Record<string, string>> = {
  button: 'button',
  link: 'link',
  checkbox: 'tick box',
  switch: 'tick box',
  radio: 'option',
  option: 'option',
  tab: 'tab',
  menuitem: 'menu item',
  combobox: 'field',
  textbox: 'field',
  searchbox: 'field',
};
const INPUTS: Readonly<Record<string, string>> = {
  submit: 'button',
  button: 'button',
  reset: 'button',
  image: 'button',
  checkbox: 'tick box',
  radio: 'option',
  password: 'password field',
  file: 'file field',
};

/** What a person could do with it, in a word; null for everything that only shows something. */
function kindOf(element: Element, style: CSSStyleDeclaration): string | null {
  if (element instanceof HTMLInputElement) return element.type === 'hidden' ? null : (INPUTS[element.type] ?? 'field');
  if (element instanceof HTMLSelectElement) return 'choice';
  if (element instanceof HTMLTextAreaElement) return 'field';
  if (element instanceof HTMLButtonElement || element.tagName === 'SUMMARY') return 'button';
  if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) return 'link';
  const role = ROLES[element.getAttribute('role') ?? ''];
  if (role !== undefined) return role;
  if (element instanceof HTMLElement && element.isContentEditable && element.parentElement?.isContentEditable !== true)
    return 'field';
  const isPointed =
    style.cursor === 'pointer' && getComputedStyle(element.parentElement ?? element).cursor !== 'pointer';
  const isAlone = element.querySelector('a[href],button,input,select,textarea,[role]') === null;
  return (isPointed || element.hasAttribute('onclick')) && isAlone && nameOf(element) !== '' ? 'button' : null;
}

function nameOf(element: Element): string {
  const by = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter((id) => id !== '');
  const root = element.getRootNode() as Document | ShadowRoot;
  const labels = 'labels' in element ? [...((element.labels as NodeListOf<HTMLElement> | null) ?? [])] : [];
  const isField = /^(?:INPUT|SELECT|TEXTAREA)$/.test(element.tagName);
  const button = element instanceof HTMLInputElement && INPUTS[element.type] === 'button' ? element.value : '';
  const found = [
    by.map((id) => root.getElementById(id)?.textContent ?? '').join(' '),
    element.getAttribute('aria-label'),
    labels.map((label) => label.innerText).join(' '),
    button,
    isField ? '' : element instanceof HTMLElement ? element.innerText : element.textContent,
    element.querySelector('img[alt]')?.getAttribute('alt'),
    element.getAttribute('alt'),
    element.getAttribute('placeholder'),
    element.getAttribute('title'),
    element.getAttribute('name'),
  ];
  const words = found.map((each) => (each ?? '').replaceAll(/\s+/g, ' ').trim()).find((each) => each !== '') ?? '';
  return words.replaceAll('"', "'").slice(0, LONGEST_NAME);
}

/** What it contains or leads to, as a person sees it. */
function stateOf(element: Element): string {
  const off = element.matches(':disabled,[aria-disabled="true"]') ? ' (cannot be used)' : '';
  if (element instanceof HTMLSelectElement) {
    const options = [...element.options].map(({ text }) => text.trim());
    const shown = options.slice(0, 20).join(', ');
    return `: ${element.selectedOptions[0]?.text.trim() ?? ''} (of: ${shown}${options.length > 20 ? ', …' : ''})${off}`;
  }
  const isTicked = element.getAttribute('aria-checked') ?? element.getAttribute('aria-selected');
  if (element instanceof HTMLInputElement) {
    if (/^(?:checkbox|radio)$/.test(element.type)) return `${element.checked ? ' (chosen)' : ''}${off}`;
    if (element.type === 'password')
      return `${element.value === '' ? '' : `: ${element.value.length} characters`}${off}`;
    if (INPUTS[element.type] === 'button' || element.value === '') return off;
    return `: ${element.value.slice(0, 200)}${off}`;
  }
  if (element instanceof HTMLTextAreaElement && element.value !== '') return `: ${element.value.slice(0, 500)}${off}`;
  if (element instanceof HTMLAnchorElement && element.host !== '' && element.host !== location.host)
    return ` (to ${element.host})`;
  return `${isTicked === 'true' ? ' (chosen)' : ''}${off}`;
}

function isOnPage(rect: DOMRect): boolean {
  const width = Math.max(document.documentElement.scrollWidth, innerWidth);
  const height = Math.max(document.documentElement.scrollHeight, innerHeight);
  const [left, top] = [rect.left + scrollX, rect.top + scrollY];
  const isLarge = rect.width > 2 && rect.height > 2;
  return isLarge && left + rect.width > 0 && top + rect.height > 0 && left < width && top < height;
}

/** Of a box of one or two points, everything that does not fit is cut away; so is what lies outside of a clip. */
function isCutAway(element: Element, style: CSSStyleDeclaration): boolean {
  const isClipped =
    /^rect\((?:0|1)px,? (?:0|1)px,? (?:0|1)px,? (?:0|1)px\)$/.test(style.clip) ||
    /inset\((?:50|100)%/.test(style.clipPath);
  if (isClipped || style.overflow === 'visible' || /^(?:inline|contents)$/.test(style.display)) return isClipped;
  const { width, height } = element.getBoundingClientRect();
  return width <= 2 || height <= 2;
}

function isShown(element: Element): boolean {
  for (let each: Element | null = element; each !== null; each = each.parentElement) {
    const { opacity, display, visibility } = getComputedStyle(each);
    if (Number(opacity) < LEAST_OPACITY || display === 'none' || visibility !== 'visible') return false;
  }
  return true;
}

function isLegible(element: Element): boolean {
  const { visibility, fontSize, color } = getComputedStyle(element);
  if (visibility !== 'visible' || Number.parseFloat(fontSize) < LEAST_FONT) return false;
  const ink = colourOf(color);
  if (ink.alpha < LEAST_OPACITY) return false;
  const ground = groundOf(element);
  return (
    ground === null || ['red', 'green', 'blue'].some((part) => Math.abs(ink[part as Part] - ground[part as Part]) > 12)
  );
}

type Part = 'red' | 'green' | 'blue';
type Colour = Record<Part | 'alpha', number>;

/** What is behind its text; null where a picture is. */
function groundOf(element: Element): Colour | null {
  for (let each: Element | null = element; each !== null; each = each.parentElement) {
    const { backgroundColor, backgroundImage } = getComputedStyle(each);
    if (backgroundImage !== 'none') return null;
    const colour = colourOf(backgroundColor);
    if (colour.alpha > 0.9) return colour;
  }
  return { red: 255, green: 255, blue: 255, alpha: 1 };
}

function colourOf(text: string): Colour {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (/^rgba?\(([^)]*)\)$/.exec(text)?.[1] ?? '')
    .split(/[\s,/]+/)
    .map(Number);
  return { red, green, blue, alpha };
}

// What whoever puts this into a page gets.
openReader();
