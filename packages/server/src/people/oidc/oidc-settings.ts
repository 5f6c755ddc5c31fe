/** An OpenID provider that signs people in, as the operator configures it. */
import { createSecretKey, type KeyObject } from 'node:crypto';

export interface OidcProviderSettings {
  /** Part of addresses: `/console/oidc/<id>/callback`. */
  id: string;
  /** Shown on the button. */
  name: string;
  issuer: URL;
  clientId: string;
  /** Null: a public client, which uses PKCE alone. */
  clientSecret: KeyObject | null;
  scope: string;
}

const PROPERTIES = ['id', 'name', 'issuer', 'client_id', 'client_secret', 'scope'];
const MOST_PROVIDERS = 20;

/**
 * @param text JSON: `{ "providers": [{ "id", "name", "issuer", "client_id", "client_secret"?, "scope"? }] }`.
 * @throws Error that says what is wrong and quotes no secret
 */
export function readOidcProviders(text: string): OidcProviderSettings[] {
  const document = parse(text);
  const providers = isObject(document) ? document.providers : undefined;
  if (!Array.isArray(providers) || providers.length > MOST_PROVIDERS)
    throw new Error('must be JSON of the form {"providers": [{"id", "name", "issuer", "client_id", …}]}');
  const settings = providers.map(readProvider);
  if (new Set(settings.map(({ id }) => id)).size < settings.length)
    throw new Error('has two providers with the same id');
  return settings;
}

function readProvider(entry: unknown, index: number): OidcProviderSettings {
  const fail = (problem: string): never => {
    throw new Error(`providers[${index}]: ${problem}`);
  };
  if (!isObject(entry)) return fail('must be an object');
  const unknown = Object.keys(entry).find((member) => !PROPERTIES.includes(member));
  if (unknown !== undefined)
    fail(`has no member ${JSON.stringify(unknown)}; there are ${PROPERTIES.join(', ')}`);
  const { id, name, issuer, client_id, client_secret, scope = 'openid email profile' } = entry;
  if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9-]{0,31}$/.test(id))
    return fail('id must be 1 to 32 lower-case letters, digits and hyphens');
  if (typeof client_id !== 'string' || client_id === '') return fail('client_id is missing');
  if (client_secret !== undefined && (typeof client_secret !== 'string' || client_secret === ''))
    return fail('client_secret must be a string');
  if (typeof scope !== 'string' || !scope.split(' ').includes('openid'))
    return fail('scope must be words separated by spaces, including openid');
  return {
    id,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 60) : id,
    issuer:
      readIssuer(issuer) ?? fail('issuer must be a URL that begins with https:// (http:// on this machine)'),
    clientId: client_id,
    clientSecret: client_secret === undefined ? null : createSecretKey(Buffer.from(client_secret)),
    scope,
  };
}

function readIssuer(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  const sound = url.protocol === 'https:' || (url.protocol === 'http:' && local);
  return sound && !url.username && !url.password && !url.search && !url.hash ? url : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which holds secrets.
    throw new Error('names a file that is not JSON');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
