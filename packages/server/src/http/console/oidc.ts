import { returnPath } from '@permitry/protocol';
import { StrictObject } from '@permitry/protocol/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { millisecondsOf } from '../../gate/kernel/clock.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import type { GateParts } from '../../open-gate.ts';
import type { OidcJourney, OidcPerson, OidcProviders } from '../../people/oidc/oidc-providers.ts';
import { type OidcProblem, signInWithIdentity } from '../../people/oidc/sign-in-with-identity.ts';
import type { SecondFactorAsked } from '../../people/sign-in/sign-in-ticket.ts';
import { networkOf } from '../../people/sign-in-tries/network-of.ts';
import { setSessionCookie } from '../admission/session-cookie.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import type { GateApp } from '../routes/surface.ts';
import { browserOf } from './browser-of.ts';
import type { ConsoleTools } from './console-tools.ts';
import { clearOidcCookie, readOidcCookie, setOidcCookie } from './oidc-cookie.ts';

const ProviderPath = StrictObject({ provider: Type.String({ maxLength: 32 }) });
const ReturnQuery = StrictObject({ return_to: Type.Optional(Type.String({ maxLength: 500 })) });
const AnyQuery = Type.Object({}, { additionalProperties: true });

/** Long enough to sign in at the provider, even with a second factor on a phone. */
const JOURNEY_SECONDS = 10 * 60;
const PURPOSE = 'oidc journey';

/** Each step may make the gate send a request to a provider: strangers must not cause many of them. */
const STEPS_PER_MINUTE = 120;

type Problem = OidcProblem | 'provider_unavailable' | 'provider_refused' | 'sign_in_expired';

/**
 * The only pair of routes where a GET changes something. A sealed cookie, state and PKCE bind both requests to the same
 * browser.
 */
export function oidcRoutes(app: GateApp, { gate, config, logger }: ConsoleTools): void {
  const nowMs = millisecondsOf(gate.clock);
  const ids = new Set(config.oidc.map(({ id }) => id));
  let opened: OidcProviders | undefined;
  /** Loaded on the first sign-in with a provider: most gates have none. */
  async function openProviders(): Promise<OidcProviders> {
    const { OidcProviders } = await import('../../people/oidc/oidc-providers.ts');
    opened ??= new OidcProviders(config.oidc, gate.issuer, nowMs);
    return opened;
  }

  const perAddress = new RateLimiter(nowMs);
  const isTooMany = (request: FastifyRequest): boolean =>
    config.rateLimitPerMinute > 0 && !perAddress.take(networkOf(request.ip), STEPS_PER_MINUTE).accepted;

  function refuse(reply: FastifyReply, problem: Problem, cause?: unknown): FastifyReply {
    // Logs only the error's message, because the error itself may contain the provider's answer.
    if (cause !== undefined) logger.warn({ reason: String(cause) }, `a sign-in by OpenID failed: ${problem}`);
    return reply.redirect(`${gate.issuer}/sign-in?problem=${problem}`, 302);
  }

  app.get(
    '/oidc/:provider/start',
    { schema: { params: ProviderPath, querystring: ReturnQuery } },
    async (request, reply) => {
      const { provider } = request.params;
      if (!ids.has(provider) || isTooMany(request)) return refuse(reply, 'provider_unavailable');
      try {
        const providers = await openProviders();
        const { url, journey } = await providers.leave(provider);
        const returnTo = toReturnPath(gate, request.query.return_to);
        const expiresAt = addSeconds(gate.clock.now(), JOURNEY_SECONDS);
        const kept = JSON.stringify({ ...journey, returnTo, expiresAt });
        setOidcCookie(reply, gate.secretEncryption.encrypt(PURPOSE, kept), JOURNEY_SECONDS);
        return reply.redirect(url.href, 302);
      } catch (error) {
        return refuse(reply, 'provider_unavailable', error);
      }
    },
  );

  app.get(
    '/oidc/:provider/callback',
    { schema: { params: ProviderPath, querystring: AnyQuery } },
    async (request, reply) => {
      const journey = openJourney(gate, readOidcCookie(request));
      clearOidcCookie(reply);
      if (journey?.provider !== request.params.provider) return refuse(reply, 'sign_in_expired');
      if (isTooMany(request)) return refuse(reply, 'provider_unavailable');
      const [, query = ''] = request.url.split(/\?(.*)/s);
      let person: OidcPerson;
      try {
        person = await (await openProviders()).comeBack(journey, `?${query}`);
      } catch (error) {
        return refuse(reply, 'provider_refused', error);
      }
      const outcome = await signInWithIdentity(gate, person, await browserOf(gate, request));
      if (outcome.kind === 'refused') return refuse(reply, outcome.problem);
      if (outcome.kind === 'second_factor')
        return reply.redirect(gate.issuer + toSecondStep(outcome, journey.returnTo), 302);
      setSessionCookie(reply, outcome.started.token);
      return reply.redirect(gate.issuer + journey.returnTo, 302);
    },
  );
}

/**
 * The address of the page that asks for the second factor. The ticket comes after `#`, so no server and no log sees it.
 */
function toSecondStep({ ticket, methods }: SecondFactorAsked, returnTo: string): string {
  const step = new URLSearchParams({ ticket, methods: methods.join(' ') });
  return `/sign-in?return_to=${encodeURIComponent(returnTo)}#${step}`;
}

interface KeptJourney extends OidcJourney {
  returnTo: string;
  expiresAt: string;
}

function openJourney(gate: GateParts, sealed: string | undefined): KeptJourney | undefined {
  const text = sealed === undefined ? undefined : gate.secretEncryption.decrypt(PURPOSE, sealed);
  if (text === undefined) return undefined;
  const journey = JSON.parse(text) as KeptJourney;
  return gate.clock.now() < journey.expiresAt ? journey : undefined;
}

/** The path to return to, without the fragment, which may contain an invitation's token. */
function toReturnPath(gate: GateParts, wanted: string | undefined): string {
  const [path = ''] = returnPath(wanted ?? null, new URL(gate.issuer).origin).split('#', 1);
  return path;
}
