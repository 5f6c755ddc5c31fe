/** Owns verifying permits where actions run, without asking the gate each time. */
import {
  decodePermit,
  type JsonObject,
  type OfflineVerification,
  type PermitClaims,
  type PermitRefusal,
  type ProjectMode,
  type ProofTier,
  type PublicJwks,
  verifyPermitOffline,
} from '@permitry/protocol';
import { copyJson } from '../calls/copy-json.ts';
import { PermitRefusedError } from '../errors/permit-refused-error.ts';
import { toBaseUrl } from '../settings.ts';
import type { JsonParams } from '../wire/json-params.ts';
import type { PresentedPermit } from '../wire/permit.ts';
import { refusalSentence } from './refusal-sentence.ts';
import { RemoteKeys } from './remote-keys.ts';
import type { ReplayStore } from './replay-store.ts';

/** Everything that an executor must know beforehand. None of it comes from the token. */
export interface VerifierOptions {
  /** Address of the gate, exactly as in the gate's own settings (`PERMITRY_BASE_URL`). */
  issuer: string;
  /** Id of the project, `prj_…`. */
  audience: string;
  /** Address of the gate's keys. Default: `<issuer>/.well-known/jwks.json`. */
  jwksUrl?: string | undefined;
  /** Seconds that this clock and the gate's may differ, 0 to 300. Default: 30. */
  clockSkewSeconds?: number | undefined;
  /** Whether to accept permits of a project in test mode. Default: false. */
  acceptTestPermits?: boolean | undefined;
  /** Remembers uses. Required for `consume`. */
  replayStore?: ReplayStore | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** A permit that authorises exactly this action with these parameters now, as far as is known without the gate. */
export interface VerifiedPermit {
  intent_id: string;
  /** `pmt_…` */
  permit_id: string;
  /** The requester: an agent's id, or `key:` and a key's id. */
  requested_by: string;
  action: string;
  params_hash: string;
  intent_hash: string;
  policy_hash: string;
  /** The tier that the approval achieved. */
  proof_tier: ProofTier;
  /** Email address of the last approver needed, or `policy:<rule>`. */
  approved_by: string;
  /** ISO 8601, UTC. */
  approved_at: string;
  /** ISO 8601, UTC. */
  expires_at: string;
  mode: ProjectMode;
  /** All signed claims. */
  claims: PermitClaims;
}

/** Verifies permits offline. Every rejection means: do not run. */
export interface Verifier {
  /**
   * Verifies that the permit authorises this action with these parameters now. It reports to nobody and does not use
   * the permit: the same permit passes again until it expires.
   *
   * @throws PermitRefusedError with `reason`; ConnectionError when the gate's keys are not available; TypeError when
   * `params` are not JSON
   * @example const { approved_by } = await verifier.verify({ token, action: 'payments.refund', params });
   */
  verify<P extends JsonParams<P> = JsonObject>(permit: PresentedPermit<P>): Promise<VerifiedPermit>;
  /**
   * As `verify`, and records the single use of the approval in the `replayStore`. The gate does not learn about it.
   * This does not see what only the gate knows: revocation, paused agents, a stopped project, a stricter policy, uses
   * elsewhere.
   *
   * @throws PermitRefusedError as `verify`, and `already_used`; TypeError without a `replayStore`; any error of the
   * store
   * @example
   * await verifier.consume({ token, action: 'payments.refund', params });
   * await refund(params);
   */
  consume<P extends JsonParams<P> = JsonObject>(permit: PresentedPermit<P>): Promise<VerifiedPermit>;
}

const USUAL_SKEW_SECONDS = 30;
const MOST_SKEW_SECONDS = 300;
/** An intent lasts 30 days at most. Until then it can get fresh permits, each valid for an hour at most. */
const LONGEST_USE_MS = (30 * 24 + 1) * 3_600_000;

/**
 * Creates a verifier for one project of one gate. It fetches the gate's public keys and caches them for as long as the
 * gate says. Otherwise it needs no network, and it never needs a credential. Create one and share it.
 *
 * Offline it cannot know of revocations, paused agents and stopped projects. If that matters, consume at the gate
 * (`permits.consume`).
 *
 * @throws TypeError for unusable options
 * @example
 * const verifier = createVerifier({ issuer: 'https://gate.example.com', audience: 'prj_…' });
 * const { approved_by } = await verifier.verify({ token, action: 'payments.refund', params: { order, amount } });
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { audience, clockSkewSeconds = USUAL_SKEW_SECONDS, acceptTestPermits = false, replayStore } = options;
  const issuer = toBaseUrl(options.issuer);
  if (typeof audience !== 'string' || audience === '')
    throw new TypeError('audience must be the id of a project');
  if (!(clockSkewSeconds >= 0 && clockSkewSeconds <= MOST_SKEW_SECONDS))
    throw new TypeError(`clockSkewSeconds must be between 0 and ${MOST_SKEW_SECONDS}`);
  const jwksUrl = options.jwksUrl ?? `${issuer}/.well-known/jwks.json`;
  if (!URL.canParse(jwksUrl)) throw new TypeError('jwksUrl must be an address');
  const keys = new RemoteKeys(jwksUrl, options.fetch ?? ((...request) => globalThis.fetch(...request)));

  async function check({ token, action, params: given }: PresentedPermit<object>): Promise<VerifiedPermit> {
    // The code that hashes the parameters checks that they are JSON.
    const params = given as JsonObject;
    const mode = acceptTestPermits && isTestPermit(token) ? 'test' : 'live';
    const expected = { issuer, audience, action, params, clockSkewSeconds, mode } as const;
    const verifyWith = (jwks: PublicJwks) => verifyTolerantly(token, { ...expected, jwks });
    let result = await verifyWith(await keys.current());
    if (!result.ok && result.reason === 'unknown_key') {
      const newer = await keys.newer();
      if (newer) result = await verifyWith(newer);
    }
    if (!result.ok) throw refused(result.reason, token, acceptTestPermits);
    return toVerifiedPermit(result.claims, mode);
  }

  return {
    verify: check,
    async consume(permit) {
      if (replayStore === undefined) {
        throw new TypeError(
          'Offline, single use needs a replayStore that all executors share. Give createVerifier one, or consume at the gate with permits.consume.',
        );
      }
      const verified = await check(permit);
      // Keyed by intent: all permits of one intent together allow one use.
      const keepUntil = new Date(Date.now() + LONGEST_USE_MS);
      if ((await replayStore.claim(`${issuer} ${verified.intent_id}`, keepUntil)) !== true)
        throw refused('already_used', permit.token, acceptTestPermits);
      return verified;
    },
  };
}

/**
 * Drops undefined members, as everywhere in the SDK. They are rare, so the copy is made only when the parameters are
 * not JSON as given.
 */
async function verifyTolerantly(
  token: string,
  expected: OfflineVerification,
): ReturnType<typeof verifyPermitOffline> {
  try {
    return await verifyPermitOffline(token, expected);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return verifyPermitOffline(token, { ...expected, params: copyJson(expected.params) });
  }
}

function isTestPermit(token: string): boolean {
  return decodePermit(token, { mode: 'test' }).ok;
}

function refused(reason: PermitRefusal, token: string, acceptTestPermits: boolean): PermitRefusedError {
  const isOfTestMode = reason === 'wrong_project' && !acceptTestPermits && isTestPermit(token);
  return new PermitRefusedError(reason, refusalSentence(isOfTestMode ? 'test_permit' : reason));
}

function toVerifiedPermit(claims: PermitClaims, mode: ProjectMode): VerifiedPermit {
  return {
    intent_id: claims.txn,
    permit_id: claims.jti,
    requested_by: claims.sub,
    action: claims.action,
    params_hash: claims.params_hash,
    intent_hash: claims.intent_hash,
    policy_hash: claims.policy_hash,
    proof_tier: claims.proof_tier,
    approved_by: claims.approval.by.at(-1) ?? '',
    approved_at: claims.approval.at,
    expires_at: new Date(claims.exp * 1000).toISOString(),
    mode,
    claims,
  };
}
