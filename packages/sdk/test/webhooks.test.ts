/** Webhooks signed by the official library of Standard Webhooks. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../server/src/outgoing/webhooks/sign.ts';
import { verifyWebhook, WebhookRefusedError } from '../src/index.ts';

const SECRET = `whsec_${Buffer.alloc(24, 'one').toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 'other').toString('base64')}`;
const AT = new Date('2026-11-20T10:00:00.000Z');
const EVENT = {
  type: 'intent.approved',
  timestamp: '2026-11-20T09:59:59.000Z',
  data: { id: 'evt_1', intent_id: 'int_1', project_id: 'prj_1', details: { text: 'für Ann – 漢字' } },
};
const body = JSON.stringify(EVENT);

const headersBy = (secret: string, at = AT, text = body) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('evt_1', at, text),
});

async function reasonOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error !== null) expect(error).toBeInstanceOf(WebhookRefusedError);
  return (error as WebhookRefusedError | null)?.reason ?? null;
}

const verify = (more: Partial<Parameters<typeof verifyWebhook>[0]> = {}) =>
  verifyWebhook({ body, headers: headersBy(SECRET), secret: SECRET, now: AT, ...more });

describe('a valid webhook', () => {
  it('gives the event with its webhook-id', async () => {
    expect(await verify()).toEqual({ id: 'evt_1', ...EVENT });
  });

  it.each([
    ['Headers', new Headers(headersBy(SECRET))],
    [
      'other capitals',
      Object.fromEntries(Object.entries(headersBy(SECRET)).map(([k, v]) => [k.toUpperCase(), v])),
    ],
  ])('may have headers as %s, and a body in bytes', async (_, headers) => {
    expect(await verify({ headers, body: Buffer.from(body) })).toMatchObject({ type: 'intent.approved' });
  });

  it('may be signed with any of several secrets, on either side', async () => {
    expect(await verify({ secret: [OTHER, SECRET] })).toMatchObject({ id: 'evt_1' });
    const both = signedHeaders({ id: 'evt_1', at: AT.getTime(), body }, [OTHER, SECRET]);
    expect(await verify({ headers: both })).toMatchObject({ id: 'evt_1' });
  });

  it.each([-300, 300])('may be as far from the clock as the tolerance allows (%s s)', async (seconds) => {
    const at = new Date(AT.getTime() + seconds * 1000);
    expect(await verify({ headers: headersBy(SECRET, at) })).toMatchObject({ id: 'evt_1' });
  });
});

describe('a webhook is refused', () => {
  const INEXACT = '{"type":"x","timestamp":"y","data":{"amount":100.00000000000000001}}';
  it.each([
    ['signed with another secret', { headers: headersBy(OTHER) }, 'signature'],
    ['with another body', { body: `${body} ` }, 'signature'],
    ['with another id', { headers: { ...headersBy(SECRET), 'webhook-id': 'evt_2' } }, 'signature'],
    [
      'with another time',
      { headers: { ...headersBy(SECRET), 'webhook-timestamp': '1795168801' } },
      'signature',
    ],
    [
      'without a version',
      { headers: { ...headersBy(SECRET), 'webhook-signature': 'v1a,AAAA' } },
      'signature',
    ],
    ['with nonsense', { headers: { ...headersBy(SECRET), 'webhook-signature': 'v1,! v1, v1' } }, 'signature'],
    [
      'without a signature',
      { headers: { ...headersBy(SECRET), 'webhook-signature': undefined } },
      'headers_missing',
    ],
    ['without an id', { headers: { ...headersBy(SECRET), 'webhook-id': '' } }, 'headers_missing'],
    [
      'with a time in words',
      { headers: { ...headersBy(SECRET), 'webhook-timestamp': 'now' } },
      'headers_missing',
    ],
    [
      'with a duplicate header',
      { headers: { ...headersBy(SECRET), 'webhook-id': ['evt_1', 'evt_2'] } },
      'headers_missing',
    ],
    ['sent too long ago', { now: new Date(AT.getTime() + 301_000) }, 'too_old'],
    ['from the future', { now: new Date(AT.getTime() - 301_000) }, 'too_new'],
    ['with a clock that is not a number', { now: new Date(Number.NaN) }, 'too_old'],
    ['that is not JSON', { body: 'x', headers: headersBy(SECRET, AT, 'x') }, 'body'],
    ['that is null', { body: 'null', headers: headersBy(SECRET, AT, 'null') }, 'body'],
    ['with numbers that lose digits', { body: INEXACT, headers: headersBy(SECRET, AT, INEXACT) }, 'body'],
    ['that is not an event', { body: '{"type":1}', headers: headersBy(SECRET, AT, '{"type":1}') }, 'body'],
  ])('%s', async (_, more, reason) => {
    expect(await reasonOf(verify(more))).toBe(reason);
  });

  it.each(['', 'whsec_', 'whsec_AAAA', 'not base64!', [], undefined])(
    'for an unusable secret: %j',
    async (secret) => {
      await expect(verify({ secret })).rejects.toBeInstanceOf(TypeError);
    },
  );

  it.each([[{ type: 'x' }], [undefined], [null], [[1]], [new ArrayBuffer(2)]])(
    'for a body that is not the raw one: %j',
    async (parsed) => {
      await expect(verify({ body: parsed as never })).rejects.toThrow(/body must be the raw/);
    },
  );

  it('exactly when the official library refuses it', async () => {
    const official = new Webhook(SECRET);
    const now = new Date();
    const changes: [string, (headers: Record<string, string>) => void][] = [
      ['nothing', () => {}],
      ['id', (headers) => (headers['webhook-id'] = 'evt_9')],
      ['signature', (headers) => (headers['webhook-signature'] = `v1,${'A'.repeat(43)}=`)],
      [
        'time',
        (headers) => (headers['webhook-timestamp'] = String(Number(headers['webhook-timestamp']) - 400)),
      ],
      [
        'more of them',
        (headers) => (headers['webhook-signature'] = `v1,AAAA ${headers['webhook-signature']}`),
      ],
    ];
    for (const [what, change] of changes) {
      const headers = headersBy(SECRET, now);
      change(headers);
      let passes = true;
      try {
        official.verify(body, headers);
      } catch {
        passes = false;
      }
      const ours = (await reasonOf(verify({ headers, now }))) === null;
      expect({ what, ours }).toEqual({ what, ours: passes });
    }
  });
});
