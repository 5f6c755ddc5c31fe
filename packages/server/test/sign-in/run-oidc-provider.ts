/**
 * A real OpenID provider (oidc-provider) on a free port. It signs people in without a prompt, as the person that the test
 * sets. `signIn` follows its redirects and keeps its cookies.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type InteractionResults } from 'oidc-provider';

const KEY_ID = 'key of the provider';

interface ProviderPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
}

export interface RunningProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The person who signs in next. */
  person: ProviderPerson;
  /** The authentication methods that the provider reports; undefined: none are reported. */
  amr: string[] | undefined;
  /** Whether the person declines the sign-in. */
  declines: boolean;
  /** Replaces the ID token that the provider would issue. */
  forgeIdToken: ((idToken: string) => string | Promise<string>) | undefined;
  /** Signs these claims with the provider's own key. */
  sign(claims: JWTPayload): Promise<string>;
  /** Follows the gate's URL to the provider and returns the URL that the provider redirects to. */
  signIn(url: string): Promise<string>;
  close(): Promise<void>;
}

/** @param redirectUri The gate's callback URL. */
export async function runOidcProvider(redirectUri: string): Promise<RunningProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = 'a secret of the gate at the provider';
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const running: RunningProvider = {
    issuer,
    clientId: 'permitry',
    clientSecret,
    person: { sub: 'ann-at-provider', email: 'ann@example.org', email_verified: true },
    amr: undefined,
    declines: false,
    forgeIdToken: undefined,
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KEY_ID }).sign(privateKey),
    signIn: followTo(redirectUri),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
    clients: [
      {
        client_id: running.clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        application_type: 'native',
      },
    ],
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: [] },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ ...running.person, sub }),
    }),
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['only for a test'] },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  });
  const handle = provider.callback();
  server.on('request', async (request, response) => {
    if (request.url === '/token' && running.forgeIdToken) replaceIdToken(response, running.forgeIdToken);
    if (!request.url?.startsWith('/sign-in/')) return handle(request, response);
    const { params, prompt } = await provider.interactionDetails(request, response);
    const finish = (result: InteractionResults) => provider.interactionFinished(request, response, result);
    if (running.declines) return finish({ error: 'access_denied', error_description: 'the person said no' });
    if (prompt.name === 'login')
      return finish({ login: { accountId: running.person.sub, ...(running.amr && { amr: running.amr }) } });
    const grant = new provider.Grant({
      accountId: running.person.sub,
      clientId: String(params.client_id),
    });
    grant.addOIDCScope(String(params.scope));
    return finish({ consent: { grantId: await grant.save() } });
  });
  return running;
}

/** Delays the answer of the token endpoint until its ID token is replaced. */
function replaceIdToken(
  response: ServerResponse,
  forge: (idToken: string) => string | Promise<string>,
): void {
  const end = response.end.bind(response);
  response.end = ((body: string | Buffer) => {
    const answer = JSON.parse(String(body)) as { id_token?: string };
    void Promise.resolve(forge(answer.id_token ?? '')).then((forged) => {
      const changed = JSON.stringify({ ...answer, id_token: forged });
      response.setHeader('content-length', Buffer.byteLength(changed));
      end(changed);
    });
    return response;
  }) as typeof response.end;
}

function followTo(redirectUri: string): (url: string) => Promise<string> {
  return async (start) => {
    const cookies = new Map<string, string>();
    for (let url = start, hops = 0; hops < 10; hops += 1) {
      if (url.startsWith(redirectUri)) return url;
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const header of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (header.split(';')[0] ?? '').split(/=(.*)/s);
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
      url = new URL(location, url).href;
    }
    throw new Error('the provider sends people round in circles');
  };
}
