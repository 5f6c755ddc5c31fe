/** One interface to both surfaces, so that each attack is tried on both. */
import type { Answer } from './http-client.ts';

/** Sends a request and returns the response. */
type Call<A> = (
  method: string,
  path: string,
  options: { key?: string; body?: unknown; headers?: Record<string, string> },
) => Promise<A>;

/**
 * What an executor presents before an action runs. Undefined members are not sent. `params` as text is sent unchanged.
 */
interface Presented {
  token: string;
  action?: unknown;
  params?: object | string | undefined;
  consume?: unknown;
}

export interface Surface<A = Answer> {
  name: 'A' | 'B';
  create(key: string, action: string, params?: object | string, more?: object): Promise<A>;
  read(key: string, intentId: string): Promise<A>;
  approve(key: string, intentId: string, more?: object): Promise<A>;
  deny(key: string, intentId: string, more?: object): Promise<A>;
  verify(key: string, presented: Presented, headers?: Record<string, string>): Promise<A>;
}

/** Members as JSON, with one that may already be JSON text. */
function spelled(properties: object, name: string, value: object | string | undefined): string {
  const rest = JSON.stringify(properties);
  if (value === undefined) return rest;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}${JSON.stringify(name)}:${text}}`;
}

export function surfacesOf<A>(call: Call<A>): readonly [Surface<A>, Surface<A>] {
  return [
    {
      name: 'A',
      create: (key, action, context = {}, more = {}) =>
        call('POST', '/api/intents', {
          key,
          body: spelled({ action, source_type: 'ai_agent', ...more }, 'context', context),
        }),
      read: (key, id) => call('GET', `/api/intents/${id}`, { key }),
      approve: (key, id, more = {}) =>
        call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'approve', ...more } }),
      deny: (key, id, more = {}) =>
        call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'deny', ...more } }),
      verify: (key, { token, params, ...rest }, headers = {}) =>
        call('POST', '/api/intents/permit/verify', {
          key,
          headers,
          body: spelled({ permit_token: token, ...rest }, 'context', params),
        }),
    },
    {
      name: 'B',
      create: (key, action, params = {}, more = {}) =>
        call('POST', '/v1/intents', { key, body: spelled({ action, ...more }, 'params', params) }),
      read: (key, id) => call('GET', `/v1/intents/${id}`, { key }),
      approve: (key, id, more = {}) => call('POST', `/v1/intents/${id}/approve`, { key, body: more }),
      deny: (key, id, more = {}) => call('POST', `/v1/intents/${id}/deny`, { key, body: more }),
      verify: (key, { params, ...rest }, headers = {}) =>
        call('POST', '/v1/permits/validate', { key, headers, body: spelled(rest, 'params', params) }),
    },
  ];
}

/** The surface of a path. */
export function surfaceOf(path: string): 'A' | 'B' {
  return path.startsWith('/api') ? 'A' : 'B';
}

/** The name of the parameters on a surface. */
export function paramsName(surface: 'A' | 'B'): 'context' | 'params' {
  return surface === 'A' ? 'context' : 'params';
}
