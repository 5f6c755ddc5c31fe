/**
 * A receiver's check, written from the text of the Standard Webhooks specification 1.0 alone. The specification defines
 * the header names, the signed content `{id}.{timestamp}.{payload}`, the forms `whsec_…` and `v1,…`, and the tolerance.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

export function isGenuine(
  { headers, text }: { headers: Readonly<Record<string, unknown>>; text: string },
  secret: string,
  nowMs: number,
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': list } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof list !== 'string') return false;
  if (!/^\d+$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    return false;
  if (!secret.startsWith('whsec_')) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  if (key.length < 24 || key.length > 64) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`, 'utf8').digest();
  return list.split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
