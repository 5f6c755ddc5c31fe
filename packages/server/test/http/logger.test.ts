import { formatApiKey } from '@permitry/protocol';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/http/log/logger.ts';
import type { LogLevel } from '../../src/settings/setting-forms.ts';

const KEY = formatApiKey('secret', 'live', new Uint8Array(32).fill(7));
const USER_TOKEN = formatApiKey('user', null, new Uint8Array(32).fill(9));
const JWS = `${Buffer.from('{"alg":"ES256","typ":"permit+jwt"}').toString('base64url')}.e30.c2lnbmF0dXJl`;

function logged(write: (logger: ReturnType<typeof createLogger>) => void, level: LogLevel = 'trace'): string {
  const lines: string[] = [];
  write(createLogger(level, { write: (line) => lines.push(line) }));
  return lines.join('');
}

describe('the log', () => {
  it.each([
    ['a message', () => [`refused ${KEY} and ${JWS}`]],
    ['a message beside an object', () => [{ route: 'x' }, `Bearer ${USER_TOKEN}`]],
    ['an argument of a message', () => ['refused %s', KEY]],
    [
      'a header',
      () => [{ headers: { authorization: 'Basic c2VjcmV0c2VjcmV0', cookie: 'sid=c2VjcmV0c2VjcmV0' } }, 'x'],
    ],
    [
      'a body',
      () => [
        {
          body: {
            permit_token: JWS,
            nested: { token: JWS, key: KEY, secret: 'c2VjcmV0c2VjcmV0', device_code: 'c2VjcmV0c2VjcmV0' },
          },
        },
        'x',
      ],
    ],
    ['an unexpected member', () => [{ odd: [{ deep: `see ${KEY}` }] }, 'x']],
    ['an error', () => [{ err: new Error(`lost ${KEY}`, { cause: new Error(JWS) }) }, 'x']],
    ['an error as the line itself', () => [new Error(`lost ${KEY}`)]],
    ['a url', () => [{ url: `/v1/intents?key=${KEY}` }, 'x']],
  ])('contains no secret from %s', (_where, args) => {
    const text = logged((logger) => logger.info(...(args() as [string])));
    expect(text).not.toBe('');
    for (const secret of [KEY, USER_TOKEN, JWS, KEY.slice(0, 30), JWS.slice(0, 30), 'c2VjcmV0c2VjcmV0']) {
      expect(text).not.toContain(secret);
    }
  });

  it('contains no row quoted by a database, and no password from a URL', () => {
    const raised = Object.assign(new Error('new row violates a check'), {
      severity: 'ERROR',
      code: '23514',
      table: 'intents',
      detail: 'Failing row contains (int_1, {"card":"4111111111111111"}, eve@example.org).',
      where: 'JSON data, line 1: eve@example.org',
    });
    const text = logged((logger) => {
      logger.error({ err: new Error('outer', { cause: raised }) }, 'x');
      logger.error({ err: new Error('no way to postgres://gate:s3cret@db1:5432,db2/permitry?x=1') }, 'x');
    });
    expect(text).not.toMatch(/4111|eve@|s3cret/);
    expect(text).toMatch(/23514.*intents/);
    expect(text).toContain('postgres://gate:[removed]@db1:5432,db2/permitry?x=1');
  });

  it('keeps what is not secret, including the causes of errors', () => {
    const text = logged((logger) =>
      logger.warn(
        { route: 'POST /v1/intents', status: 403, err: new Error('outer', { cause: new Error('inner') }) },
        'no',
      ),
    );
    expect(JSON.parse(text)).toMatchObject({
      level: 'warn',
      route: 'POST /v1/intents',
      status: 403,
      msg: 'no',
      err: { message: 'outer', cause: { message: 'inner' } },
    });
  });

  it('writes nothing below its level', () => {
    expect(logged((logger) => logger.info('quiet'), 'warn')).toBe('');
  });
});
