import { createHash } from 'node:crypto';

/** RFC 7638 thumbprint of a P-256 key: the `kid` that every signature names. */
export function thumbprint(key: { x: string; y: string }): string {
  // The RFC requires exactly these members, in this order, without white space.
  const canonical = JSON.stringify({ crv: 'P-256', kty: 'EC', x: key.x, y: key.y });
  return createHash('sha256').update(canonical).digest('base64url');
}
