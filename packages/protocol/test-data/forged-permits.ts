/**
 * Makes the tokens that `forged-permits.json` describes, out of a genuine permit and the key that signed it.
 *
 * Words of the table, in the order in which they are applied:
 * - `header`, `claims`: `set` members, `remove` members, `insert` raw JSON text behind the opening brace, put text
 *   `before` or `after` the JSON, or replace it all by `text`.
 * - `sign`: how the new text is signed; `gate` is a correct signature by the gate's own key.
 * - `token`: what is done to the finished token.
 *
 * Values: `$foreign_kid`, `$foreign_jwk`, `$gate_jwk`, `$other_mode_typ`, `$aud` (of the genuine permit), `{ "$now":
 * seconds }` (that far from now), and `$8KiB` inside an inserted text.
 */
import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import table from './forged-permits.json' with { type: 'json' };

interface Edit {
  set?: Record<string, unknown>;
  remove?: string[];
  insert?: string;
  before?: string;
  after?: string;
  text?: string;
}

interface TokenEdit {
  before?: string;
  after?: string;
  inside?: string;
  trailing_bits?: 'signature';
  alphabet?: 'base64';
  serialisation?: 'json';
}

export interface Forgery {
  name: string;
  /** A reason of the closed list. Null: the permit verifies, and `source` says why that does no harm. */
  expected: string | null;
  source: string;
  header?: Edit;
  claims?: Edit;
  sign: string;
  token?: TokenEdit;
}

export const FORGED_PERMITS: readonly Forgery[] = table.forgeries as Forgery[];

export interface ForgersKit {
  /** A genuine permit. */
  token: string;
  /** The key that signed the permit. Its public part is enough for the forgeries that `isForgeableBy` names. */
  gateKey: KeyObject;
  /** Seconds since the epoch, by the verifier's clock. */
  now: number;
}

/** Made from a valid signature. */
const REWORKED = ['cut', 'longer', 'p521_length', 'flipped', 'negated_s'];

/** Needs a signature over changed text, or the key itself. */
const SIGNED_ANEW = ['gate', 'gate_over_other_header', 'der'];

/**
 * Whether the holder of this key can make the forgery. Without the private key: only those that need no valid
 * signature.
 */
export function isForgeableBy({ sign: how, header, claims }: Forgery, gateKey: KeyObject): boolean {
  if (gateKey.type === 'private') return true;
  const isOverTheSameText = header === undefined && claims === undefined;
  return !SIGNED_ANEW.includes(how) && (isOverTheSameText || !REWORKED.includes(how));
}

