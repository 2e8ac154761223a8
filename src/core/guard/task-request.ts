/**
 * Owns: whether a task asks for a call, told in one line for the page that asks a person. It decides nothing. Pure.
 *
 * W1 A sentence asks for a call if it tells to do something of its kind (to send, to delete, to pay, …), and is no negation.
 * W2 Everything that says where the call goes (an address, a host, an account, an id) is in the task, or stands for
 *    something that the task names: what a tool of the same server has told of it counts, a text inside of it does not.
 * W3 Words of a kind are known in English, German, French and Spanish. Where none is found, the line says that no sentence
 *    asks for it: a page that doubts too much is read, one that assures too much is not.
 */
import type { Json } from '../schema/json.ts';
import { escapeInvisibleLine, shorten } from './escape-invisible.ts';

/** What a value of the call stands for, as the server has told it. */
export type Meaning = { value: string; words: string };

type AskedCall = { tool: string; input: Json; command: boolean; about?: string | undefined };

const KINDS: Readonly<Record<string, RegExp>> = {
  send: /^(?:send|sent|sends|mail|email|mails|reply|respond|answer|forward|message|messages|notif\w*|tell|share|invite|write|post|announce|contact|ping|dm|schick\w*|send\w*|antwort\w*|schreib\w*|teile?n?|leite\w*|envoi\w*|envoy\w*|répond\w*|écri\w*|partag\w*|enví\w*|envi\w*|manda\w*|respond\w*|escrib\w*|compart\w*)$/,
  delete:
    /^(?:delet\w*|remov\w*|trash\w*|clear|erase|cancel\w*|drop|unsubscribe|purge|discard|lösch\w*|entfern\w*|stornier\w*|supprim\w*|effac\w*|annul\w*|borra\w*|elimin\w*|cancela\w*)$/,
  pay: /^(?:pay\w*|paid|transfer\w*|wire|money|buy|purchas\w*|order\w*|book\w*|reserv\w*|refund\w*|donat\w*|bill|invoice|transaction|zahl\w*|überweis\w*|kauf\w*|bestell\w*|buch\w*|pai\w*|pay[ée]\w*|vire\w*|achèt\w*|achet\w*|réserv\w*|command\w*|paga\w*|transfier\w*|compra\w*|reserva\w*)$/,
  publish:
    /^(?:push\w*|publish\w*|deploy\w*|releas\w*|upload\w*|sync\w*|ship|submit\w*|merge|scp|rsync|veröffentlich\w*|hochlad\w*|lade|stell\w*|publie\w*|publi\w*|déploi\w*|téléverse\w*|publica\w*|despliega\w*|sube\w*)$/,
  create:
    /^(?:creat\w*|add|adds|schedul\w*|open|file|make|new|register|insert|plan|append|comment|erstell\w*|anleg\w*|leg|lege|füg\w*|trag\w*|cré\w*|ajout\w*|planifi\w*|crea\w*|añad\w*|agrega\w*|programa\w*)$/,
  change:
    /^(?:updat\w*|chang\w*|edit\w*|set|renam\w*|mov\w*|modif\w*|mark|fix|reset|assign\w*|label|clos\w*|archiv\w*|adjust|reschedul\w*|put|patch|turn|switch|start|stop|restart|änder\w*|setz\w*|benenn\w*|verschieb\w*|schließ\w*|chang\w*|modifi\w*|renomm\w*|ferm\w*|cambi\w*|actualiz\w*|cierra\w*|mueve)$/,
  install: /^(?:install\w*|upgrad\w*|setup|instal\w*)$/,
  read: /^(?:get|gets|read\w*|fetch\w*|look\w*|check\w*|search\w*|find\w*|download\w*|list|show|summar\w*|see|visit|compare|translate|lies|les\w*|such\w*|prüf\w*|lad\w*|li[st]\w*|cherch\w*|vérifi\w*|lee\w*|busca\w*|comprueba\w*|mira\w*|consulta\w*)$/,
};

