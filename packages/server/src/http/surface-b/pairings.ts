import { PolledPairing, PollPairing, StartedPairing, StartPairing } from '@permitry/protocol/schemas';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { millisecondsOf } from '../../gate/kernel/clock.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { sayDuration } from '../../gate/kernel/say-duration.ts';
import { PAIRING_LIFETIME_SECONDS, POLL_INTERVAL_SECONDS } from '../../people/pairings/pairing.ts';
import { type PairingState, pollPairing } from '../../people/pairings/poll-pairing.ts';
import { startPairing } from '../../people/pairings/start-pairing.ts';
import { networkOf } from '../../people/sign-in-tries/network-of.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

/** Each pairing adds a row, and strangers must not add many. An office behind one address needs some. */
const STARTS_PER_MINUTE = 30;
/** Each waiting program asks twelve times a minute. */
const QUESTIONS_PER_MINUTE = 600;

/** For programs that have no key yet. A person confirms on a page whose key they get. */
export function pairingRoutes(app: GateApp, { gate }: RouteTools): void {
  const perAddress = new RateLimiter(millisecondsOf(gate.clock));
  const countAddress = (what: 'started' | 'polled', request: FastifyRequest): void => {
    const most = what === 'started' ? STARTS_PER_MINUTE : QUESTIONS_PER_MINUTE;
    const { accepted, resetIn } = perAddress.take(`${what} ${networkOf(request.ip)}`, most);
    if (!accepted) throw tooMany(resetIn);
  };

  app.post(
    '/pairings',
    {
      schema: {
        operationId: 'startPairing',
        summary: 'Start pairing a program with a person',
        description:
          'Follows RFC 8628 and needs no key. The person opens `verification_uri`, types or compares `user_code`, reads what the program requests, and approves or refuses it. Rate-limited by address.',
        tags: ['Surface B: pairing'],
        security: [],
        body: StartPairing,
        response: { 201: StartedPairing },
      },
    },
    async (request, reply) => {
      countAddress('started', request);
      const { purpose, name, rights, expires_in: lifetimeSeconds, public_key: publicKey } = request.body;
      const { deviceCode, userCode, page } = await startPairing(gate, {
        purpose,
        name,
        address: request.ip,
        ...onlyGiven({ rights, lifetimeSeconds, publicKey }),
      });
      reply.header('cache-control', 'no-store');
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: page,
        // The code comes after `#`, which browsers send to nobody.
        verification_uri_complete: `${page}#${userCode}`,
        expires_in: PAIRING_LIFETIME_SECONDS,
        interval: POLL_INTERVAL_SECONDS,
      };
    },
  );

  app.post(
    '/pairings/poll',
    {
      schema: {
        operationId: 'pollPairing',
        summary: 'Poll for the result of a pairing',
        description:
          'Repeat every `interval` seconds until the answer is neither `pending` nor `slow_down`. Only one answer contains the token.',
        tags: ['Surface B: pairing'],
        security: [],
        body: PollPairing,
        response: { 200: PolledPairing },
      },
    },
    async (request, reply) => {
      countAddress('polled', request);
      reply.header('cache-control', 'no-store');
      return toWireState(await pollPairing(gate, request.body.device_code));
    },
  );
}

function toWireState(state: PairingState): Static<typeof PolledPairing> {
  switch (state.kind) {
    case 'pending':
      return { status: state.tooSoon ? 'slow_down' : 'pending', interval: state.intervalSeconds };
    case 'denied':
    case 'expired':
      return { status: state.kind };
    case 'device_key':
      return { status: 'approved', email: state.email, device_key_id: state.deviceKeyId };
    case 'token': {
      const { key: token, record } = state.created;
      return {
        status: 'approved',
        token,
        email: state.email,
        rights: record.rights.includes('decide') ? ['decide'] : [],
        ...(record.expiresAt === null ? {} : { expires_at: record.expiresAt }),
      };
    }
  }
}

function tooMany(seconds: number): GateError<'rate_limited'> {
  return new GateError(
    'rate_limited',
    `Too many pairings from this address; try again in ${sayDuration(seconds)}.`,
    {
      retry_after_seconds: seconds,
    },
  );
}