const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Order of P-256 (FIPS 186-5, SP 800-186 §3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * One forged permit.
 *
 * @example
 * it.each(FORGED_PERMITS)('$name', async (forgery) => {
 *   const answer = await verify(forgePermit(forgery, { token, gateKey, now }));
 *   expect(answer.reason ?? null).toBe(forgery.expected);
 * });
 */
export function forgePermit(forgery: Forgery, kit: ForgersKit): string {
  const [header = '', claims = '', signature = ''] = kit.token.split('.');
  // A segment that no edit changes stays the same byte for byte, so that an old signature stays valid.
  const segments = [edited(header, forgery.header, kit), edited(claims, forgery.claims, kit)];
  const input = segments.join('.');
  const forged = `${input}.${signed(forgery.sign, input, signature, kit.gateKey)}`;
  return editedToken(forged, forgery.token ?? {});
}

function edited(segment: string, edit: Edit | undefined, kit: ForgersKit): string {
  if (edit === undefined) return segment;
  const members: Record<string, unknown> = JSON.parse(Buffer.from(segment, 'base64url').toString());
  for (const name of edit.remove ?? []) delete members[name];
  for (const [name, value] of Object.entries(edit.set ?? {})) members[name] = resolved(value, kit);
  const inserted = (edit.insert ?? '').replace('$8KiB', () => 'x'.repeat(8192));
  const text = edit.text ?? JSON.stringify(members).replace('{', () => `{${inserted}`);
  return Buffer.from(`${edit.before ?? ''}${text}${edit.after ?? ''}`).toString('base64url');
}

function resolved(value: unknown, kit: ForgersKit): unknown {
  if (Array.isArray(value)) return value.map((element) => resolved(element, kit));
  if (value !== null && typeof value === 'object' && '$now' in value) return kit.now + Number(value.$now);
  switch (value) {
    case '$foreign_kid':
      return thumbprint(foreign.publicKey);
    case '$foreign_jwk':
      return foreign.publicKey.export({ format: 'jwk' });
    case '$gate_jwk':
      return publicPart(kit.gateKey).export({ format: 'jwk' });
    case '$aud':
      return genuine(kit, 1).aud;
    case '$other_mode_typ':
      return genuine(kit, 0).typ === 'permit+jwt' ? 'permit-test+jwt' : 'permit+jwt';
    default:
      return value;
  }
}

function genuine(kit: ForgersKit, segment: 0 | 1): Record<string, unknown> {
  return JSON.parse(Buffer.from(kit.token.split('.')[segment] ?? '', 'base64url').toString());
}

/** RFC 7638 §3. */
function thumbprint(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

function signed(how: string, input: string, genuineSignature: string, gateKey: KeyObject): string {
  const es256 = (text: string, key: KeyObject) =>
    sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  const good = () =>
    gateKey.type === 'private' ? es256(input, gateKey) : Buffer.from(genuineSignature, 'base64url');
  const bytes = (): Buffer => {
    switch (how) {
      case 'gate':
        return good();
      case 'foreign':
        return es256(input, foreign.privateKey);
      case 'gate_over_other_header':
        return es256(`e30.${input.split('.')[1]}`, gateKey);
      case 'hmac_public_key': {
        const pem = publicPart(gateKey).export({ format: 'pem', type: 'spki' });
        return createHmac('sha256', pem).update(input).digest();
      }
      case 'empty':
        return Buffer.alloc(0);
      case 'zeros':
        return Buffer.alloc(64);
      case 'order':
        return Buffer.concat([scalar(ORDER), scalar(ORDER)]);
      case 'der':
        return sign('sha256', Buffer.from(input), gateKey);
      case 'cut':
        return good().subarray(0, 63);
      case 'longer':
        return Buffer.concat([good(), Buffer.alloc(1)]);
      case 'p521_length':
        return Buffer.concat([good(), Buffer.alloc(68)]);
      case 'flipped': {
        const signature = good();
        signature[40] = (signature[40] ?? 0) ^ 1;
        return signature;
      }
      case 'negated_s': {
        const signature = good();
        const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
        return Buffer.concat([signature.subarray(0, 32), scalar(ORDER - s)]);
      }
      default:
        throw new Error(`The table asks for an unknown signature: ${how}`);
    }
  };
  return how === 'keep' ? genuineSignature : bytes().toString('base64url');
}

function publicPart(key: KeyObject): KeyObject {
  return key.type === 'private' ? createPublicKey(key) : key;
}

function scalar(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

function editedToken(token: string, edit: TokenEdit): string {
  let text = token;
  // 64 bytes leave four bits unused in the last character. The next character of the alphabet sets one of them.
  if (edit.trailing_bits)
    text = text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
  if (edit.alphabet === 'base64') text = withForeignAlphabet(text);
  if (edit.inside) text = text.slice(0, 10) + edit.inside + text.slice(10);
  if (edit.serialisation === 'json') {
    const [header, payload, signature] = text.split('.');
    text = JSON.stringify({ protected: header, payload, signature });
  }
  return `${edit.before ?? ''}${text}${edit.after ?? ''}`;
}

/** Plain base64 differs where 62 and 63 occur. Where they do not, its padding differs. */
function withForeignAlphabet(token: string): string {
  const [header = '', claims = '', signature = ''] = token.split('.');
  return [header, claims, `${signature}==`].join('.').replaceAll('-', '+').replaceAll('_', '/');
}