/** What a request by HTTP, a repository or a server of packages may be called in a task. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  post: ['create', 'send', 'publish', 'change', 'pay'],
  put: ['change', 'publish'],
  patch: ['change'],
  delete: ['delete'],
  money: ['pay'],
  transaction: ['pay'],
  payment: ['pay'],
  invite: ['create'],
  event: ['create'],
  curl: ['send', 'publish', 'create', 'change', 'read'],
};

const NEGATION =
  /(?:^|[^\p{L}])(?:not|never|don't|do not|mustn't|nothing|without|nie|niemals|nicht|kein\w*|nichts|ohne|jamais|ne|n'\p{L}+|rien|sans|nunca|nada|sin|no)(?=$|[^\p{L}])/iu;

/** One line for the top of the page; null if the task is not known. */
export function taskLine(call: AskedCall, task: string | null, meanings: readonly Meaning[]): string | null {
  if (task === null || task.trim() === '') return null;
  const kinds = kindsOf(call);
  const asking = sentencesOf(task).filter((sentence) => !NEGATION.test(sentence) && sharesKind(sentence, kinds));
  if (asking.length === 0) return 'No sentence of the task asks for this.';
  const unnamed = targetsOf(call).filter((target) => !isNamed(target, task, meanings));
  const best = asking.toSorted((a, b) => overlap(b, call) - overlap(a, call))[0] ?? '';
  const said = `“${shorten(escapeInvisibleLine(best), 400)}”`;
  if (unnamed.length === 0 && call.command && best === commandText(call.input).trim())
    return 'The task asks for this: the command is in it, word for word.';
  if (unnamed.length === 0) return `The task asks for this: ${said}`;
  const missing = shorten(escapeInvisibleLine(unnamed.join(', ')), 400);
  return `No sentence of the task asks for exactly this. It says ${said}, and it does not name ${missing}.`;
}

/** Sentences and lines; a dot inside a name or a number ends none. */
function sentencesOf(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?;:])\s+/u)
    .map((each) => each.trim())
    .filter((each) => /\p{L}/u.test(each));
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\d]+/gu) as string[];
}

function kindsIn(words: readonly string[]): string[] {
  const said = Object.entries(KINDS).filter(([, shape]) => words.some((word) => shape.test(word)));
  return [...said.map(([kind]) => kind), ...words.flatMap((word) => ALSO[word] ?? [])];
}

/** What a call does, by its name; of a command by its words, of a request by its method. */
function kindsOf({ tool, input, command, about = '' }: AskedCall): Set<string> {
  const name = tool.startsWith('mcp.') ? tool.split('.').slice(2).join(' ') : tool;
  const method = fieldOf(input, 'method') || (tool === 'http.get' || tool === 'web.read' ? 'get' : '');
  const words = wordsOf(command ? commandText(input) : `${name} ${method}`) ?? [];
  const found = kindsIn(words);
  return new Set(found.length > 0 ? found : kindsIn(wordsOf(about.split('.')[0] ?? '') ?? []));
}

function sharesKind(sentence: string, kinds: ReadonlySet<string>): boolean {
  return kindsIn(wordsOf(sentence) ?? []).some((kind) => kinds.has(kind));
}

