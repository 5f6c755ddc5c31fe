export type { JsonObject, JsonValue } from './json.ts';
export { PERMIT_TYP, type PermitClaims } from './permit.ts';
export { RECEIPT_TYP, type Receipt, type ReceiptContent } from './receipt.ts';
export * from './vocabulary.ts';

/** A public EC key (RFC 7517) with its RFC 7638 thumbprint as `kid`. */
export interface PublicJwk {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  kid: string;
  alg: 'ES256';
  use: 'sig';
}
