/** Owns verifying that a webhook comes from the gate: Standard Webhooks 1.0, HMAC-SHA256 (`v1`). */
import { type EventType, type JsonObject, parseStrictJson } from '@permitry/protocol';

/** An event from the gate. `webhook.test` is the test that a person sends from the dashboard or the command line. */
export interface WebhookEvent {
  /**
   * `webhook-id`, the same for every delivery of one event. Store it, and do nothing for an id that you already have.
   */
  id: string;
  /** A newer gate may know more types. */
  type: EventType | 'webhook.test' | (string & {});
  /** When it happened; ISO 8601, UTC. */
  timestamp: string;
  /**
   * `project_id` and `mode`; for an event also `id, seq, intent_id, actor, details, hash`. Never a token or parameters.
   */
  data: JsonObject;
}

/** The headers, as `Request`, Node's `http` and most frameworks provide them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A webhook as received. */
export interface WebhookOptions {
  /** The raw body, byte for byte. Parsing and serialising it again would break the signature. */
  body: string | Uint8Array;
  headers: WebhookHeaders;
  /** `whsec_…`, or several while you rotate a secret. Undefined, e.g. an unset variable, is refused. */
  secret: string | readonly string[] | undefined;
  /** How old the webhook may be, or how far in the future, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Default: this machine's clock. */
  now?: Date | undefined;
}

/**
 * `headers_missing`: one of the three headers is absent or malformed. `signature`: no holder of the secret signed it.
 * `body`: not an event.
 */
export type WebhookRefusal = 'headers_missing' | 'signature' | 'too_old' | 'too_new' | 'body';

/**
 * The request is not a webhook from the gate, or is an old one. Answer 400 and do nothing.
 *
 * @example if (error instanceof WebhookRefusedError) return new Response(error.reason, { status: 400 });
 */
export class WebhookRefusedError extends Error {
  override readonly name: string = 'WebhookRefusedError';
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

const USUAL_TOLERANCE_SECONDS = 300;
const MOST_SIGNATURES = 20;
const encoder = new TextEncoder();

/**
 * Returns the event in a webhook, after verifying that the gate sent it just now.
 *
 * @throws WebhookRefusedError; TypeError for an unusable secret, and for a body that is not the raw one
 * @example
 * app.post('/permitry', express.raw({ type: 'application/json' }), async (request, response) => {
 *   const event = await verifyWebhook({ body: request.body, headers: request.headers, secret: process.env.WEBHOOK_SECRET });
 *   if (event.type === 'intent.approved') queue.add(event.data.intent_id);
 *   response.sendStatus(204);
 * });
 */
export async function verifyWebhook(options: WebhookOptions): Promise<WebhookEvent> {
  const { headers, toleranceSeconds = USUAL_TOLERANCE_SECONDS, now = new Date() } = options;
  const given = options.secret ?? [];
  const secrets = (typeof given === 'string' ? [given] : given).map(toBytes);
  if (secrets.length === 0) throw new TypeError('secret must be at least one whsec_… secret');
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (!id || !signatures || timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookRefusedError('headers_missing', 'The headers of a webhook are missing or malformed.');
  const body = typeof options.body === 'string' ? encoder.encode(options.body) : options.body;
  // Checks the form, because bytes of another realm (a test runner's) are not instances of this realm's classes.
  if (!ArrayBuffer.isView(body))
    throw new TypeError('body must be the raw body, as text or bytes, not the parsed JSON');
  const signed = concatenate(encoder.encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signatures, secrets)))
    throw new WebhookRefusedError('signature', 'The signature of this webhook is wrong.');
  // Written this way round, the comparison refuses when the clock is NaN.
  const ageSeconds = now.getTime() / 1000 - Number(timestamp);
  if (!(ageSeconds <= toleranceSeconds))
    throw new WebhookRefusedError('too_old', 'This webhook was sent too long ago.');
  if (!(ageSeconds >= -toleranceSeconds))
    throw new WebhookRefusedError('too_new', 'This webhook is dated in the future; is a clock wrong?');
  return toEvent(id, body);
}

/** `verify` compares the signatures, and takes equally long for a wrong and a right signature. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  header: string,
  secrets: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const offered = header
    .split(' ', MOST_SIGNATURES)
    .filter((entry) => entry.startsWith('v1,'))
    .flatMap((entry) => fromBase64(entry.slice('v1,'.length)) ?? []);
  for (const secret of secrets) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
    for (const signature of offered) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    }
  }
  return false;
}

function toEvent(id: string, body: Uint8Array): WebhookEvent {
  let value: Partial<WebhookEvent> | null = null;
  try {
    value = parseStrictJson(body) as Partial<WebhookEvent> | null;
  } catch {
    // Reported below.
  }
  const { type, timestamp, data } = value ?? {};
  if (typeof type !== 'string' || typeof timestamp !== 'string' || data === null || typeof data !== 'object')
    throw new WebhookRefusedError('body', 'The body of this webhook is not an event.');
  return { id, type, timestamp, data };
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined;
  const entry = Object.entries(headers).find(([member]) => member.toLowerCase() === name)?.[1];
  // If a header is sent twice, nobody can say which one counts.
  return typeof entry === 'string' ? entry : undefined;
}

function toBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  // The specification requires 24 to 64 bytes. Everybody would know an empty secret.
  if (bytes === undefined || bytes.length < 16)
    throw new TypeError('secret must be whsec_ and base64, as the gate showed it');
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
