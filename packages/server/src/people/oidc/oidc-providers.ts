/**
 * Signs in through OpenID providers: the code flow with PKCE, state and nonce (OpenID Connect Core §3.1, RFC 9700). The
 * gate fetches a provider's metadata at the first sign-in, so it starts even if no provider can be reached.
 */
import * as client from 'openid-client';
import type { OidcProviderSettings } from './oidc-settings.ts';
import { saysSecondFactor } from './says-second-factor.ts';

/** The values that the browser stores while the person is at the provider. Nobody else sees them. */
export interface OidcJourney {
  provider: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** The person who comes back from the provider, as the provider describes them. */
export interface OidcPerson {
  provider: string;
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  /** From the provider's `amr`; false when it sends none. */
  hasSecondFactor: boolean;
}

const TIMEOUT_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 60;
/** OpenID Connect Core §2: at most 255 ASCII characters. An empty subject would match everyone. */
const SUBJECT = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

export class OidcProviders {
  readonly #settings: ReadonlyMap<string, OidcProviderSettings>;
  readonly #discovered = new Map<string, Promise<client.Configuration>>();
  readonly #baseUrl: string;
  readonly #nowMs: () => number;

  /** @param baseUrl The gate's address, to which providers send people back. */
  constructor(settings: readonly OidcProviderSettings[], baseUrl: string, nowMs: () => number = Date.now) {
    this.#settings = new Map(settings.map((one) => [one.id, one]));
    this.#baseUrl = baseUrl;
    this.#nowMs = nowMs;
  }

  /** Rejects when the provider cannot be reached or its metadata does not match. */
  async leave(id: string): Promise<{ url: URL; journey: OidcJourney }> {
    const configuration = await this.#configuration(id);
    const journey: OidcJourney = {
      provider: id,
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri(id),
      scope: this.#settings.get(id)?.scope ?? 'openid',
      state: journey.state,
      nonce: journey.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(journey.verifier),
      code_challenge_method: 'S256',
    });
    return { url, journey };
  }

  /**
   * Exchanges the code for the person. Rejects when the state, nonce, issuer, audience, signature or time is wrong, or
   * when the provider refuses.
   * @param query The query of the address to which the provider sent the person, e.g. `?code=…&state=…&iss=…`.
   */
  async comeBack(journey: OidcJourney, query: string): Promise<OidcPerson> {
    const configuration = await this.#configuration(journey.provider);
    const came = new URL(this.#redirectUri(journey.provider) + query);
    const tokens = await client.authorizationCodeGrant(configuration, came, {
      expectedState: journey.state,
      expectedNonce: journey.nonce,
      pkceCodeVerifier: journey.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('the provider sent no ID token');
    if (!SUBJECT.test(claims.sub))
      throw new Error('the subject of the ID token is empty, too long or not ASCII');
    const told = await this.#emailOf(configuration, tokens.access_token, claims);
    return {
      provider: journey.provider,
      issuer: claims.iss,
      subject: claims.sub,
      hasSecondFactor: saysSecondFactor(claims.amr),
      ...told,
    };
  }

  /** Many providers give the address only at their userinfo endpoint. */
  async #emailOf(
    configuration: client.Configuration,
    accessToken: string,
    claims: client.IDToken,
  ): Promise<{ email: string | null; emailVerified: boolean }> {
    if (typeof claims.email === 'string') return emailIn(claims);
    if (configuration.serverMetadata().userinfo_endpoint === undefined)
      return { email: null, emailVerified: false };
    return emailIn(await client.fetchUserInfo(configuration, accessToken, claims.sub));
  }

  #configuration(id: string): Promise<client.Configuration> {
    const known = this.#discovered.get(id);
    if (known) return known;
    const settings = this.#settings.get(id);
    if (!settings) return Promise.reject(new Error(`there is no provider ${id}`));
    const discovering = this.#discover(settings);
    this.#discovered.set(id, discovering);
    // The next caller tries again: the provider may be reachable by then.
    discovering.catch(() => this.#discovered.delete(id));
    return discovering;
  }

  #discover({ issuer, clientId, clientSecret }: OidcProviderSettings): Promise<client.Configuration> {
    const secret = clientSecret?.export().toString();
    // How far this machine's clock and the gate's clock differ: zero in production.
    const clockSkew = Math.round((this.#nowMs() - Date.now()) / 1000);
    return client.discovery(
      issuer,
      clientId,
      {
        ...(secret === undefined ? {} : { client_secret: secret }),
        [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
        [client.clockSkew]: clockSkew,
      },
      secret === undefined ? client.None() : undefined,
      {
        timeout: TIMEOUT_SECONDS,
        execute: [
          // By default the library trusts TLS and does not check the signature. An ID token decides who a person is, so
          // check its signature.
          client.enableNonRepudiationChecks,
          // The settings accept http only for this machine.
          ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      },
    );
  }

  #redirectUri(id: string): string {
    return `${this.#baseUrl}/console/oidc/${id}/callback`;
  }
}

function emailIn({ email, email_verified: verified }: Record<string, unknown>): {
  email: string | null;
  emailVerified: boolean;
} {
  return { email: typeof email === 'string' ? email : null, emailVerified: verified === true };
}
