/** Owns: classifying an error by what the network, the server and the SDK report. */
import { errnoOf, messageOf, type OkaErrorCode } from '../../core/schema/errors.ts';

/** The codes of OkaError that begin with model-. */
export type ModelErrorKind = OkaErrorCode extends infer Code
  ? Code extends `model-${infer Kind}`
    ? Kind
    : never
  : never;

/** An error as a record of fields: errors of the SDK are recognised by their names alone. */
export type Facts = Record<string, unknown>;

/** An error and what caused it, outermost first. */
export function* causesOf(error: unknown): Generator<Facts> {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth += 1) {
    yield current as Facts;
    current = (current as Facts)['cause'] ?? (current as Facts)['lastError'];
  }
}

const TOO_LONG =
  /context.?(?:length|window|size)|maximum context|prompt is too long|too many tokens|exceeds? the (?:available|maximum|model)/i;
const UNPAID = /insufficient_quota|exceeded your current quota|credit balance/i;
const REFUSED = /content_?(?:filter|policy)|safety system|moderation|flagged/i;
const NO_MODEL = /model.{0,80}(?:not found|does not exist|not exist)|no such model|model_not_found|not_found_error/i;
const TIMED_OUT = /^(?:ETIMEDOUT|UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT)$/;
const UNREACHED =
  /^(?:E(?:CONN|HOST|NET|PIPE|NOTFOUND|AI_)|UND_ERR_SOCKET|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/;
const NO_PROTOCOL =
  /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoOutputGenerated|InvalidStreamPart)/;

export function kindOf(chain: readonly Facts[], answer: Facts): ModelErrorKind {
  const names = chain.map(({ name }) => (typeof name === 'string' ? name : ''));
  const codes = chain.map((each) => errnoOf(each) ?? '');
  if (names.some((name) => /LoadAPIKey/.test(name))) return 'no-key';
  if (names.some((name) => /NoSuchModel/.test(name))) return 'unknown';
  if (codes.some((code) => TIMED_OUT.test(code)) || names.includes('TimeoutError')) return 'stalled';
  if (codes.some((code) => UNREACHED.test(code))) return 'down';
  const status = answer['statusCode'];
  if (typeof status === 'number' && (status < 200 || status >= 300)) return kindOfStatus(status, providerText(answer));
  if (names.some((name) => NO_PROTOCOL.test(name))) return 'bad-answer';
  if (chain.some((each) => /stream error/i.test(messageOf(each)))) return 'bad-answer';
  const cut = chain.some((each) => /terminated|other side closed|Cannot connect|premature/i.test(messageOf(each)));
  if (cut) return 'down';
  return status === undefined ? 'failed' : 'bad-answer';
}

function kindOfStatus(status: number, words: string): ModelErrorKind {
  if (status === 402 || UNPAID.test(words)) return 'unpaid';
  if (status === 401 || status === 403) return 'no-key';
  if (status === 413 || ((status === 400 || status === 422 || status === 500) && TOO_LONG.test(words)))
    return 'context-too-long';
  if (status === 404 || (status === 400 && NO_MODEL.test(words))) return 'unknown';
  if (status === 429) return 'rate-limited';
  if (status === 408 || status === 504) return 'stalled';
  if (status >= 500) return 'down';
  if (status < 400) return 'bad-answer';
  return REFUSED.test(words) ? 'refused' : 'bad-request';
}

/** All fields in which a provider may give the reason. */
function providerText(answer: Facts): string {
  const fields = [answer['responseBody'], answer['message'], answer['type'], answer['code']];
  return fields.filter((field) => typeof field === 'string').join(' ');
}
