/** Headers of the OpenAPI document, each described once. */

/** Headers that a request which creates or consumes may carry. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Repeating the call under the same key returns the first answer again, with `idempotency-replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  example: 'refund-4711',
};

function integerHeader(description: string): object {
  return { description, schema: { type: 'integer' } };
}

function textHeader(description: string, example: string): object {
  return { description, schema: { type: 'string' }, example };
}

export const HEADERS = {
  RetryAfter: integerHeader('Seconds to wait before a retry.'),
  RequestId: textHeader('ID of this request.', 'req_01kaftx2q8n5m9y0a3v7c1d4ez'),
  RateLimitLimit: integerHeader('Requests per minute in this bucket. Absent when limits are switched off.'),
  RateLimitRemaining: integerHeader('Requests left in this minute.'),
  RateLimitReset: integerHeader('Seconds since the epoch at which the minute ends.'),
  RateLimit: textHeader('draft-ietf-httpapi-ratelimit-headers.', '"default";r=9999;t=42'),
  RateLimitPolicy: textHeader('draft-ietf-httpapi-ratelimit-headers.', '"default";q=10000;w=60'),
};

/** Headers of every answer. */
export const HEADER_REFS = Object.fromEntries(
  Object.entries({
    'x-request-id': 'RequestId',
    'x-ratelimit-limit': 'RateLimitLimit',
    'x-ratelimit-remaining': 'RateLimitRemaining',
    'x-ratelimit-reset': 'RateLimitReset',
    ratelimit: 'RateLimit',
    'ratelimit-policy': 'RateLimitPolicy',
  }).map(([header, component]) => [header, { $ref: `#/components/headers/${component}` }]),
);
