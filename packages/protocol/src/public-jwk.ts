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

/** A JWK set, as `/.well-known/jwks.json` returns it. */
export interface PublicJwks {
  keys: readonly PublicJwk[];
}
