/** The browser's part of web push: creates a subscription and decrypts its messages (RFC 8291, RFC 8188). */
import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import type { PushPayload } from '../../src/outgoing/push/push-message.ts';
import type { ReceivedPost } from './receive-posts.ts';

export interface SoftwareBrowser {
  endpoint: string;
  p256dh: string;
  auth: string;
  /** Throws if the message is for another browser or was altered. */
  open(post: ReceivedPost): PushPayload;
}

export function softwareBrowser(endpoint: string): SoftwareBrowser {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys();
  const auth = randomBytes(16);
  return {
    endpoint,
    p256dh: publicKey.toString('base64url'),
    auth: auth.toString('base64url'),
    open({ body, headers }) {
      if (headers['content-encoding'] !== 'aes128gcm') throw new Error('not the encoding of RFC 8291');
      const salt = body.subarray(0, 16);
      const idLength = body.readUInt8(20);
      const sender = body.subarray(21, 21 + idLength);
      const shared = pair.computeSecret(sender);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]);
      const input = expand(hmac(auth, shared), info, 32);
      const secret = hmac(salt, input);
      const key = expand(secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const nonce = expand(secret, Buffer.from('Content-Encoding: nonce\0'), 12);
      const record = body.subarray(21 + idLength);
      const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
      const end = padded.lastIndexOf(2);
      return JSON.parse(padded.subarray(0, end).toString()) as PushPayload;
    },
  };
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

/** HKDF-Expand of one block (RFC 5869). */
function expand(key: Buffer, info: Buffer, length: number): Buffer {
  return hmac(key, Buffer.concat([info, Buffer.from([1])])).subarray(0, length);
}

/** Claims of the gate's signature, once it verifies under this key (RFC 8292). */
export function verifyVapid(
  post: ReceivedPost,
  publicKey: string,
): { aud: string; exp: number; sub: string } {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(String(post.headers.authorization)) ?? [];
  if (key !== publicKey) throw new Error('signed by another key');
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const [header = '', claims = '', signature = ''] = token.split('.');
  const sound = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!sound) throw new Error('the signature is wrong');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}
