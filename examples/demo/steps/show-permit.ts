import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePermit, type PublicJwks } from '@permitry/protocol';
import { paint } from '../narrator.ts';
import type { Scene } from '../scene.ts';

export const SAVED_KEYS = 'jwks.json';

/** Explains the content of a permit, and saves the gate's public keys for later. */
export async function showPermit({ narrator, gate, directory }: Scene, token: string): Promise<void> {
  narrator.step('The permit, taken apart');
  const permit = decodePermit(token, { mode: 'test' });
  narrator.assert(permit.ok, 'three parts: header, claims, signature (a JWS, RFC 7515)');
  if (!permit.ok) return;
  const { header, claims } = permit;
  narrator.line(`${' '.repeat(12)}${showParts(token)}`);
  narrator.table([
    ['alg', header.alg],
    ['typ', note(header.typ, 'of a test project: a verifier of live permits refuses it')],
    ['kid', note(header.kid, 'the key that signed')],
    ['iss', note(claims.iss, 'this gate')],
    ['aud', note(claims.aud, 'the project')],
    ['sub', note(claims.sub, 'the agent')],
    ['txn', note(claims.txn, 'the intent')],
    ['jti', note(claims.jti, 'this permit')],
    ['iat', toTime(claims.iat)],
    ['nbf', toTime(claims.nbf)],
    ['exp', note(toTime(claims.exp), `${claims.exp - claims.iat} seconds later`)],
    ['action', paint('bold', claims.action)],
    [
      'params_hash',
      note(shorten(claims.params_hash), 'of order, amount and currency: not one byte may change'),
    ],
    ['intent_hash', note(shorten(claims.intent_hash), 'of everything that the approver was shown')],
    ['policy_hash', note(shorten(claims.policy_hash), 'of the active policy')],
    ['proof_tier', claims.proof_tier],
    [
      'approval',
      `by ${claims.approval.by.join(', ')} at ${claims.approval.at}, method ${claims.approval.method}`,
    ],
  ]);

  const response = await fetch(`${gate.url}/.well-known/jwks.json`);
  const jwks = (await response.json()) as PublicJwks;
  writeFileSync(join(directory, SAVED_KEYS), JSON.stringify(jwks));
  narrator.does('anybody', `curl "$GATE/.well-known/jwks.json" > ${SAVED_KEYS}`);
  narrator.assert(
    jwks.keys.some(({ kid }) => kid === header.kid),
    `${paint('bold', String(response.status))} ${jwks.keys.length} public keys, including the signing one; saved for the end`,
  );
  narrator.why(
    'The permit names one action, one set of parameters, the approver, and a few minutes. It authorises nothing else.',
  );
}

/**
 * Header, claims and signature, each in its own colour. The parts are shortened, because the whole permit is a bearer
 * secret.
 */
function showParts(token: string): string {
  const colours = ['red', 'magenta', 'cyan'] as const;
  const parts = token.split('.').map((part) => `${part.slice(0, 12)}…`);
  return colours.map((colour, index) => paint(colour, parts[index] ?? '')).join('.');
}

function note(value: string, meaning: string): string {
  return `${value}  ${paint('gray', `(${meaning})`)}`;
}

function toTime(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
}

function shorten(hash: string): string {
  return `${hash.slice(0, 'sha256:'.length + 12)}…`;
}
