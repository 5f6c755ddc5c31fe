/**
 * An offline check of the SDK (`createVerifier().verify`), compared with jose alone on the same token. The SDK checks
 * the token's strict form, signature, time, issuer, project, action and hash of the parameters. With jose, `jwtVerify`
 * checks issuer, audience, type and algorithm, once with an imported key and once with a set of keys to choose from.
 * One token with 400 bytes of parameters, one check at a time, and sixteen at once. Within a round the three alternate,
 * a hundred checks each, so that none gets the quieter moment. Beside the rate is the CPU time of all threads, which
 * neighbours disturb less.
 */
import { hashJson } from '@permitry/protocol';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Finding } from '../bars.ts';
import { median } from '../median.ts';
import { printTable } from '../table.ts';
import { ACTION, BASE_URL, paramsOf } from '../workload.ts';
import type { Sdk } from './bundle-sdk.ts';

const LEAST_OF_JOSE = 0.8;
const WIDTHS = [1, 16] as const;
const SUBJECTS = ['jose, one key', 'jose, set of keys', 'SDK'] as const;
type Subject = (typeof SUBJECTS)[number];

/** The time that the checks of one subject took in a round. */
interface Taken {
  checks: number;
  ms: number;
  cpuMicros: number;
}

export type VerifyRound = Record<(typeof WIDTHS)[number], Record<Subject, Taken>>;

const ROUND = 100;

export async function measureVerify(
  sdk: Sdk,
  { rounds, perRound }: { rounds: number; perRound: number },
): Promise<VerifyRound[]> {
  const subjects = await prepare(sdk);
  const measured: VerifyRound[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const result: VerifyRound = { 1: nothingYet(), 16: nothingYet() };
    for (const width of WIDTHS) {
      for (let done = 0; done < perRound; done += ROUND) {
        for (const subject of SUBJECTS) await runRound(result[width][subject], subjects[subject], width);
      }
    }
    if (round > 0) measured.push(result);
  }
  return measured;
}

function nothingYet(): Record<Subject, Taken> {
  const nothing = (): Taken => ({ checks: 0, ms: 0, cpuMicros: 0 });
  return { 'jose, one key': nothing(), 'jose, set of keys': nothing(), SDK: nothing() };
}

async function prepare(sdk: Sdk): Promise<Record<Subject, () => Promise<unknown>>> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const jwks = { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] };
  const params = paramsOf(1);
  const id = (prefix: string) => `${prefix}_${'7'.repeat(26)}`;
  const now = Math.floor(Date.now() / 1000);
  const hash = hashJson(params);
  const claims = {
    iss: BASE_URL,
    aud: id('prj'),
    sub: id('agt'),
    jti: id('pmt'),
    iat: now,
    nbf: now,
    exp: now + 3600,
    txn: id('int'),
    action: ACTION,
    params_hash: hash,
    intent_hash: hash,
    policy_hash: hash,
    proof_tier: 'session',
    approval: { by: ['ann@example.org'], at: new Date().toISOString(), method: 'session' },
  } satisfies JWTPayload;
  const typ = 'permit+jwt';
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(privateKey);
  const verifier = sdk.createVerifier({
    issuer: claims.iss,
    audience: claims.aud,
    fetch: async () => Response.json(jwks),
  });
  const expected = { issuer: claims.iss, audience: claims.aud, typ, algorithms: ['ES256'] };
  const set = createLocalJWKSet(jwks);
  return {
    'jose, one key': () => jwtVerify(token, publicKey, expected),
    'jose, set of keys': () => jwtVerify(token, set, expected),
    SDK: () => verifier.verify({ token, action: ACTION, params }),
  };
}

async function runRound(taken: Taken, check: () => Promise<unknown>, width: number): Promise<void> {
  let left = ROUND;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left > 0) {
        left -= 1;
        await check();
      }
    }),
  );
  taken.ms += performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  taken.cpuMicros += user + system;
  taken.checks += ROUND;
}

type Measure = 'ms' | 'cpuMicros';

/** Within a round, as a share of the faster way with jose. */
function shareOfJose(round: VerifyRound, width: (typeof WIDTHS)[number], by: Measure): number {
  const taken = round[width];
  return Math.min(taken['jose, one key'][by], taken['jose, set of keys'][by]) / taken.SDK[by];
}

export function printVerify(rounds: readonly VerifyRound[]): void {
  const rows = WIDTHS.flatMap((width) =>
    SUBJECTS.map((subject) => {
      const of = (figure: (taken: Taken) => number) =>
        median(rounds.map((round) => figure(round[width][subject]))).toFixed(0);
      const share = (by: Measure) =>
        subject === 'SDK' ? median(rounds.map((round) => shareOfJose(round, width, by))).toFixed(2) : '';
      return [
        `${subject}${width === 1 ? '' : `, ${width} at once`}`,
        of(({ checks, ms }) => (checks / ms) * 1000),
        of(({ checks, cpuMicros }) => cpuMicros / checks),
        share('ms'),
        share('cpuMicros'),
      ];
    }),
  );
  const columns = ['', 'a second', 'CPU µs', 'of the quicker jose', 'by CPU'];
  printTable('Offline checks of a permit', columns, rows);
}

export function verifyFindings(rounds: readonly VerifyRound[]): Finding[] {
  return WIDTHS.map((width) => ({
    what: `offline check, of jose alone${width === 1 ? '' : `, ${width} at once`}`,
    figure: median(rounds.map((round) => shareOfJose(round, width, 'ms'))),
    unit: '' as const,
    bar: { least: LEAST_OF_JOSE },
  }));
}