const ADDRESS = /[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/gu;
const URLS = /\b[a-z][a-z\d+.-]*:\/\/[^\s"'`<>]+/giu;
const ACCOUNT = /\b[A-Z]{2}\d{2}(?:[ ]?[A-Z\d]{2,4}){3,8}\b/g;
const MACHINE = /\b(?:\d{1,3}\.){3}\d{1,3}\b/g;
/** Fields that say where something goes or what is changed; what others contain is content. */
const POINTS =
  /(?:^|_)(?:id|ids|to|cc|bcc|recipients?|user|users|username|participants?|attendees?|channel|account|iban|host|url|uri|urls|email|emails|phone|number|path|file|branch|repo|repository|remote|name|member|group|hotel|restaurant|company|amount|destination|target|address|table|device|room|key)$/i;
const MOST_LONG = 120;

/** Everything in the call that says where it goes. */
function targetsOf({ input, command }: AskedCall): string[] {
  if (command) return unique(pointersIn(commandText(input)));
  return unique(
    leavesOf(input).flatMap(({ field, text }) => {
      const inside = pointersIn(text);
      if (inside.length > 0) return inside;
      const isPointer = POINTS.test(field.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')) && text.length <= MOST_LONG;
      return isPointer && text.trim() !== '' ? [text.trim()] : [];
    }),
  );
}

function pointersIn(text: string): string[] {
  const hosts = (text.match(URLS) ?? []).flatMap((url) => URL.parse(url)?.host ?? []);
  const rest = text.replaceAll(URLS, ' ');
  const mails = rest.match(ADDRESS) ?? [];
  return [...hosts, ...mails, ...(rest.match(ACCOUNT) ?? []), ...(rest.replaceAll(ADDRESS, ' ').match(MACHINE) ?? [])];
}

/** Whether the task names a target, or what it stands for (W2). */
function isNamed(target: string, task: string, meanings: readonly Meaning[]): boolean {
  if (isIn(target, task)) return true;
  const told = meanings.filter(({ value }) => value === target);
  return told.some(({ words }) => sharesNames(words, task));
}

function isIn(target: string, task: string): boolean {
  const [plain, stated] = [target.toLowerCase(), task.toLowerCase()];
  const isWhole = hasWhole(plain, stated);
  if (isWhole || isPlainNumber(plain, stated)) return true;
  const domain = /^(?:[\p{L}\d-]+\.)+[\p{L}\d-]+(?::\d+)?$/u.test(plain) ? plain.split(':')[0]?.split('.') : undefined;
  const ending = domain === undefined || /^[\d.]+$/.test(plain) ? null : domain.slice(-2).join('.');
  const hosts = (task.match(URLS) ?? []).flatMap((url) => URL.parse(url)?.hostname ?? []);
  return ending !== null && hosts.some((host) => host === ending || host.endsWith(`.${ending}`));
}

/** Whether a text contains another one that is not a part of a longer word or number. */
function hasWhole(wanted: string, text: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1))
    if (![text.charAt(at - 1), text.charAt(at + wanted.length)].some((next) => /[\p{L}\d]/u.test(next))) return true;
  return false;
}

/** 50 and 50.00 are the same amount, and 1,200 is 1200. */
function isPlainNumber(target: string, stated: string): boolean {
  if (!/^\d+(?:\.\d+)?$/.test(target)) return false;
  const numbers = stated.match(/\d[\d,.]*\d|\d/g) ?? [];
  return numbers.some((each) => Number(each.replaceAll(',', '')) === Number(target));
}

const EMPTY = new Set(
  'the a an and or of to in on for from with by at is are be this that it my me you your all any re fwd fw der die das und von zu im am für mit le la les des du de et un une el los las y en para con com org net www http https example mail email message id true false null name subject title date time sent read inbox'.split(
    ' ',
  ),
);

/** Whether what was told of a value and the task have a name in common. */
function sharesNames(words: string, task: string): boolean {
  const stated = new Set((wordsOf(task) ?? []).map(stem));
  return (wordsOf(words) ?? []).some((word) => word.length > 2 && !EMPTY.has(word) && stated.has(stem(word)));
}

const stem = (word: string): string => word.replace(/(?:'s|es|s|en|e)$/u, '');

/** How much of a sentence is about this call. */
function overlap(sentence: string, { input, tool }: AskedCall): number {
  const own = new Set([...(wordsOf(JSON.stringify(input)) ?? []), ...(wordsOf(tool) ?? [])].map(stem));
  return (wordsOf(sentence) ?? []).filter((word) => own.has(stem(word))).length;
}

function leavesOf(value: Json, field = ''): { field: string; text: string }[] {
  if (typeof value === 'string') return [{ field, text: value }];
  if (typeof value === 'number') return [{ field, text: String(value) }];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, field));
  return Object.entries(value).flatMap(([name, inside]) => leavesOf(inside, name));
}

function commandText(input: Json): string {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return '';
  const { line, argv } = input;
  return typeof line === 'string' ? line : Array.isArray(argv) ? argv.map(String).join(' ') : '';
}

function fieldOf(input: Json, name: string): string {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return '';
  const value = input[name];
  return typeof value === 'string' ? value : '';
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
