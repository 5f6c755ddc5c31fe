import { createHash } from 'node:crypto';

/** RFC 7638 thumbprint of a P-256 key: the name by which every signature calls it (`kid`). */
export function thumbprint(key: { x: string; y: string }): string {
  // The RFC asks for exactly the required members, in this order, without white space.
  const canonical = JSON.stringify({ crv: 'P-256', kty: 'EC', x: key.x, y: key.y });
  return createHash('sha256').update(canonical).digest('base64url');
}
