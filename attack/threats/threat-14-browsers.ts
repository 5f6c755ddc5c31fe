/** Threat 14: no page, link, cookie or stolen session decides for a person. */

import { randomBytes } from 'node:crypto';
import type { CatalogueEntry } from '../attack-case.ts';
import { makeDeviceKey } from '../device-key.ts';
import { check, expectDone, expectRefused, expectStatus } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';

/** As a browser sends it from a page that is not the gate's. */
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  {},
];

function expectGuarded(answer: Answer): void {
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/'])
    check(cookie.includes(attribute), `the session's cookie is not ${attribute}`, answer);
  check(cookie.startsWith('__Host-'), 'a page of another host may set the cookie', answer);
}

const GUESSES = 8;

interface Begun {
  device_code: string;
  user_code: string;
  verification_uri: string;
}

export const BROWSERS: readonly CatalogueEntry[] = [
  {
    id: 'T14-get-decides',
    title: 'a link that decides when it is opened',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'The approval page, and every deciding address, is opened as mail scanners and link previews do, with and without a credential.',
    expected: 'Nothing is decided; deciding addresses do not answer GET, and the page takes no POST.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      const id = await main.newIntent();
      await main.unchanged('opening links', { intents: [id], whole: false }, async () => {
        for (const key of [undefined, main.decider]) {
          for (const path of [`/approve/${id}`, `/approve/${id}?decision=approve&confirm=1`])
            expectStatus(await main.call('GET', path, { key }), 200, `GET ${path}`);
          for (const path of [`/v1/intents/${id}/approve`, `/v1/intents/${id}/deny`]) {
            for (const method of ['GET', 'HEAD'])
              expectStatus(await main.call(method, path, { key }), [401, 404, 405], `${method} ${path}`);
          }
          const form = { 'content-type': 'application/x-www-form-urlencoded' };
          for (const method of ['POST', 'PUT'])
            expectStatus(
              await main.call(method, `/approve/${id}`, { key, headers: form, body: 'decision=approve' }),
              [404, 405],
              `${method} to the page`,
            );
        }
      });
      return undefined;
    },
  },
  {
    id: 'T14-cross-site',
    title: 'a foreign page sends a decision',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'A decision is sent as a browser sends it from a foreign page: as a form, as text, with a cookie and an Origin, after a preflight.',
    expected:
      '401 without a key, 415 for what a form can send; no page of another origin may read or send anything.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      const id = await main.newIntent();
      const path = `/v1/intents/${id}/approve`;
      const foreign = {
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
        cookie: `session=${main.decider}`,
      };
      await main.unchanged('a foreign page', { intents: [id], whole: false }, async () => {
        const withCookie = await main.call('POST', path, { headers: foreign, body: {} });
        expectRefused('B', withCookie, 401, 'UNAUTHORIZED', 'a cookie');
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
        ]) {
          const answer = await main.call('POST', path, {
            key: main.decider,
            headers: { ...foreign, 'content-type': type },
            body: '{}',
          });
          expectRefused('B', answer, 415, 'UNSUPPORTED_MEDIA_TYPE', `a body of ${type}`);
        }
        for (const [method, more] of [
          [
            'OPTIONS',
            { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
          ],
          ['GET', {}],
        ] as const) {
          const answer = await main.call(method, `/v1/intents/${id}`, {
            key: main.decider,
            headers: { ...foreign, ...more },
          });
          for (const header of ['access-control-allow-origin', 'access-control-allow-credentials'])
            check(
              answer.headers[header] === undefined,
              `${method} is answered with ${header}: ${answer.headers[header]}`,
              answer,
            );
        }
      });
      return undefined;
    },
  },
  {
    id: 'T14-framed',
    title: 'a page inside another page',
    threats: ['14'],
    aisvs: [],
    attack:
      'The approval page and the reference are put into a frame, so that a person clicks without knowing.',
    expected: 'They forbid to be framed, and give their address to nobody.',
    needs: ['agent'],
    async run({ main }) {
      const id = await main.newIntent();
      for (const path of [`/approve/${id}`, '/docs']) {
        const page = await main.call('GET', path);
        const policy = String(page.headers['content-security-policy'] ?? '');
        check(/frame-ancestors 'none'/.test(policy), `${path} may be framed: ${policy}`, page);
        check(/form-action 'none'/.test(policy), `${path} may send forms: ${policy}`, page);
        check(
          String(page.headers['referrer-policy'] ?? '').includes('no-referrer'),
          `${path} tells others its address`,
          page,
        );
        check(page.headers['set-cookie'] === undefined, `${path} sets a cookie`, page);
      }
      return undefined;
    },
  },
  {
    id: 'T14-sessions',
    title: 'sessions and cookies of people',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'With an approver’s cookie, decisions and sign-ins are sent as from another page; a cookie is planted before a sign-in; a stolen one is used where a passkey is asked for, beside a wrong key, and after the person signed out.',
    expected: '403 from other pages, 401 for a cookie that was planted or signed out, and never an approval.',
    needs: ['agent', 'observer', 'somebody who signs in'],
    async run({ main }) {
      const id = await main.newIntent();
      const { origin: own } = main;
      const planted = await main.signIn();
      const { email, password } = main.findSignIn ?? {};
      const signedIn = expectDone(
        await main.call('POST', '/console/sign-in', { headers: planted, body: { email, password } }),
        'signing in with a planted cookie',
      );
      expectGuarded(signedIn);
      const [cookie = ''] = signedIn.headers['set-cookie']?.[0]?.split(';') ?? [];
      main.client.secrets.add(cookie.slice(cookie.indexOf('=') + 1), `the session of ${email}`);
      const path = `/v1/intents/${id}/approve`;
      const approve = (headers: Record<string, string>, key?: string) =>
        main.call('POST', path, { headers, key, body: {} });

      await main.unchanged('a session', { intents: [id], whole: false, recorded: true }, async () => {
        expectRefused('B', await approve(planted), 401, 'UNAUTHORIZED', 'the planted cookie');
        for (const headers of FOREIGN) {
          const decided = await approve({ cookie, ...headers });
          expectRefused('B', decided, 403, 'FORBIDDEN', 'another page', { required: 'same_origin' });
          const entered = await main.call('POST', '/console/sign-in', { headers, body: { email, password } });
          expectStatus(entered, 403, 'a sign-in from another page');
          check(entered.headers['set-cookie'] === undefined, 'it set a cookie', entered);
        }
        const beside = await approve({ cookie, origin: own }, `${main.decider}x`);
        expectRefused('B', beside, 401, 'UNAUTHORIZED', 'a cookie beside a wrong key');
      });

      const guarded = await main.newIntent(main.action('session'), {}, { proof_tier: 'passkey' });
      const look = { headers: { cookie, origin: own } };
      const shown = expectDone(await main.call('GET', `/console/intents/${guarded}`, look), 'looking at it');
      const { intent_hash } = shown.body;
      await main.unchanged('a stolen cookie', { intents: [guarded], whole: false }, async () => {
        const answer = await main.call('POST', `/v1/intents/${guarded}/approve`, {
          headers: { cookie, origin: own },
          body: { intent_hash },
        });
        expectRefused('B', answer, 403, 'PROOF_REQUIRED', 'a stolen cookie where a passkey is asked for');
      });

      const headers = { cookie, origin: own };
      expectDone(await main.call('POST', '/console/sign-out', { headers, body: {} }), 'signing out');
      await main.unchanged('a session that ended', { intents: [id], whole: false }, async () => {
        expectRefused('B', await approve(headers), 401, 'UNAUTHORIZED', 'a cookie that was signed out');
      });
      return undefined;
    },
  },
  {
    id: 'T14-paired-programs',
    title: 'a program or a key made somebody’s',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'With a cookie that was just taken, a program that may decide and a device key of the attacker’s are approved; a token tries the same; codes are guessed on both sides.',
    expected:
      '403 until the person has shown once more that it is they; nothing for a token; guesses tell nothing, and are limited.',
    needs: ['decider', 'somebody who signs in'],
    async run({ main }) {
      const begin = async (properties: object): Promise<Begun> => {
        const body = { name: main.name('program'), ...properties };
        const answer = expectDone(await main.call('POST', '/v1/pairings', { body }), 'beginning a pairing');
        return answer.body as unknown as Begun;
      };
      const begun = [
        await begin({ purpose: 'token', rights: ['decide'] }),
        await begin({ purpose: 'device_key', public_key: makeDeviceKey().jwk }),
      ];
      const headers = await main.signIn();
      const poll = (device_code: string): Promise<Answer> =>
        main.call('POST', '/v1/pairings/poll', { body: { device_code } });
      const look = (
        user_code: string,
        as: { headers?: Record<string, string>; key?: string; impatient?: boolean } = { headers },
      ) => main.call('POST', '/console/pairings/look', { ...as, body: { user_code } });

      for (const { user_code, device_code } of begun) {
        const byToken = await look(user_code, { key: main.decider });
        expectRefused('B', byToken, 403, 'FORBIDDEN', 'a token that looks at a pairing');
        const { id } = expectDone(await look(user_code), 'looking at a pairing').body;
        const answer = (decision: string) =>
          main.call('POST', '/console/pairings/confirm', { headers, body: { id, user_code, decision } });
        expectRefused('B', await answer('approve'), 403, 'PROOF_REQUIRED', 'a stolen cookie that approves');
        const polled = await poll(device_code);
        check(polled.body.status === 'pending', 'the program was told something', polled);
        expectDone(await answer('deny'), 'refusing it again');
        const denied = await poll(device_code);
        check(denied.body.token === undefined, 'a program that was refused has a token', denied);
      }

      const made = await poll(randomBytes(32).toString('base64url'));
      check(made.body.status === 'expired', 'a code that was never given out is known', made);
      // At once, so that a slow gate gives nobody the pause it asks for.
      const guesses = await Promise.all(
        Array.from({ length: GUESSES }, () => look('BBBB-BBBB', { headers, impatient: true })),
      );
      for (const guessed of guesses) expectStatus(guessed, [404, 429], 'a guessed code');
      check(
        guesses.some(({ status }) => status === 429),
        `${GUESSES} codes may be guessed at once`,
      );
      return undefined;
    },
  },
];
